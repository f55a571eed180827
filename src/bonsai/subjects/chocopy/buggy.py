"""A text comes in; its tree or a verdict goes out, wrong at times: a ChocoPy checker with bugs on purpose.

It is a candidate to try `bonsai grade` on. `check` has all the bugs; each of them is also a candidate of its own,
such as `bonsai.subjects.chocopy.buggy:any_minus.check`. The bugs are mistakes that students make.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from bonsai.subjects.chocopy import Json, driver
from bonsai.subjects.chocopy.analysis import expressions, returns
from bonsai.subjects.chocopy.analysis.expressions import ExpressionChecker
from bonsai.subjects.chocopy.analysis.hierarchy import Hierarchy
from bonsai.subjects.chocopy.analysis.operators import Result, binary_result, unary_result
from bonsai.subjects.chocopy.analysis.scopes import Meaning, Scope
from bonsai.subjects.chocopy.analysis.types import BOOL, INT, NONE, OBJECT, FuncType, ValueType
from bonsai.subjects.chocopy.nodes import ReturnStmt, Stmt


class Bug:
    """A function of the type checker that is replaced by a wrong one."""

    def __init__(self, owner: object, name: str, wrong: Callable[..., Any]) -> None:
        self._place = (owner, name)
        self._wrong = wrong
        self.__doc__ = wrong.__doc__

    def check(self, text: str) -> Json:
        """Check a program with this bug alone."""
        with self.made():
            return driver.check(text)

    def made(self) -> Any:
        """While this context is open, the bug is there."""
        return patch.object(*self._place, self._wrong)


def _bug(owner: object, name: str) -> Callable[[Callable[..., Any]], Bug]:
    return lambda wrong: Bug(owner, name, wrong)


@_bug(expressions, "unary_result")
def any_minus(operator: str, operand: ValueType) -> Result:
    """The minus sign is allowed in front of anything."""
    return Result(INT, True) if operator == "-" else unary_result(operator, operand)


@_bug(expressions, "binary_result")
def any_identity(operator: str, left: ValueType, right: ValueType, hierarchy: Hierarchy) -> Result:
    """`is` compares numbers and strings as well."""
    return Result(BOOL, True) if operator == "is" else binary_result(operator, left, right, hierarchy)


@_bug(returns, "_returns")
def forgotten_branches(statements: list[Stmt]) -> bool:
    """Returns in both branches of an `if` do not count."""
    return any(isinstance(statement, ReturnStmt) for statement in statements)


@_bug(Hierarchy, "join")
def hasty_join(self: Hierarchy, kind: ValueType, other: ValueType) -> ValueType:
    """Two different types have nothing but `object` in common."""
    return kind if kind == other else OBJECT


_is_assignable = Hierarchy.is_assignable


@_bug(Hierarchy, "is_assignable")
def none_is_everything(self: Hierarchy, kind: ValueType, other: ValueType) -> bool:
    """`None` is a number, too."""
    return kind == NONE or _is_assignable(self, kind, other)


_arguments = ExpressionChecker._arguments


@_bug(ExpressionChecker, "_arguments")
def uncounted_arguments(
    self: ExpressionChecker, args: list[ValueType], params: list[ValueType], first: int
) -> str | None:
    """Arguments that are missing or too many are not noticed."""
    return _arguments(self, args, params, first) if len(args) == len(params) - first else None


@_bug(FuncType, "overrides")
def any_overriding(self: FuncType, other: FuncType) -> bool:
    """A method may override any other."""
    return True


@_bug(Scope, "get_nonlocal")
def nonlocal_finds_globals(self: Scope, name: str) -> Meaning | None:
    """`nonlocal` is content with a global variable."""
    return self.get(name)


BUGS = {name: value for name, value in globals().items() if isinstance(value, Bug)}


def check(text: str) -> Json:
    """Check a program with all the bugs at once."""
    with ExitStack() as stack:
        for bug in BUGS.values():
            stack.enter_context(bug.made())
        return driver.check(text)
