"""A fuzzer that is stopped between two visits, written down and read again, goes on as it would have."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import Bounds
from bonsai.budget import Executions, Progress
from bonsai.cbgf import METHODS, Cbgf, State
from bonsai.checkpoint import from_bytes, to_bytes
from bonsai.corpus import Input, Policy
from bonsai.dedup import Seen
from bonsai.ending import Ending
from bonsai.feedback import Saving
from fakes import FakeTarget
from strategies import bundled, examples, sampler

BUDGET = Executions(400)


class Visits:
    """A number of visits, within the budget."""

    def __init__(self, number: int) -> None:
        self._left = number

    def left(self, progress: Progress) -> int | None:
        return BUDGET.left(progress)

    def exhausted(self, progress: Progress) -> Ending | None:
        self._left -= 1
        return Ending.INTERRUPTED if self._left < 0 else BUDGET.exhausted(progress)


def fuzzer(policy: Policy, saving: Saving, generation: int) -> Cbgf:
    within = sampler(bundled("blocks"), Bounds(2, 2, 2))
    target = FakeTarget(crashes="while", unstable=True)
    return Cbgf(within, target, saving, METHODS[policy], 5, Seen(generation=generation))


def timeless(state: State) -> tuple[object, ...]:
    """What two equal runs agree on, in a form that can be compared."""
    return (
        [(one.text, one.choices, one.valid, one.features) for one in state.members],
        [replace(point, seconds=0) for point in state.growth],
        *(getattr(state, name) for name in ("cycle", "novelty", "seen", "tally", "discovery", "findings")),
    )


@given(
    st.sampled_from(Policy),
    st.sampled_from(Saving),
    st.lists(st.integers(0, 12), max_size=4),
    st.sampled_from([40, 1000]),
)
@examples(15)
def test_interruptions_change_nothing(policy: Policy, saving: Saving, stops: list[int], generation: int) -> None:
    straight = fuzzer(policy, saving, generation)
    straight([], BUDGET)
    running = fuzzer(policy, saving, generation)
    running.plant([])
    for visits in stops:
        running.run(Visits(visits))
        written = to_bytes(running.state())
        running = fuzzer(policy, saving, generation)
        running.restore(from_bytes(written))
    running.run(BUDGET)
    assert timeless(running.state()) == timeless(straight.state())


@given(st.sampled_from(Policy), st.sampled_from(Saving), st.integers(0, 6))
@examples(10)
def test_adopting_the_seeds_that_it_was_planted_with_changes_nothing(
    policy: Policy, saving: Saving, visits: int
) -> None:
    first = fuzzer(policy, Saving.UNRESTRICTED, 1000)
    first([], Executions(100))
    seeds = first.corpus.inputs()
    running = fuzzer(policy, saving, 1000)
    running.plant(seeds)
    running.run(Visits(visits))
    before = timeless(running.state())
    running.adopt(seeds)
    assert timeless(running.state()) == before


def test_a_target_may_have_any_number_of_features() -> None:
    made = fuzzer(Policy.SMALLEST, Saving.UNRESTRICTED, 1000)
    everything = (1 << 60_000) - 1
    made.corpus.add(Input("x", (), True, everything))
    made.tally.unstable = made.discovery.once = made.discovery.twice = everything
    state = from_bytes(to_bytes(made.state()))
    assert state.members[0].features == everything
    assert (state.tally, state.discovery) == (made.tally, made.discovery)


def test_states_that_are_read_share_their_inputs() -> None:
    made = fuzzer(Policy.SMALLEST, Saving.UNRESTRICTED, 1000)
    made([], Executions(50))
    one, other = (from_bytes(to_bytes(made.state())) for _ in range(2))
    assert one.members
    assert all(a is b for a, b in zip(one.members, other.members, strict=True))


@pytest.mark.parametrize("text", ["\ud800", "\x00", "</script>"])
def test_any_text_survives(text: str) -> None:
    made = fuzzer(Policy.SMALLEST, Saving.UNRESTRICTED, 1000)
    made.unparsed = text
    assert from_bytes(to_bytes(made.state())).unparsed == text
