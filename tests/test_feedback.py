"""What counts, what recurs, and how much is still to come."""

from hypothesis import given
from hypothesis import strategies as st

from bonsai.choices import Draws
from bonsai.feedback import Discovery, Saving, recurring
from bonsai.targets.execution import Execution, Outcome


def test_restricted_counts_valid_inputs_only() -> None:
    assert [o for o in Outcome if Saving.RESTRICTED.counts(o)] == [Outcome.VALID]
    assert [o for o in Outcome if Saving.UNRESTRICTED.counts(o)] == [Outcome.VALID, Outcome.INVALID]


def test_what_does_not_recur_is_unstable() -> None:
    stable = recurring(Execution(Outcome.VALID, 0b0111), Execution(Outcome.VALID, 0b1101))
    assert (stable.features, stable.unstable) == (0b0101, 0b1010)
    other = recurring(Execution(Outcome.VALID, 0b01), Execution(Outcome.INVALID, 0b01))
    assert (other.features, other.unstable) == (0, 0b01)


@given(st.lists(st.integers(0, 255), max_size=40), st.integers(0, 20))
def test_the_estimate_is_the_share_of_features_seen_once(masks: list[int], repeats: int) -> None:
    discovery = Discovery()
    for mask in masks:
        discovery.observe(mask)
    discovery.observe_repeats(repeats)
    once = sum(sum(mask >> bit & 1 for mask in masks) == 1 for bit in range(8))
    number = len(masks) + repeats
    assert discovery.residual == (min(1.0, once / number) if number else 1.0)


def test_the_estimate_converges_to_the_chance_of_something_new() -> None:
    """Features with geometric probabilities: the estimate is near the true missing mass."""
    draws, discovery, seen = Draws(1), Discovery(), set()
    chances = [0.5**k for k in range(1, 30)]
    for _ in range(2000):
        [feature] = draws.choices(range(29), chances)
        seen.add(feature)
        discovery.observe(1 << feature)
    missing = sum(chance for feature, chance in enumerate(chances) if feature not in seen)
    assert abs(discovery.residual - missing) < 0.005
