"""The statements and variables of a program come in; what breaks the type rules becomes an error."""

from collections.abc import Callable
from typing import Any

from bonsai.subjects.chocopy.analysis.declarations import Declarations
from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.expressions import ExpressionChecker
from bonsai.subjects.chocopy.analysis.types import (
    BOOL,
    NONE,
    STR,
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
                self._variable(declaration)
            elif isinstance(declaration, FuncDef):
                self._function(declaration)
            elif isinstance(declaration, ClassDef):
                self.declarations([*declaration.declarations])

    def _variable(self, node: VarDef) -> None:
        kind = self._expressions.check(node.value)
        expected = value_type(node.var.type)
        if not self._hierarchy.is_assignable(kind, expected):
            self._mismatch(node, expected, kind)

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

    def _mismatch(self, node: Node, expected: ValueType, kind: ValueType) -> None:
        self._diagnostics.error(node, f"Expected type `{expected}`; got type `{kind}`")

    def _undeclared(self, identifier: Identifier) -> None:
        name = identifier.name
        self._diagnostics.error(
            identifier, f"Cannot assign to variable that is not explicitly declared in this scope: {name}"
        )

    def _no_condition(self, node: Node, kind: ValueType) -> None:
        self._diagnostics.error(node, f"Condition expression cannot be of type `{kind}`")

    # Simple statements

    def _expression(self, node: ExprStmt) -> None:
        self._expressions.check(node.expr)

    def _assignment(self, node: AssignStmt) -> None:
        kind = self._expressions.check(node.value)
        for target in node.targets:
            expected = self._expressions.check(target)
            if not self._hierarchy.is_assignable(kind, expected):
                self._mismatch(node, expected, kind)
            self._target(target)
        if len(node.targets) > 1 and kind == ListValue(NONE):
            self._diagnostics.error(node, "Right-hand side of multiple assignment may not be [<None>]")

    def _target(self, target: Expr) -> None:
        """A string's characters cannot be assigned to, nor a variable that another scope declares."""
        if isinstance(target, IndexExpr):
            if target.list.inferred == STR:
                self._diagnostics.error(target, "`str` is not a list type")
        elif isinstance(target, Identifier) and target.name not in self._expressions.scope.names:
            self._undeclared(target)  # Unless it is no variable at all: a node keeps its first error.

    def _return(self, node: ReturnStmt) -> None:
        expected = self._result
        if expected is None:
            self._diagnostics.error(node, "Return statement cannot appear at the top level")
        elif node.value is None:
            if not self._hierarchy.is_assignable(NONE, expected):
                self._diagnostics.error(node, f"Expected type `{expected}`; got `None`")
        else:
            kind = self._expressions.check(node.value)
            if not self._hierarchy.is_assignable(kind, expected):
                self._mismatch(node, expected, kind)

    # Compound statements

    def _if(self, node: IfStmt) -> None:
        kind = self._expressions.check(node.condition)
        if kind != BOOL:
            self._no_condition(node, kind)
        self.block(node.then_body)
        self.block(node.else_body)

    def _while(self, node: WhileStmt) -> None:
        kind = self._expressions.check(node.condition)
        if kind != BOOL:
            self._no_condition(node, kind)
        self.block(node.body)

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
        scope = self._expressions.scope
        identifier = node.identifier
        found = scope.get(identifier.name)
        if not isinstance(found, ValueType):
            self._diagnostics.error(node, f"Not a variable: {identifier.name}")
            return
        if self._hierarchy.is_assignable(element, found):
            identifier.inferred = found
        else:
            self._mismatch(node, found, element)
        if identifier.name not in scope.names:
            self._undeclared(identifier)


_CHECKS: dict[type[Node], Callable[[_StatementChecker, Any], None]] = {
    ExprStmt: _StatementChecker._expression,
    AssignStmt: _StatementChecker._assignment,
    ReturnStmt: _StatementChecker._return,
    IfStmt: _StatementChecker._if,
    WhileStmt: _StatementChecker._while,
    ForStmt: _StatementChecker._for,
}
