from hypothesis import given
from hypothesis import strategies as st

from bonsai.report.distribution import POINTS, distribution, grid


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=50))
def test_a_density_is_at_most_one_and_highest_somewhere(sizes: list[int]) -> None:
    at = grid(sizes)
    found = distribution("some", sizes, at)
    assert len(found.density) == len(at) == POINTS
    assert at[0] == 1
    assert at[-1] > max(sizes)
    assert max(found.density) == 1
    assert min(found.density) >= 0
    assert found.largest == max(sizes)


def test_the_density_is_high_where_the_tests_are() -> None:
    sizes = [10] * 20 + [1000]
    at = grid(sizes)
    density = distribution("some", sizes, at).density
    highest = at[density.index(1)]
    assert 8 < highest < 12.5
