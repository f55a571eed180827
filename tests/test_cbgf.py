"""Algorithm 2: what is saved, what is reproducible, what is survived."""

import gc
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import BonsaiError, Bounds, Derivation, measure
from bonsai.budget import Budget, Executions, Progress
from bonsai.cbgf import ALLOCATIONS, METHODS, Cbgf, _few_collections
from bonsai.choices import Draws
from bonsai.corpus import Input, Policy, Select, filtered, size_of
from bonsai.ending import Ending
from bonsai.feedback import Saving
from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.pools import Lexicon
from bonsai.targets.execution import Execution, Outcome
from fakes import FEATURES, FakeTarget
from strategies import bundled, examples, sampler

BOUNDS = Bounds(2, 2, 2)


def fuzzer(
    target: FakeTarget,
    saving: Saving = Saving.UNRESTRICTED,
    policy: Policy = Policy.SMALLEST,
    seed: object = 1,
    subject: str = "blocks",
) -> Cbgf:
    return Cbgf(sampler(bundled(subject), BOUNDS), target, saving, METHODS[policy], seed)


def grown(target: FakeTarget, saving: Saving, policy: Policy, seed: object = 1, executions: int = 1500) -> Cbgf:
    made = fuzzer(target, saving, policy, seed)
    made([], Executions(executions))
    return made


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("saving", Saving)
def test_same_seed_same_corpus(policy: Policy, saving: Saving) -> None:
    runs = [grown(FakeTarget(), saving, policy, seed) for seed in (7, 7, 8)]
    corpora = [[(one.text, one.choices) for one in run.corpus.inputs()] for run in runs]
    assert corpora[0] == corpora[1]
    assert corpora[0] != corpora[2]


@pytest.mark.parametrize("policy", Policy)
def test_restricted_saves_valid_inputs_only_and_ignores_the_coverage_of_others(policy: Policy) -> None:
    target = FakeTarget()
    run = grown(target, Saving.RESTRICTED, policy)
    assert all(one.valid for one in run.corpus.inputs())
    valid = [execution.features for _, execution in target.executed if execution.outcome is Outcome.VALID]
    covered = 0
    for features in valid:
        covered |= features
    assert run.corpus.covered == covered
    assert any(execution.outcome is Outcome.INVALID for _, execution in target.executed)


@given(st.integers(0, 1000), st.sampled_from(Saving))
@examples(10)
def test_the_selected_corpus_equals_filtering_all_recorded_executions(seed: int, saving: Saving) -> None:
    target = FakeTarget()
    run = grown(target, saving, Policy.SMALLEST, seed, executions=400)
    judged = {
        text: Input(text, (), execution.outcome is Outcome.VALID, execution.features)
        for text, execution in target.executed
        if saving.counts(execution.outcome)
    }
    expected = [one.text for one in filtered(judged.values())]
    assert [one.text for one in run.corpus.selected(Select.VALID_FIRST)] == expected


def test_unrestricted_follows_the_papers_criterion_under_its_policy() -> None:
    target = FakeTarget()
    run = grown(target, Saving.UNRESTRICTED, Policy.PAPER)
    total = by_valid = 0
    expected = []
    for text, execution in target.executed:
        valid = execution.outcome is Outcome.VALID
        if execution.features & ~total or (valid and execution.features & ~by_valid):
            expected.append(text)
        total |= execution.features
        by_valid |= execution.features if valid else 0
    assert [one.text for one in run.corpus.inputs()] == expected


def test_members_replay_and_are_within_bounds() -> None:
    run = grown(FakeTarget(), Saving.UNRESTRICTED, Policy.SMALLEST)
    for one in run.corpus.inputs():
        assert run.sampler.replay(one.choices, Draws(0)) == (one.text, list(one.choices))
        assert measure(Derivation(run.sampler.grammar, one.choices, one.text)) <= BOUNDS


def test_no_text_is_executed_twice_but_for_the_stability_check() -> None:
    target = FakeTarget()
    run = grown(target, Saving.UNRESTRICTED, Policy.SMALLEST)
    executed = [text for text, _ in target.executed]
    assert len(executed) > len(set(executed))
    assert len(set(executed)) == run.tally.executions
    assert run.tally.generated == run.tally.executions + run.tally.duplicates


def test_seeds_are_executed_first_and_kept_if_they_deserve_it() -> None:
    first = grown(FakeTarget(), Saving.UNRESTRICTED, Policy.SMALLEST)
    seeds = [one.choices for one in first.corpus.inputs()]
    second = fuzzer(FakeTarget(), seed=2)
    second(seeds, Executions(len(seeds)))
    assert [one.text for one in second.corpus.inputs()] == [one.text for one in first.corpus.inputs()]


def test_findings_are_recorded_deduplicated_and_never_enter_the_corpus() -> None:
    target = FakeTarget(crashes="while")
    run = grown(target, Saving.UNRESTRICTED, Policy.SMALLEST)
    [finding] = run.findings.values()
    crashed = [text for text, execution in target.executed if execution.outcome is Outcome.CRASH]
    assert finding.times == len(crashed) > 1
    assert finding.text == min(crashed, key=size_of)
    assert all("while" not in one.text for one in run.corpus.inputs())
    assert run.corpus.inputs()


