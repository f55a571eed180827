"""The statistics: known values, and what must hold of any figures."""

from itertools import combinations
from math import comb, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.evaluation.statistics import Effect, compare, compare_with, fewest_repetitions, holm, summarise

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
    assert changed.a12 == compare(first, second).a12
    assert isclose(changed.p, compare(first, second).p)


@given(figures, figures)
def test_a12_is_the_share_of_pairs_in_which_the_first_is_larger(first: list[int], second: list[int]) -> None:
    larger = sum((one > other) + (one == other) / 2 for one in first for other in second)
    assert isclose(compare(first, second).a12, larger / (len(first) * len(second)))


few = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(few, few)
def test_p_is_exact_with_and_without_ties(first: list[int], second: list[int]) -> None:
    """By dealing the figures to the two sides in all ways."""

    def distance(one: list[int], other: list[int]) -> float:
        u = sum((x > y) + (x == y) / 2 for x in one for y in other)
        return abs(u - len(one) * len(other) / 2)

    figures = [*first, *second]
    as_far = 0
    for dealt in combinations(range(len(figures)), len(first)):
        one = [figures[place] for place in dealt]
        other = [figures[place] for place in range(len(figures)) if place not in dealt]
        as_far += distance(one, other) >= distance(first, second)
    assert isclose(compare(first, second).p, as_far / comb(len(figures), len(first)))


def test_many_figures_are_compared_by_the_normal_approximation() -> None:
    exact, approximate = compare(range(15), range(5, 20)), compare(range(16), range(5, 21))
    assert isclose(exact.p, approximate.p, rel_tol=0.5)


def test_a_constant_is_compared_with_by_the_sign_test() -> None:
    assert isclose(compare_with([2, 3, 4, 5, 6, 7], 1).p, 2 / 64)
    assert compare_with([2, 3, 4], 1).a12 == 1
    assert compare_with([0, 1, 2], 1).p == 1
    assert compare_with([0, 1, 2], 1).a12 == 0.5
    assert compare_with([1, 1], 1).p == 1
    assert isclose(compare_with([0, 0, 0, 0, 0, 9], 1).p, 2 * 7 / 64)


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.04]) == [0.04]
    found = holm([0.01, 0.04, 0.03, 0.005])
    assert all(isclose(one, other) for one, other in zip(found, [0.03, 0.06, 0.06, 0.02], strict=True))
    assert holm([0.9, 0.8]) == [1, 1]


@given(st.lists(st.floats(0, 1), max_size=8))
def test_what_holm_adjusts_keeps_its_order_and_lies_between_the_raw_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert [one for _, one in pairs] == sorted(adjusted)
    assert all(raw <= one <= min(len(p_values) * raw, 1) for raw, one in pairs)


def test_how_many_repetitions_can_decide_anything() -> None:
    for tests in (1, 4, 12):
        fewest = fewest_repetitions(tests)
        apart = [compare(range(number), range(number, 2 * number)).p for number in (fewest - 1, fewest)]
        assert apart[0] * tests >= 0.05 > apart[1] * tests
