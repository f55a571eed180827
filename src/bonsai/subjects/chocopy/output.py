"""A syntax tree comes in, annotated or not; the JSON that the reference compiler writes for it goes out."""

from collections.abc import Callable
from typing import Any

from bonsai.subjects.chocopy.nodes import (
    AssignStmt,
    BinaryExpr,
    BooleanLiteral,
    CallExpr,
    ClassDef,
    ClassType,
    Expr,
    ExprStmt,
    ForStmt,
    FuncDef,
    GlobalDecl,
    Identifier,
    IfExpr,
    IfStmt,
    IndexExpr,
    IntegerLiteral,
    ListExpr,
    ListType,
    MemberExpr,
    MethodCallExpr,
    Node,
    NoneLiteral,
    NonLocalDecl,
    Program,
    ReturnStmt,
    StringLiteral,
    TypedVar,
    UnaryExpr,
    VarDef,
    WhileStmt,
)

Json = dict[str, Any]


def to_json(program: Program) -> Json:
    """The program as the reference compiler writes it, with its errors."""
    errors: list[Json] = []
    for error in program.errors:
        shown: Json = {"kind": "CompilerError", "location": error.location, "message": error.message}
        if error.syntax:
            shown["syntax"] = True
        errors.append(shown)
    return {
        "kind": "Program",
        "location": program.location,
        "declarations": [_WRITE[node.__class__](node) for node in program.declarations],
        "statements": [_WRITE[node.__class__](node) for node in program.statements],
        "errors": {"errors": errors, "kind": "Errors", "location": [0, 0, 0, 0]},
    }


def _node(node: Node, kind: str) -> Json:
    if node.error is None:
        return {"kind": kind, "location": node.location}
    return {"kind": kind, "location": node.location, "errorMsg": node.error}


def _expression(node: Expr, kind: str) -> Json:
    out: Json = {"kind": kind, "location": node.location}
    if node.error is not None:
        out["errorMsg"] = node.error
    if node.inferred is not None:
        out["inferredType"] = node.inferred.to_json()
    return out


def _identifier(node: Identifier) -> Json:
    out = _expression(node, "Identifier")
    out["name"] = node.name
    return out


def _none(node: NoneLiteral) -> Json:
    return _expression(node, "NoneLiteral")


def _boolean(node: BooleanLiteral) -> Json:
    out = _expression(node, "BooleanLiteral")
    out["value"] = node.value
    return out


def _integer(node: IntegerLiteral) -> Json:
    out = _expression(node, "IntegerLiteral")
    out["value"] = node.value
    return out


def _string(node: StringLiteral) -> Json:
    out = _expression(node, "StringLiteral")
    out["value"] = node.value
    return out


def _list(node: ListExpr) -> Json:
    out = _expression(node, "ListExpr")
    out["elements"] = [_WRITE[element.__class__](element) for element in node.elements]
    return out


def _unary(node: UnaryExpr) -> Json:
    out = _expression(node, "UnaryExpr")
    out["operator"] = node.operator
    out["operand"] = _WRITE[node.operand.__class__](node.operand)
    return out


def _binary(node: BinaryExpr) -> Json:
    """A loop down the left operands: recursion could not follow a sum of thousands of terms."""
    top = out = _expression(node, "BinaryExpr")
    while isinstance(node.left, BinaryExpr):
        left = _expression(node.left, "BinaryExpr")
        out["left"] = left
        out["operator"] = node.operator
        out["right"] = _WRITE[node.right.__class__](node.right)
        out = left
        node = node.left
    out["left"] = _WRITE[node.left.__class__](node.left)
    out["operator"] = node.operator
    out["right"] = _WRITE[node.right.__class__](node.right)
    return top


def _conditional(node: IfExpr) -> Json:
    out = _expression(node, "IfExpr")
    out["condition"] = _WRITE[node.condition.__class__](node.condition)
    out["thenExpr"] = _WRITE[node.then_expr.__class__](node.then_expr)
    out["elseExpr"] = _WRITE[node.else_expr.__class__](node.else_expr)
    return out


def _index(node: IndexExpr) -> Json:
    out = _expression(node, "IndexExpr")
    out["list"] = _WRITE[node.list.__class__](node.list)
    out["index"] = _WRITE[node.index.__class__](node.index)
    return out


def _member(node: MemberExpr) -> Json:
    out = _expression(node, "MemberExpr")
    out["object"] = _WRITE[node.object.__class__](node.object)
    out["member"] = _identifier(node.member)
    return out


def _call(node: CallExpr) -> Json:
    out = _expression(node, "CallExpr")
    out["function"] = _identifier(node.function)
    out["args"] = [_WRITE[arg.__class__](arg) for arg in node.args]
    return out


