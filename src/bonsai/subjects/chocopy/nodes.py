"""The abstract syntax tree: what the parser makes, the analysis annotates, and `output` writes as JSON.

Every node has its location `[first line, first column, last line, last column]` and the one error message
that the analysis may attach to it; an expression also has the type that the analysis infers for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bonsai.subjects.chocopy.analysis.types import Type

Location = list[int]


@dataclass(slots=True, eq=False)
class Node:
    location: Location
    error: str | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Expr(Node):
    inferred: Type | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Identifier(Expr):
    name: str


@dataclass(slots=True, eq=False)
class NoneLiteral(Expr):
    pass


@dataclass(slots=True, eq=False)
class BooleanLiteral(Expr):
    value: bool


@dataclass(slots=True, eq=False)
class IntegerLiteral(Expr):
    value: int


@dataclass(slots=True, eq=False)
class StringLiteral(Expr):
    value: str


@dataclass(slots=True, eq=False)
class ListExpr(Expr):
    elements: list[Expr]


@dataclass(slots=True, eq=False)
class UnaryExpr(Expr):
    operator: str
    operand: Expr


@dataclass(slots=True, eq=False)
class BinaryExpr(Expr):
    left: Expr
    operator: str
    right: Expr


@dataclass(slots=True, eq=False)
class IfExpr(Expr):
    condition: Expr
    then_expr: Expr
    else_expr: Expr


@dataclass(slots=True, eq=False)
class IndexExpr(Expr):
    list: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class MemberExpr(Expr):
    object: Expr
    member: Identifier


Target = Identifier | MemberExpr | IndexExpr
"""What can be assigned to."""


@dataclass(slots=True, eq=False)
class CallExpr(Expr):
    function: Identifier
    args: list[Expr]


@dataclass(slots=True, eq=False)
class MethodCallExpr(Expr):
    method: MemberExpr
    args: list[Expr]


@dataclass(slots=True, eq=False)
class ClassType(Node):
    """A type annotation that names a class."""

    name: str


@dataclass(slots=True, eq=False)
class ListType(Node):
    """A type annotation `[element]`."""

    element: TypeAnnotation


TypeAnnotation = ClassType | ListType


@dataclass(slots=True, eq=False)
class TypedVar(Node):
    identifier: Identifier
    type: TypeAnnotation


@dataclass(slots=True, eq=False)
class VarDef(Node):
    var: TypedVar
    value: Expr


@dataclass(slots=True, eq=False)
class GlobalDecl(Node):
    variable: Identifier


@dataclass(slots=True, eq=False)
class NonLocalDecl(Node):
    variable: Identifier


@dataclass(slots=True, eq=False)
class FuncDef(Node):
    name: Identifier
    params: list[TypedVar]
    return_type: TypeAnnotation
    declarations: list[Declaration]
    statements: list[Stmt]


@dataclass(slots=True, eq=False)
class ClassDef(Node):
    name: Identifier
    super_class: Identifier
    declarations: list[VarDef | FuncDef]


Declaration = VarDef | FuncDef | ClassDef | GlobalDecl | NonLocalDecl


@dataclass(slots=True, eq=False)
class ExprStmt(Node):
    expr: Expr


@dataclass(slots=True, eq=False)
class AssignStmt(Node):
    targets: list[Expr]
    value: Expr


@dataclass(slots=True, eq=False)
class ReturnStmt(Node):
    value: Expr | None


@dataclass(slots=True, eq=False)
class IfStmt(Node):
    condition: Expr
    then_body: list[Stmt]
    else_body: list[Stmt]


@dataclass(slots=True, eq=False)
class WhileStmt(Node):
    condition: Expr
    body: list[Stmt]


@dataclass(slots=True, eq=False)
class ForStmt(Node):
    identifier: Identifier
    iterable: Expr
    body: list[Stmt]


Stmt = ExprStmt | AssignStmt | ReturnStmt | IfStmt | WhileStmt | ForStmt


@dataclass(slots=True, eq=False)
class CompilerError(Node):
    message: str
    syntax: bool


@dataclass(slots=True, eq=False)
class Program(Node):
    declarations: list[Declaration]
    statements: list[Stmt]
    errors: list[CompilerError] = field(default_factory=list)
