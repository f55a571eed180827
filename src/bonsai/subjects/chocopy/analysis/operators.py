"""An operator and the types of its operands come in; the type of the result goes out, and whether they fit.

The result of operands that do not fit is what the reference compiler goes on with.
"""

from typing import NamedTuple

from bonsai.subjects.chocopy.analysis.hierarchy import Hierarchy
from bonsai.subjects.chocopy.analysis.types import BOOL, INT, OBJECT, STR, ListValue, ValueType, is_special


class Result(NamedTuple):
    """What an operation yields, and whether it is allowed on its operands."""

    kind: ValueType
    fits: bool


_AN_INT = Result(INT, True)
_A_BOOL = Result(BOOL, True)
_A_STR = Result(STR, True)
_WRONGLY_INT = Result(INT, False)
_WRONGLY_BOOL = Result(BOOL, False)
_WRONGLY_OBJECT = Result(OBJECT, False)


def unary_result(operator: str, operand: ValueType) -> Result:
    if operator == "-":
        if operand == INT:
            return _AN_INT
        return _WRONGLY_INT
    if operand == BOOL:  # not
        return _A_BOOL
    return _WRONGLY_BOOL


def binary_result(operator: str, left: ValueType, right: ValueType, hierarchy: Hierarchy) -> Result:
    if operator == "+":
        return _sum(left, right, hierarchy)
    if operator in ("-", "*", "//", "%"):
        if left == INT and right == INT:
            return _AN_INT
        return _WRONGLY_INT
    if operator in ("<", "<=", ">", ">="):
        if left == INT and right == INT:
            return _A_BOOL
        return _WRONGLY_BOOL
    if operator in ("==", "!="):
        return _equality(left, right)
    if operator == "is":
        return _identity(left, right)
    if operator == "and":
        if left == BOOL and right == BOOL:
            return _A_BOOL
        return _WRONGLY_BOOL
    if left == BOOL and right == BOOL:  # or
        return _A_BOOL
    return _WRONGLY_BOOL


def _sum(left: ValueType, right: ValueType, hierarchy: Hierarchy) -> Result:
    """Numbers add up; strings and lists are joined end to end."""
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        return Result(ListValue(hierarchy.join(left.element, right.element)), True)
    if left == STR and right == STR:
        return _A_STR
    if left == INT and right == INT:
        return _AN_INT
    if left == INT or right == INT:
        return _WRONGLY_INT
    return _WRONGLY_OBJECT


def _equality(left: ValueType, right: ValueType) -> Result:
    """Two numbers, two truth values or two strings."""
    if left == INT and right == INT:
        return _A_BOOL
    if left == BOOL and right == BOOL:
        return _A_BOOL
    if left == STR and right == STR:
        return _A_BOOL
    return _WRONGLY_BOOL


def _identity(left: ValueType, right: ValueType) -> Result:
    """Anything but numbers, truth values and strings, which have no identity."""
    if is_special(left):
        return _WRONGLY_BOOL
    if is_special(right):
        return _WRONGLY_BOOL
    return _A_BOOL