def test_unstable_features_are_reported_and_not_counted() -> None:
    run = grown(FakeTarget(unstable=True), Saving.UNRESTRICTED, Policy.SMALLEST)
    assert run.tally.unstable >> (FEATURES - 1) & 1
    assert not run.corpus.covered >> (FEATURES - 1) & 1


def test_a_target_that_parses_nothing_stops_the_run() -> None:
    with pytest.raises(BonsaiError, match="does not parse"):
        fuzzer(FakeTarget(unparsed=True))([], Executions(5000))


def test_a_target_that_judges_nothing_stops_the_run_soon() -> None:
    dead = fuzzer(FakeTarget(crashes=""))
    with pytest.raises(BonsaiError, match=r"none of \d+ inputs is judged"):
        dead([], Executions(5000))
    assert dead.tally.executions < 1000
    seeded = fuzzer(FakeTarget(crashes=""))
    seeded(grown(FakeTarget(), Saving.UNRESTRICTED, Policy.SMALLEST).corpus.inputs(), Executions(1000))
    assert seeded.tally.executions == 1000


class Never:
    """A budget that never runs out."""

    def left(self, progress: Progress) -> None:
        return None

    def exhausted(self, progress: Progress) -> Ending | None:
        return None


def test_an_interruption_leaves_the_corpus_as_it_is() -> None:
    made = fuzzer(FakeTarget())
    visits = 0

    def interrupt(_: Cbgf) -> None:
        nonlocal visits
        visits += 1
        if visits == 20:
            raise KeyboardInterrupt

    never: Budget = Never()
    with pytest.raises(KeyboardInterrupt):
        made([], never, interrupt)
    assert made.corpus.inputs()
    assert made.growth[-1].covered == made.corpus.covered.bit_count()


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("number", [1, 10, 100, 777])
def test_a_number_of_executions_is_kept_to(policy: Policy, number: int) -> None:
    run = fuzzer(FakeTarget(), policy=policy)
    run([], Executions(number))
    assert run.tally.executions == number
    assert len(run._seen) == number  # what was not executed is not known


def test_a_finding_of_the_stability_check_is_recorded() -> None:
    class Moody(FakeTarget):
        """Crashes on what it has seen before."""

        def _execute(self, text: str) -> Execution:
            known = any(one == text for one, _ in self.executed)
            return Execution(Outcome.CRASH, message="again?") if known else super()._execute(text)

    run = fuzzer(Moody())
    run([], Executions(50))
    [finding] = run.findings.values()
    assert finding.message == "again?"
    assert not run.corpus.inputs()


@pytest.mark.parametrize("policy", Policy)
def test_attempts_without_a_child_count_where_there_is_only_one_program(policy: Policy) -> None:
    grammar = read_lark_text("start: NAME\nNAME: /[ab]/\n", lexicon=Lexicon({"NAME": ("a", "b")}))
    made = Cbgf(sampler(grammar, Bounds(1, 1, 1)), FakeTarget(), Saving.UNRESTRICTED, METHODS[policy], 0)
    assert made([], Executions(50)) is Ending.EXHAUSTED
    assert made.tally.executions == 1
    energy = METHODS[policy].energy(made.corpus.inputs()[0], made.corpus, 0.0)
    assert made.tally.visits <= 20 * 50 / energy + 1


def test_a_space_that_is_used_up_ends_the_run() -> None:
    made = Cbgf(
        sampler(bundled("json"), Bounds(1, 1, 1)),
        FakeTarget(),
        Saving.UNRESTRICTED,
        METHODS[Policy.SMALLEST],
        0,
    )
    assert made([], Executions(1000)) is Ending.EXHAUSTED


@given(st.lists(st.integers(0, 4), max_size=20))
def test_the_collector_is_as_before_when_the_last_of_several_threads_is_done(steps: list[int]) -> None:
    """Threads of one process begin and end their loops in any order; each step lets one of them begin or end."""
    before = gc.get_threshold()
    running: set[int] = set()
    for thread in [*steps, *range(5)]:
        if thread in running:
            running.remove(thread)
            _few_collections.__exit__(None, None, None)
        elif len(running) < 5:
            running.add(thread)
            _few_collections.__enter__()
        assert gc.get_threshold()[0] == (ALLOCATIONS if running else before[0])
    for _ in running:
        _few_collections.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_the_collector_is_as_before_after_threads_that_overlap() -> None:
    before = gc.get_threshold()
    begun, first_is_done = Event(), Event()

    def first() -> None:
        with _few_collections:
            assert begun.wait(10)
        first_is_done.set()

    def second() -> None:
        with _few_collections:
            begun.set()
            assert first_is_done.wait(10)
            assert gc.get_threshold()[0] == ALLOCATIONS

    threads = [Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == before