def _method_call(node: MethodCallExpr) -> Json:
    out = _expression(node, "MethodCallExpr")
    out["method"] = _member(node.method)
    out["args"] = [_WRITE[arg.__class__](arg) for arg in node.args]
    return out


def _class_type(node: ClassType) -> Json:
    out = _node(node, "ClassType")
    out["className"] = node.name
    return out


def _list_type(node: ListType) -> Json:
    out = _node(node, "ListType")
    out["elementType"] = _WRITE[node.element.__class__](node.element)
    return out


def _typed_var(node: TypedVar) -> Json:
    out = _node(node, "TypedVar")
    out["identifier"] = _identifier(node.identifier)
    out["type"] = _WRITE[node.type.__class__](node.type)
    return out


def _var_def(node: VarDef) -> Json:
    out = _node(node, "VarDef")
    out["var"] = _typed_var(node.var)
    out["value"] = _WRITE[node.value.__class__](node.value)
    return out


def _global(node: GlobalDecl) -> Json:
    out = _node(node, "GlobalDecl")
    out["variable"] = _identifier(node.variable)
    return out


def _nonlocal(node: NonLocalDecl) -> Json:
    out = _node(node, "NonLocalDecl")
    out["variable"] = _identifier(node.variable)
    return out


def _func_def(node: FuncDef) -> Json:
    out = _node(node, "FuncDef")
    out["name"] = _identifier(node.name)
    out["params"] = [_typed_var(param) for param in node.params]
    out["returnType"] = _WRITE[node.return_type.__class__](node.return_type)
    out["declarations"] = [_WRITE[declaration.__class__](declaration) for declaration in node.declarations]
    out["statements"] = [_WRITE[statement.__class__](statement) for statement in node.statements]
    return out


def _class_def(node: ClassDef) -> Json:
    out = _node(node, "ClassDef")
    out["name"] = _identifier(node.name)
    out["superClass"] = _identifier(node.super_class)
    out["declarations"] = [_WRITE[declaration.__class__](declaration) for declaration in node.declarations]
    return out


def _expr_stmt(node: ExprStmt) -> Json:
    out = _node(node, "ExprStmt")
    out["expr"] = _WRITE[node.expr.__class__](node.expr)
    return out


def _assignment(node: AssignStmt) -> Json:
    out = _node(node, "AssignStmt")
    out["targets"] = [_WRITE[target.__class__](target) for target in node.targets]
    out["value"] = _WRITE[node.value.__class__](node.value)
    return out


def _return(node: ReturnStmt) -> Json:
    out = _node(node, "ReturnStmt")
    out["value"] = None if node.value is None else _WRITE[node.value.__class__](node.value)
    return out


def _if(node: IfStmt) -> Json:
    out = _node(node, "IfStmt")
    out["condition"] = _WRITE[node.condition.__class__](node.condition)
    out["thenBody"] = [_WRITE[statement.__class__](statement) for statement in node.then_body]
    out["elseBody"] = [_WRITE[statement.__class__](statement) for statement in node.else_body]
    return out


def _while(node: WhileStmt) -> Json:
    out = _node(node, "WhileStmt")
    out["condition"] = _WRITE[node.condition.__class__](node.condition)
    out["body"] = [_WRITE[statement.__class__](statement) for statement in node.body]
    return out


def _for(node: ForStmt) -> Json:
    out = _node(node, "ForStmt")
    out["identifier"] = _identifier(node.identifier)
    out["iterable"] = _WRITE[node.iterable.__class__](node.iterable)
    out["body"] = [_WRITE[statement.__class__](statement) for statement in node.body]
    return out


_WRITE: dict[type[Node], Callable[[Any], Json]] = {
    Identifier: _identifier,
    NoneLiteral: _none,
    BooleanLiteral: _boolean,
    IntegerLiteral: _integer,
    StringLiteral: _string,
    ListExpr: _list,
    UnaryExpr: _unary,
    BinaryExpr: _binary,
    IfExpr: _conditional,
    IndexExpr: _index,
    MemberExpr: _member,
    CallExpr: _call,
    MethodCallExpr: _method_call,
    ClassType: _class_type,
    ListType: _list_type,
    VarDef: _var_def,
    GlobalDecl: _global,
    NonLocalDecl: _nonlocal,
    FuncDef: _func_def,
    ClassDef: _class_def,
    ExprStmt: _expr_stmt,
    AssignStmt: _assignment,
    ReturnStmt: _return,
    IfStmt: _if,
    WhileStmt: _while,
    ForStmt: _for,
}
