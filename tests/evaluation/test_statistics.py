"""The statistics: known values, and what must hold of any figures."""

from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.evaluation.statistics import Effect, a12, compare, summarise

figures = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


def test_mean_and_sample_deviation() -> None:
    found = summarise([2, 4, 4, 4, 5, 5, 7, 9])
    assert (found.number, found.mean) == (8, 5)
    assert isclose(found.deviation, sqrt(32 / 7))
    assert summarise([3]).deviation == 0
    assert str(summarise([10.0, 12.0])) == "11 ± 1.4"


def test_values_that_were_worked_out_by_hand() -> None:
    # The first is larger in five of the pairs: 1.5 > 1, 2 > 1, 2.5 > 1, 4 > 1, 4 > 3.
    found = compare([1.5, 2, 2.5, 4], [1, 3, 5, 6])
    assert found.a12 == 5 / 16
    assert found.u == 5
    # No overlap, 4 against 4: the two most extreme of the 70 orders.
    apart = compare([5, 6, 7, 8], [1, 2, 3, 4])
    assert apart.a12 == 1
    assert isclose(apart.p, 2 / 70)
    assert apart.significant
    assert apart.effect is Effect.LARGE


def test_ten_against_ten_without_overlap_is_the_smallest_exact_p() -> None:
    assert isclose(compare(range(10), range(10, 20)).p, 2 / 184756)  # 20 choose 10


def test_equal_sides_show_nothing() -> None:
    found = compare([7, 7, 7], [7, 7])
    assert (found.p, found.a12, found.u) == (1, 0.5, 3)
    assert not found.significant
    assert found.effect is Effect.NEGLIGIBLE


@pytest.mark.parametrize(
    ("larger", "effect"),
    [(50, Effect.NEGLIGIBLE), (57, Effect.SMALL), (43, Effect.SMALL), (65, Effect.MEDIUM), (72, Effect.LARGE)],
)
def test_the_size_of_an_effect(larger: int, effect: Effect) -> None:
    assert compare([1] * larger + [-1] * (100 - larger), [0]).effect is effect


@given(figures, figures)
def test_the_two_sides_mirror_each_other(first: list[int], second: list[int]) -> None:
    one, other = compare(first, second), compare(second, first)
    assert isclose(one.a12 + other.a12, 1)
    assert isclose(one.p, other.p, rel_tol=1e-6)
    assert isclose(one.u, one.a12 * len(first) * len(second))  # two definitions of the same thing
    assert 0 < one.p <= 1


@given(figures, figures, st.integers(1, 5), st.integers(-10, 10))
def test_only_the_order_of_the_figures_counts(first: list[int], second: list[int], scale: int, shift: int) -> None:
    changed = compare([x * scale + shift for x in first], [x * scale + shift for x in second])
    assert changed.a12 == a12(first, second)
    assert isclose(changed.p, compare(first, second).p)
