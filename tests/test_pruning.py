"""Pruning: smaller witnesses for the same features, found on the tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import Bounds, Derivation, measure
from bonsai.budget import Executions
from bonsai.cbgf import METHODS, Cbgf
from bonsai.checkpoint import from_bytes, to_bytes
from bonsai.choices import Draws
from bonsai.corpus import Policy, Rank, size_of
from bonsai.feedback import Saving
from bonsai.pruning import Pruner, prune, smaller
from fakes import FakeTarget
from strategies import bundled, examples, sampler

BOUNDS = Bounds(2, 3, 3)


def fuzzer(subject: str = "blocks", seed: int = 0) -> Cbgf:
    within = sampler(bundled(subject), BOUNDS)
    return Cbgf(within, FakeTarget(), Saving.UNRESTRICTED, METHODS[Policy.SMALLEST], seed)


def fuzzed(subject: str, seed: int) -> Cbgf:
    made = fuzzer(subject, seed)
    made([], Executions(150))
    return made


def ranks(fuzzer: Cbgf) -> list[Rank]:
    return [member.rank for member in fuzzer.corpus.inputs()]


@pytest.mark.slow
@given(st.sampled_from(["blocks", "json", "calc"]), st.integers(0, 30))
@examples(8)
def test_nothing_is_lost_and_no_witness_can_be_taken_apart_any_further(subject: str, seed: int) -> None:
    fuzzer = fuzzed(subject, seed)
    covered, valid = fuzzer.corpus.covered, fuzzer.corpus.covered_by_valid
    total = sum(one.size[0] for one in fuzzer.corpus.inputs())
    witnesses = len(fuzzer.corpus.inputs())
    prune(fuzzer.corpus, fuzzer.sampler, fuzzer.offer)
    assert fuzzer.corpus.covered & covered == covered
    assert fuzzer.corpus.covered_by_valid & valid == valid
    after = fuzzer.corpus.inputs()
    assert sum(one.size[0] for one in after) / len(after) <= total / witnesses
    target = FakeTarget()
    for member in after:
        derivation = Derivation(fuzzer.sampler.grammar, member.choices, member.text)
        for text, _ in smaller(derivation, fuzzer.sampler):
            [execution] = target.execute([text])
            is_valid = execution.outcome.value == "valid"
            assert not fuzzer.corpus.interesting(text, is_valid, execution.features)


@given(st.sampled_from(["blocks", "json", "calc", "minilua"]), st.integers(0, 10**6))
def test_reductions_are_smaller_stay_within_bounds_and_replay(subject: str, seed: int) -> None:
    within = sampler(bundled(subject), BOUNDS)
    text, choices = within.sample(Draws(seed))
    if len(choices) > 300:
        return
    found = smaller(Derivation(within.grammar, tuple(choices), text), within)
    assert found == sorted(found, key=lambda program: size_of(program[0]))
    for reduced, its_choices in found[:30]:
        assert size_of(reduced) < size_of(text)
        assert within.replay(its_choices, Draws(0)) == (reduced, its_choices)
        assert measure(Derivation(within.grammar, tuple(its_choices), reduced)) <= BOUNDS


@given(st.integers(0, 20), st.lists(st.integers(0, 9), min_size=1, max_size=4))
@examples(4)
def test_pruning_that_is_stopped_and_restored_ends_as_if_it_was_not(seed: int, stops: list[int]) -> None:
    straight = fuzzed("blocks", seed)
    prune(straight.corpus, straight.sampler, straight.offer)
    stopped = fuzzed("blocks", seed)
    pruner = Pruner(stopped.corpus, stopped.sampler, stopped.offer)
    for steps in [*stops, 10**6]:
        for _ in range(steps):
            if not pruner.step():
                break
        state = from_bytes(to_bytes(stopped.state(pruner.waiting())))
        stopped = fuzzer()
        stopped.restore(state)
        pruner = Pruner(stopped.corpus, stopped.sampler, stopped.offer)
        pruner.restore(state.members, state.cycle)
    assert ranks(stopped) == ranks(straight)
    assert stopped.tally == straight.tally
