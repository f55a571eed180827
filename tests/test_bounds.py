"""Bounds are a partial order with joins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import BonsaiError, Bounds
from bonsai.bounds import parse_bounds

anything = st.builds(Bounds, st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))


@given(anything, anything, anything)
def test_the_order_is_a_partial_order_with_joins(a: Bounds, b: Bounds, c: Bounds) -> None:
    assert a <= a
    assert not (a <= b and b <= a) or a == b
    assert not (a <= b and b <= c) or a <= c
    assert a <= a.join(b)
    assert not (a <= c and b <= c) or a.join(b) <= c
    assert (a < b) == (a <= b and a != b) == (b > a)
    assert (a <= b) == (b >= a)


def test_some_bounds_are_not_comparable() -> None:
    assert not Bounds(1, 2, 1) <= Bounds(2, 1, 1)
    assert not Bounds(1, 2, 1) >= Bounds(2, 1, 1)


def test_bounds_are_read_from_text() -> None:
    assert parse_bounds("3, 2,1") == Bounds(3, 2, 1)


@pytest.mark.parametrize(
    "text", ["", "3", "1,2", "1,2,3,4", "a,b,c", "0,1,1", "1,1,-1", "1,1,9999999999", "1.5,1,1"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BonsaiError):
        parse_bounds(text)
