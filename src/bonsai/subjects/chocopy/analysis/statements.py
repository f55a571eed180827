"""The statements and variable definitions of a program come in; what they do against the type rules becomes errors."""

from collections.abc import Callable
from typing import Any

from bonsai.subjects.chocopy.analysis.declarations import Declarations
from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.expressions import ExpressionChecker
from bonsai.subjects.chocopy.analysis.scopes import Scope
from bonsai.subjects.chocopy.analysis.types import (
    BOOL,
    NONE,
    STR,
    ClassValue,
    ListValue,
    ValueType,
    value_type,
)
from bonsai.subjects.chocopy.nodes import (
    AssignStmt,
    ClassDef,
    Declaration,
    Expr,
    ExprStmt,
    ForStmt,
    FuncDef,
    Identifier,
    IfStmt,
    IndexExpr,
    Node,
    Program,
    ReturnStmt,
    Stmt,
    VarDef,
    WhileStmt,
)


def check_statements(program: Program, declared: Declarations, diagnostics: Diagnostics) -> None:
    """Check the bodies of all classes and functions, and then the statements of the program."""
    checker = _StatementChecker(declared, diagnostics)
    checker.declarations(program.declarations)
    checker.block(program.statements)


class _StatementChecker:
    __slots__ = ("_declared", "_diagnostics", "_expressions", "_hierarchy", "_result")

    def __init__(self, declared: Declarations, diagnostics: Diagnostics) -> None:
        self._declared = declared
        self._hierarchy = declared.hierarchy
        self._diagnostics = diagnostics
        self._expressions = ExpressionChecker(declared.hierarchy, declared.globals, diagnostics)
        self._result: ValueType | None = None
        """What the function around must return; outside of functions, None."""

    def declarations(self, declarations: list[Declaration]) -> None:
        for declaration in declarations:
            if isinstance(declaration, VarDef):
                kind = self._expressions.check(declaration.value)
                self._expect(value_type(declaration.var.type), kind, declaration)
            elif isinstance(declaration, FuncDef):
                self._function(declaration)
            elif isinstance(declaration, ClassDef):
                self.declarations([*declaration.declarations])

    def _function(self, function: FuncDef) -> None:
        outer_scope = self._expressions.scope
        outer_result = self._result
        self._expressions.scope = self._declared.functions[function]
        self._result = value_type(function.return_type)
        self.declarations(function.declarations)
        self.block(function.statements)
        self._expressions.scope = outer_scope
        self._result = outer_result

    def block(self, statements: list[Stmt]) -> None:
        for statement in statements:
            _CHECKS[statement.__class__](self, statement)

    def _expect(self, expected: ValueType, kind: ValueType, node: Node) -> None:
        if not self._hierarchy.is_assignable(kind, expected):
            self._diagnostics.error(node, f"Expected type `{expected}`; got type `{kind}`")

    # Simple statements

    def _expression(self, node: ExprStmt) -> None:
        self._expressions.check(node.expr)

    def _assignment(self, node: AssignStmt) -> None:
        kind = self._expressions.check(node.value)
        for target in node.targets:
            self._expect(self._expressions.check(target), kind, node)
            if isinstance(target, IndexExpr):
                indexed = target.list.inferred
                if indexed == STR:
                    self._diagnostics.error(target, f"`{indexed}` is not a list type")
            elif isinstance(target, Identifier) and target.error is None:
                self._own(target.name, target)
        if len(node.targets) > 1 and kind == ListValue(NONE):
            self._diagnostics.error(node, "Right-hand side of multiple assignment may not be [<None>]")

    def _own(self, name: str, node: Node) -> None:
        if name not in self._scope.names:
            self._diagnostics.error(
                node, f"Cannot assign to variable that is not explicitly declared in this scope: {name}"
            )

    @property
    def _scope(self) -> Scope:
        return self._expressions.scope

    def _return(self, node: ReturnStmt) -> None:
        if self._result is None:
            self._diagnostics.error(node, "Return statement cannot appear at the top level")
        elif node.value is not None:
            self._expect(self._result, self._expressions.check(node.value), node)
        elif not self._hierarchy.is_assignable(NONE, self._result):
            self._diagnostics.error(node, f"Expected type `{self._result}`; got `None`")

    # Compound statements

    def _if(self, node: IfStmt) -> None:
        self._condition(node.condition, node)
        self.block(node.then_body)
        self.block(node.else_body)

    def _while(self, node: WhileStmt) -> None:
        self._condition(node.condition, node)
        self.block(node.body)

    def _condition(self, condition: Expr, node: Node) -> None:
        kind = self._expressions.check(condition)
        if kind != BOOL:
            self._diagnostics.error(node, f"Condition expression cannot be of type `{kind}`")

    def _for(self, node: ForStmt) -> None:
        iterable = self._expressions.check(node.iterable)
        if isinstance(iterable, ListValue):
            self._loop_variable(node, iterable.element)
        elif iterable == STR:
            self._loop_variable(node, STR)
        else:
            self._diagnostics.error(node, f"Cannot iterate over value of type `{iterable}`")
        self.block(node.body)

    def _loop_variable(self, node: ForStmt, element: ValueType) -> None:
        name = node.identifier.name
        found = self._scope.get(name)
        if not isinstance(found, ClassValue | ListValue):
            self._diagnostics.error(node, f"Not a variable: {name}")
            return
        self._own(name, node.identifier)
        self._expect(found, element, node)
        if node.error is None:
            node.identifier.inferred = found


_CHECKS: dict[type[Node], Callable[[_StatementChecker, Any], None]] = {
    ExprStmt: _StatementChecker._expression,
    AssignStmt: _StatementChecker._assignment,
    ReturnStmt: _StatementChecker._return,
    IfStmt: _StatementChecker._if,
    WhileStmt: _StatementChecker._while,
    ForStmt: _StatementChecker._for,
}
