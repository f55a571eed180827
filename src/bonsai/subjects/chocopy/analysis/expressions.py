"""Expressions come in; their types go out, are noted on them, and every misuse of a type becomes an error.

An expression with an error still has a type, the one that the reference compiler goes on with.
"""

from collections.abc import Callable
from typing import Any

from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.hierarchy import ClassInfo, Hierarchy
from bonsai.subjects.chocopy.analysis.operators import binary_result, unary_result
from bonsai.subjects.chocopy.analysis.scopes import Scope
from bonsai.subjects.chocopy.analysis.types import (
    BOOL,
    EMPTY,
    INT,
    NONE,
    OBJECT,
    STR,
    ClassValue,
    FuncType,
    ListValue,
    ValueType,
)
from bonsai.subjects.chocopy.nodes import (
    BinaryExpr,
    BooleanLiteral,
    CallExpr,
    Expr,
    Identifier,
    IfExpr,
    IndexExpr,
    IntegerLiteral,
    ListExpr,
    MemberExpr,
    MethodCallExpr,
    NoneLiteral,
    StringLiteral,
    UnaryExpr,
)


class ExpressionChecker:
    """Checks expressions in a scope."""

    __slots__ = ("_diagnostics", "_hierarchy", "scope")

    def __init__(self, hierarchy: Hierarchy, scope: Scope, diagnostics: Diagnostics) -> None:
        self._hierarchy = hierarchy
        self._diagnostics = diagnostics
        self.scope = scope

    def check(self, node: Expr) -> ValueType:
        """The type of the expression, which is also noted on the node."""
        kind = _CHECKS[node.__class__](self, node)
        node.inferred = kind
        return kind

    def _identifier(self, node: Identifier) -> ValueType:
        found = self.scope.get(node.name)
        if isinstance(found, ValueType):
            return found
        self._diagnostics.error(node, f"Not a variable: {node.name}")
        return OBJECT

    def _none(self, node: NoneLiteral) -> ValueType:
        return NONE

    def _boolean(self, node: BooleanLiteral) -> ValueType:
        return BOOL

    def _integer(self, node: IntegerLiteral) -> ValueType:
        return INT

    def _string(self, node: StringLiteral) -> ValueType:
        return STR

    def _list(self, node: ListExpr) -> ValueType:
        """A list holds what all its elements have in common; `[]` can be a list of anything."""
        if not node.elements:
            return EMPTY
        element: ValueType | None = None
        for expression in node.elements:
            kind = self.check(expression)
            element = kind if element is None else self._hierarchy.join(element, kind)
        assert element is not None  # There was at least one.
        return ListValue(element)

    # Operators

    def _unary(self, node: UnaryExpr) -> ValueType:
        operand = self.check(node.operand)
        result = unary_result(node.operator, operand)
        if not result.fits:
            self._diagnostics.error(node, f"Cannot apply operator `{node.operator}` on type `{operand}`")
        return result.kind

    def _binary(self, node: BinaryExpr) -> ValueType:
        """A loop up from the leftmost operand: recursion could not follow a sum of thousands of terms."""
        chain = [node]
        while isinstance(node.left, BinaryExpr):
            node = node.left
            chain.append(node)
        left = self.check(node.left)
        for node in reversed(chain):
            right = self.check(node.right)
            result = binary_result(node.operator, left, right, self._hierarchy)
            if not result.fits:
                self._diagnostics.error(
                    node, f"Cannot apply operator `{node.operator}` on types `{left}` and `{right}`"
                )
            node.inferred = left = result.kind
        return left

    def _conditional(self, node: IfExpr) -> ValueType:
        condition = self.check(node.condition)
        if condition != BOOL:
            self._diagnostics.error(node, f"Condition expression cannot be of type `{condition}`")
        then_type = self.check(node.then_expr)
        else_type = self.check(node.else_expr)
        return self._hierarchy.join(then_type, else_type)

    # Elements and members

    def _index(self, node: IndexExpr) -> ValueType:
        indexed = self.check(node.list)
        index = self.check(node.index)
        if isinstance(indexed, ListValue):
            result = indexed.element
        elif indexed == STR:
            result = STR
        else:
            self._diagnostics.error(node, f"Cannot index into type `{indexed}`")
            return OBJECT
        if index != INT:
            self._diagnostics.error(node, f"Index is of non-integer type `{index}`")
        return result

    def _member(self, node: MemberExpr) -> ValueType:
        info = self._class_of(node.object, node)
        if info is None:
            return OBJECT
        name = node.member.name
        found = info.member(name)
        if isinstance(found, ValueType):
            return found
        self._diagnostics.error(node, f"There is no attribute named `{name}` in class `{info.name}`")
        return OBJECT

    def _class_of(self, node: Expr, access: Expr) -> ClassInfo | None:
        """The class of an object whose member is accessed; lists have none."""
        kind = self.check(node)
        if isinstance(kind, ClassValue):
            return self._hierarchy.classes[kind.name]
        self._diagnostics.error(access, f"Cannot access member of non-class type `{kind}`")
        return None

    # Calls

    def _call(self, node: CallExpr) -> ValueType:
        name = node.function.name
        found = self.scope.get(name)
        args = [self.check(arg) for arg in node.args]
        if isinstance(found, ClassInfo):
            constructor = found.member("__init__")
            assert isinstance(constructor, FuncType)  # `object` has one, and no attribute can replace it.
            problem = self._arguments(args, constructor.params, 1)
            if problem is not None:
                self._diagnostics.error(node, problem)
            return ClassValue(name)
        if isinstance(found, FuncType):
            node.function.inferred = found
            problem = self._arguments(args, found.params, 0)
            if problem is not None:
                self._diagnostics.error(node, problem)
            return found.result
        self._diagnostics.error(node, f"Not a function or class: {name}")
        return OBJECT

    def _method_call(self, node: MethodCallExpr) -> ValueType:
        args = [self.check(arg) for arg in node.args]
        info = self._class_of(node.method.object, node)
        if info is None:
            return OBJECT
        name = node.method.member.name
        method = info.member(name)
        if not isinstance(method, FuncType):
            self._diagnostics.error(node, f"There is no method named `{name}` in class `{info.name}`")
            return OBJECT
        node.method.inferred = method
        problem = self._arguments(args, method.params, 1)
        if problem is not None:
            self._diagnostics.error(node, problem)
        return method.result

    def _arguments(self, args: list[ValueType], params: list[ValueType], first: int) -> str | None:
        """What is wrong with the arguments for the parameters from the `first` on: `self` is no argument."""
        expected = len(params) - first
        if len(args) != expected:
            return f"Expected {expected} arguments; got {len(args)}"
        for place, arg in enumerate(args, first):
            if not self._hierarchy.is_assignable(arg, params[place]):
                return f"Expected type `{params[place]}`; got type `{arg}` in parameter {place}"
        return None


_CHECKS: dict[type[Expr], Callable[[ExpressionChecker, Any], ValueType]] = {
    Identifier: ExpressionChecker._identifier,
    NoneLiteral: ExpressionChecker._none,
    BooleanLiteral: ExpressionChecker._boolean,
    IntegerLiteral: ExpressionChecker._integer,
    StringLiteral: ExpressionChecker._string,
    ListExpr: ExpressionChecker._list,
    UnaryExpr: ExpressionChecker._unary,
    BinaryExpr: ExpressionChecker._binary,
    IfExpr: ExpressionChecker._conditional,
    IndexExpr: ExpressionChecker._index,
    MemberExpr: ExpressionChecker._member,
    CallExpr: ExpressionChecker._call,
    MethodCallExpr: ExpressionChecker._method_call,
}
