import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.subjects.chocopy.analysis.hierarchy import OBJECT_CLASS, ClassInfo, Hierarchy
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
    is_special,
)

A, B, C, D = map(ClassValue, "ABCD")


def hierarchy() -> Hierarchy:
    """B and C inherit from A, and D from C."""
    made = Hierarchy()
    a = ClassInfo("A", OBJECT_CLASS)
    c = ClassInfo("C", a)
    for info in (a, ClassInfo("B", a), c, ClassInfo("D", c)):
        made.classes[info.name] = info
    return made


RULES = hierarchy()
names = st.sampled_from([A, B, C, D, OBJECT, INT, BOOL, STR, NONE, EMPTY])
kinds: st.SearchStrategy[ValueType] = st.recursive(names, lambda inner: inner.map(ListValue), max_leaves=3)


@pytest.mark.parametrize(
    ("kind", "other"),
    [(INT, INT), (B, A), (D, A), (A, OBJECT), (INT, OBJECT), (ListValue(INT), OBJECT), (NONE, OBJECT)],
)
def test_subtypes(kind: ValueType, other: ValueType) -> None:
    assert RULES.is_subtype(kind, other)


@pytest.mark.parametrize(
    ("kind", "other"),
    [(A, B), (B, C), (BOOL, INT), (OBJECT, A), (ListValue(B), ListValue(A)), (A, ListValue(A)), (NONE, A)],
)
def test_other_types_are_no_subtypes(kind: ValueType, other: ValueType) -> None:
    assert not RULES.is_subtype(kind, other)


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        (D, A),
        (NONE, A),
        (NONE, OBJECT),
        (NONE, ListValue(INT)),
        (EMPTY, ListValue(INT)),
        (EMPTY, OBJECT),
        (ListValue(NONE), ListValue(A)),
        (ListValue(NONE), ListValue(ListValue(INT))),
    ],
)
def test_assignable(kind: ValueType, other: ValueType) -> None:
    assert RULES.is_assignable(kind, other)


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        (A, D),
        (NONE, INT),
        (NONE, BOOL),
        (NONE, STR),
        (EMPTY, INT),
        (EMPTY, A),
        (ListValue(NONE), ListValue(INT)),
        (ListValue(EMPTY), ListValue(ListValue(INT))),
        (ListValue(ListValue(NONE)), ListValue(ListValue(A))),
        (ListValue(INT), ListValue(OBJECT)),
        (INT, NONE),
    ],
)
def test_not_assignable(kind: ValueType, other: ValueType) -> None:
    assert not RULES.is_assignable(kind, other)


@pytest.mark.parametrize(
    ("kind", "other", "common"),
    [
        (INT, INT, INT),
        (B, A, A),
        (B, C, A),
        (B, D, A),
        (D, C, C),
        (INT, BOOL, OBJECT),
        (A, STR, OBJECT),
        (NONE, A, A),
        (NONE, INT, OBJECT),
        (EMPTY, ListValue(INT), ListValue(INT)),
        (EMPTY, INT, OBJECT),
        (NONE, EMPTY, EMPTY),
        (ListValue(NONE), ListValue(A), ListValue(A)),
        (ListValue(NONE), ListValue(INT), OBJECT),
        (ListValue(B), ListValue(C), OBJECT),
        (ListValue(INT), A, OBJECT),
    ],
)
def test_join(kind: ValueType, other: ValueType, common: ValueType) -> None:
    assert RULES.join(kind, other) == common
    assert RULES.join(other, kind) == common


@given(kinds, kinds)
def test_both_can_be_assigned_to_their_join(kind: ValueType, other: ValueType) -> None:
    common = RULES.join(kind, other)
    assert RULES.is_assignable(kind, common)
    assert RULES.is_assignable(other, common)


@given(kinds)
def test_none_is_no_value_of_special_types_only(kind: ValueType) -> None:
    assert RULES.is_assignable(NONE, kind) == (not is_special(kind))


def test_members_are_inherited() -> None:
    parent = ClassInfo("A", OBJECT_CLASS)
    child = ClassInfo("B", parent)
    parent.members["x"] = INT
    assert child.member("x") == INT
    assert isinstance(child.member("__init__"), FuncType)
    assert child.member("y") is None
