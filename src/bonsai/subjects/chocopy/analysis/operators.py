"""An operator and the types of its operands come in; the type of the result goes out, and whether they fit.

The result of operands that do not fit is what the reference compiler goes on with.
"""

from bonsai.subjects.chocopy.analysis.hierarchy import Hierarchy
from bonsai.subjects.chocopy.analysis.types import BOOL, INT, OBJECT, STR, ListValue, ValueType, is_special


def unary_result(operator: str, operand: ValueType) -> tuple[ValueType, bool]:
    if operator == "-":
        return INT, operand == INT
    return BOOL, operand == BOOL


def binary_result(
    operator: str, left: ValueType, right: ValueType, hierarchy: Hierarchy
) -> tuple[ValueType, bool]:
    if operator == "+":
        return _sum(left, right, hierarchy)
    if operator in ("-", "*", "//", "%"):
        return INT, left == INT and right == INT
    if operator in ("<", "<=", ">", ">="):
        return BOOL, left == INT and right == INT
    if operator in ("==", "!="):
        return BOOL, is_special(left) and left == right
    if operator == "is":
        return BOOL, not is_special(left) and not is_special(right)
    return BOOL, left == BOOL and right == BOOL  # and, or


def _sum(left: ValueType, right: ValueType, hierarchy: Hierarchy) -> tuple[ValueType, bool]:
    """Numbers add up; strings and lists are joined end to end."""
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        return ListValue(hierarchy.join(left.element, right.element)), True
    if left == STR and right == STR:
        return STR, True
    if left == INT and right == INT:
        return INT, True
    if left == INT or right == INT:
        return INT, False
    return OBJECT, False
