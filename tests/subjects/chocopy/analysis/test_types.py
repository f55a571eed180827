import pytest

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
    is_special,
    value_type,
)
from bonsai.subjects.chocopy.nodes import ClassType, ListType

WHERE = [1, 1, 1, 1]


def test_types_are_equal_by_what_they_say() -> None:
    assert ClassValue("A") == ClassValue("A") != ClassValue("B")
    assert ListValue(INT) == ListValue(ClassValue("int")) != ListValue(STR)
    assert ListValue(INT) != INT
    assert len({ClassValue("A"), ClassValue("A"), ListValue(INT), ListValue(INT)}) == 2


def test_types_show_as_in_the_text() -> None:
    assert str(ListValue(ListValue(ClassValue("A")))) == "[[A]]"
    assert str(NONE) == "<None>"
    assert str(EMPTY) == "<Empty>"


def test_types_of_annotations() -> None:
    assert value_type(ListType(WHERE, ClassType(WHERE, "A"))) == ListValue(ClassValue("A"))
    assert value_type(ClassType(WHERE, "int")) is INT


@pytest.mark.parametrize("kind", [INT, BOOL, STR])
def test_special_types(kind: ClassValue) -> None:
    assert is_special(kind)


@pytest.mark.parametrize("kind", [OBJECT, NONE, EMPTY, ListValue(INT), ClassValue("A")])
def test_other_types_are_not_special(kind: ClassValue | ListValue) -> None:
    assert not is_special(kind)


def test_overriding_leaves_self_aside() -> None:
    a, b = ClassValue("A"), ClassValue("B")
    assert FuncType([a, INT], STR).overrides(FuncType([b, INT], STR))
    assert not FuncType([a, INT], STR).overrides(FuncType([b, STR], STR))
    assert not FuncType([a, INT], STR).overrides(FuncType([b, INT], INT))
    assert not FuncType([a], STR).overrides(FuncType([b, INT], STR))
    assert not FuncType([], STR).overrides(FuncType([b], STR))


def test_types_as_json() -> None:
    integer = {"kind": "ClassValueType", "className": "int"}
    listed = {"kind": "ListValueType", "elementType": integer}
    assert ListValue(INT).to_json() == listed
    assert FuncType([ListValue(INT)], INT).to_json() == {
        "kind": "FuncType",
        "parameters": [listed],
        "returnType": integer,
    }
