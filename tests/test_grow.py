"""Algorithm 3: order, seeds, reproducibility, and that nothing depends on how it is run."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bonsai
from bonsai import Bounds
from bonsai.budget import Auto, Executions, NodeBudget
from bonsai.cbgf import METHODS, Cbgf, Pruning
from bonsai.checkpoint import Stored, to_bytes
from bonsai.choices import Draws
from bonsai.corpus import Input, Policy, Select, bits, filtered, mask_of, size_of
from bonsai.dedup import Dedup
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow import Earlier, Growing, features_of
from bonsai.grow_settings import GrowSettings, Reach
from bonsai.grow_tasks import PRUNE, FuzzNode, Plan, covered_by, key_of, node_of, sort_by_size
from bonsai.lattice import Kind, Lattice, Node
from bonsai.session import begin, resume
from bonsai.store import Failure, RunStore
from bonsai.targets.execution import Outcome
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Started, Task
from bonsai.workers.workshop import Workshop
from fakes import FakeTarget
from made_subjects import ambiguous_subject, json_subject
from strategies import bundled, examples, sampler

UPPER = Bounds(2, 2, 1)


@pytest.fixture
def subject(tmp_path: Path) -> bonsai.Subject:
    return json_subject(tmp_path / "subject")


class FakeWorkshop(Workshop):
    """Without a process."""

    def __init__(self, subject: bonsai.Subject) -> None:
        super().__init__(subject)
        self.fake = FakeTarget()

    @property
    def target(self) -> FakeTarget:
        return self.fake


class InProcess:
    """Workers without processes; checkpoints are kept, and `most` says how many tasks run before it stops."""

    slots = 1

    def __init__(self, subject: str = "blocks", most: int = 10**9, keep: int = 10**9) -> None:
        self.workshop = FakeWorkshop(bonsai.load_subject(subject))
        self.results: dict[str, object] = {}
        self.waiting: dict[str, tuple[Task, Sequence[str]]] = {}
        self.kept: list[Kept] = []
        self._most = most
        self._keep = keep
        self._asked = 0

    def provide(self, key: str, result: object) -> None:
        self.results[key] = result

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        assert all(before in self.results or before in self.waiting for before in after), key
        self.waiting[key] = task, after

    def events(self, patience: float) -> Iterator[Event | None]:
        while self.waiting:
            key, (task, after) = next(iter(self.waiting.items()))
            del self.waiting[key]
            yield Started(key)
            self._asked = 0
            self._key = key
            self.results[key] = task(self.workshop, [self.results[before] for before in after], self)
            yield from self.kept
            self.kept.clear()
            yield Finished(key, self.results[key])
            self._most -= 1

    def tell(self, news: object) -> None: ...

    def keep(self, state: bytes) -> None:
        self.kept.append(Kept(self._key, state))

    def now(self) -> float:
        return time()

    def stopping(self) -> bool:
        self._asked += 1
        return self._most <= 0 and self._asked > self._keep

    def stop(self) -> None:
        self.waiting.clear()

    def close(self) -> None: ...


class Memory:
    """A journal."""

    def __init__(self) -> None:
        self.saved: dict[str, Stored] = {}
        self.checkpoints: dict[str, bytes] = {}
        self.notes: list[str] = []

    def save(self, task: str, ending: Ending, state: bytes, reason: str = "") -> None:
        self.saved[task] = Stored(ending, state, reason)
        self.checkpoints.pop(task, None)

    def checkpoint(self, task: str, state: bytes) -> None:
        self.checkpoints[task] = state
        if task in self.saved and self.saved[task].ending.is_final:
            del self.saved[task]

    def earlier(self) -> Earlier:
        return Earlier(dict(self.saved), dict(self.checkpoints))

    def note(self, seconds: float, text: str) -> None:
        self.notes.append(text)


def plan(
    upper: Bounds = UPPER,
    kind: Kind = Kind.EXTENDED,
    policy: Policy = Policy.SMALLEST,
    budget: NodeBudget | None = None,
    shards: int = 1,
) -> Plan:
    return Plan(Lattice(upper, kind), METHODS[policy], budget or Executions(150), 7, shards)


def grown(
    made: Plan,
    workers: InProcess | None = None,
    earlier: Earlier | None = None,
    journal: Memory | None = None,
) -> Growing:
    growing = Growing(made, workers or InProcess(), journal or Memory(), earlier or Earlier())
    growing.grow(lambda growing: None)
    return growing


def texts(inputs: Sequence[Input]) -> list[str]:
    return [one.text for one in inputs]


def everything(growing: Growing) -> dict[str, object]:
    """What two equal runs agree on, whatever the order in which their tasks ended."""
    return {
        "corpus": [member.rank for member in growing.grown().inputs()],
        "curve": [replace(point, seconds=0) for point in growing.curve()],
        "results": {
            key: (result.ending, [member.rank for member in result.state.members], result.state.tally)
            for key, result in growing.results.items()
        },
        "new": growing.new,
        "complete": growing.complete,
    }


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("policy", Policy)
def test_seeds_are_the_predecessors_corpora_smallest_first(
    kind: Kind, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted: list[list[Input]] = []
    plant = Cbgf.plant

    def recording(fuzzer: Cbgf, seeds: Sequence[Input]) -> None:
        planted.append(list(seeds))
        plant(fuzzer, seeds)

    monkeypatch.setattr(Cbgf, "plant", recording)
    made = plan(kind=kind, policy=policy)
    growing = grown(made)
    assert list(growing.results) == [str(node) for node in made.lattice.nodes()]
    for node, seeds in zip(made.lattice.nodes(), planted, strict=True):
        below = [growing.results[str(other)] for other in made.lattice.predecessors(node)]
        assert texts(seeds) == sorted({text for one in below for text in texts(one.state.members)}, key=size_of)
        members = growing.results[str(node)].state.members
        covered = mask_of(bit for member in members for bit in bits(member.features))
        assert all(seed.features & ~covered == 0 for seed in seeds), node
        assert members
        if node.saving is Saving.RESTRICTED:
            assert all(member.valid for member in members)
        if not below:
            assert seeds == []


def test_of_equal_texts_the_one_with_the_smallest_choices_is_a_seed() -> None:
    members = [Input("a", (2,), True, 1), Input("a", (1, 5), True, 1), Input("", (3,), True, 1)]
    for order in permutations(members):
        assert [(member.text, member.choices) for member in sort_by_size(order)] == [("", (3,)), ("a", (1, 5))]


def test_the_corpus_equals_filtering_everything_that_was_executed_and_judged() -> None:
    workers = InProcess()
    growing = grown(plan(), workers)
    judged = {
        text: Input(text, (), execution.outcome is Outcome.VALID, execution.features)
        for text, execution in workers.workshop.fake.executed
        if execution.outcome in (Outcome.VALID, Outcome.INVALID)
    }
    expected = filtered(judged.values())
    # What restricted nodes ignored as invalid counts only if an unrestricted one came across it again.
    assert [one.text for one in expected if one.valid] == [
        one.text for one in growing.grown().selected(Select.VALID_FIRST) if one.valid
    ]


@pytest.mark.parametrize("kind", Kind)
def test_what_ancestors_have_judged_is_not_executed_again(kind: Kind) -> None:
    workers = InProcess()
    growing = Growing(plan(kind=kind), workers, Memory(), Earlier())
    executed: dict[Node, list[tuple[str, Outcome]]] = {}
    ends = [0]

    def watch(growing: Growing) -> None:
        if len(growing.results) > len(executed):
            target = workers.workshop.fake
            executed[list(growing.results.values())[-1].node] = [
                (text, execution.outcome) for text, execution in target.executed[ends[-1] :]
            ]
            ends.append(len(target.executed))

    growing.grow(watch)
    again = 0
    for node, texts_here in executed.items():
        here = [text for text, _ in texts_here]
        assert max(map(here.count, here)) <= 2, "what is saved is executed once more"
        for other, texts_there in executed.items():
            if other < node:
                repeated = {outcome for text, outcome in texts_there if text in here}
                assert not repeated or (node.saving, other.saving) == (Saving.UNRESTRICTED, Saving.RESTRICTED)
                assert repeated <= {Outcome.INVALID}, "only what a restricted fuzzer has ignored"
                again += len(repeated)
    assert bool(again) == (kind is Kind.EXTENDED)


def test_shards_start_from_the_same_seeds_and_share_the_budget() -> None:
    made = plan(shards=3)
    growing = grown(made)
    assert set(growing.results) == {key_of(node, s) for node in made.lattice.nodes() for s in range(3)}
    for result in growing.results.values():
        assert result.state.tally.executions <= 50
    top = [growing.results[key_of(made.lattice.top, shard)] for shard in range(3)]
    assert len({tuple(texts(one.state.members)) for one in top}) > 1


@given(st.integers(0, 4), st.integers(1, 6), st.sampled_from(Policy), st.sampled_from([1, 2]))
@examples(6)
def test_a_run_that_is_stopped_and_resumed_ends_as_one_that_is_not(
    most: int, asked: int, policy: Policy, shards: int
) -> None:
    made = plan(Bounds(2, 1, 1), policy=policy, budget=Executions(100), shards=shards)
    straight = grown(made)
    journal = Memory()
    stopped = Growing(made, InProcess(most=most, keep=asked), journal, Earlier())
    stopped.grow(lambda growing: stopped.stop() if len(growing.results) > most else None)
    done = {key: result for key, result in stopped.results.items() if result.ending.is_final}
    assert set(journal.saved) == set(done)
    resumed = grown(made, earlier=journal.earlier())
    assert everything(resumed) == everything(straight)


def test_with_a_deadline_every_node_gets_its_share_of_what_is_left() -> None:
    made = replace(plan(Bounds(3, 3, 3)), deadline=1000.0, slots=2)
    bottom, top = made.lattice.bottom, made.lattice.top
    assert made.share_of(bottom, now=1001.0) == 0
    assert [made.share_of(node, now=730.0) for node in (bottom, top)] == [10, 270]
    assert replace(made, slots=1000).share_of(bottom, now=730.0) == 270 / 8
    assert replace(made, deadline=None).share_of(bottom, now=730.0) is None


def test_seeds_from_outside_are_planted_in_their_node() -> None:
    within = sampler(bundled("blocks"), Bounds(1, 1, 1))

    text, choices = within.sample(Draws(3))
    node = Node(Bounds(1, 1, 1), Saving.UNRESTRICTED)
    made = replace(plan(), planted={node: (tuple(choices),)})
    workers = InProcess()
    FuzzNode(made, node, 0)(workers.workshop, [], workers)
    assert workers.workshop.fake.executed[0][0] == text


class Unlucky(InProcess):
    """Workers on which a task fails: in the task itself, or because its worker dies too often."""

    def __init__(self, victim: str, times: int = 1, inside: bool = True) -> None:
        super().__init__()
        self._victim, self._times, self._inside = victim, times, inside

    def events(self, patience: float) -> Iterator[Event | None]:
        for event in super().events(patience):
            self.workshop.fake.lost_after = None
            match event:
                case Started(key) if key == self._victim and self._times and self._inside:
                    self._times -= 1
                    self.workshop.fake.lost_after = 3
                    yield event
                case Finished(key) if key == self._victim and self._times and not self._inside:
                    self._times -= 1
                    del self.results[key]
                    yield Failed(key, BonsaiError("its worker ended, 5 times", "is there enough memory?"))
                case _:
                    yield event


VICTIM = "(1,2,1,r)"


def small_plan() -> Plan:
    return plan(Bounds(1, 2, 1), budget=Executions(80))


@pytest.mark.parametrize("inside", [True, False])
def test_a_node_that_fails_is_a_result_and_the_others_go_on(inside: bool) -> None:
    journal = Memory()
    growing = Growing(small_plan(), Unlucky(VICTIM, inside=inside), journal, Earlier())
    growing.grow(lambda growing: None)
    growing.prune(lambda growing: None)
    assert growing.results[VICTIM].ending is Ending.FAILED
    assert ("the target is gone" if inside else "5 times") in growing.results[VICTIM].reason
    others = {key: result for key, result in growing.results.items() if key != VICTIM}
    assert set(others) == {"prune", *map(str, growing.plan.lattice.nodes())} - {VICTIM}
    assert all(result.ending.is_final for result in others.values())
    assert not growing.complete
    assert growing.grown().inputs()


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("victim", [VICTIM, "(1,1,1,r)", "(1,2,1,u)", "prune"])
def test_a_node_that_failed_is_tried_again_and_the_end_is_as_without_the_failure(victim: str, inside: bool) -> None:
    journal = Memory()
    failing = Growing(small_plan(), Unlucky(victim, inside=inside), journal, Earlier())
    straight = grown(small_plan())
    straight.prune(lambda growing: None)
    failing.grow(lambda growing: None)
    failing.prune(lambda growing: None)
    assert not failing.complete
    again = Growing(small_plan(), InProcess(), journal, journal.earlier())
    again.grow(lambda growing: None)
    again.prune(lambda growing: None)
    assert everything(again) == everything(straight)
    assert again.complete


def test_what_was_found_before_counts_until_the_failed_node_is_done() -> None:
    journal = Memory()
    failing = Growing(small_plan(), Unlucky("(1,1,1,r)", inside=False), journal, Earlier())
    failing.grow(lambda growing: None)
    before = failing.grown().covered
    resumed = Growing(small_plan(), InProcess(), journal, journal.earlier())
    resumed.grow(lambda growing: growing.stop())
    assert not resumed.complete
    assert len(resumed.results) < len(failing.results)
    assert before & ~resumed.grown().covered == 0
    third = Growing(small_plan(), InProcess(), journal, journal.earlier())
    third.grow(lambda growing: None)
    assert everything(third) == everything(grown(small_plan()))


def stopped_at_once(made: Plan, journal: Memory) -> Growing:
    """A further session, of which nothing but its first event is left."""
    session = Growing(made, InProcess(), journal, journal.earlier())
    session.grow(lambda growing: growing.stop())
    session.prune(lambda growing: None)
    return session


@pytest.mark.parametrize("policy", Policy)
def test_if_the_top_fails_what_the_others_have_found_is_the_corpus(policy: Policy) -> None:
    made = replace(small_plan(), method=METHODS[policy])
    growing = Growing(made, Unlucky("(1,2,1,u)", inside=False), Memory(), Earlier())
    growing.grow(lambda growing: None)
    assert not growing.results["(1,2,1,u)"].state.members
    assert growing.grown().covered == covered_by(growing.results.values()) != 0


def test_what_pruning_has_found_counts_in_a_session_that_does_not_come_to_it() -> None:
    journal = Memory()
    first = Growing(small_plan(), Unlucky("(1,1,1,u)"), journal, Earlier())
    first.grow(lambda growing: None)
    unpruned = [member.rank for member in first.grown().inputs()]
    first.prune(lambda growing: None)
    pruned = [member.rank for member in first.grown().inputs()]
    assert pruned != unpruned
    second = stopped_at_once(small_plan(), journal)
    assert PRUNE not in second.results
    assert [member.rank for member in second.grown().inputs()] == pruned


def test_what_was_found_beyond_raised_bounds_counts_in_a_session_that_does_not_come_to_them() -> None:
    journal = Memory()
    lower = plan(Bounds(1, 1, 1), budget=Executions(80))
    first = Growing(lower, InProcess(), journal, Earlier())
    first.grow(lambda growing: None)
    few = first.grown().covered
    first.raise_to(Bounds(1, 2, 1), lambda growing: None)
    before = first.grown().covered
    assert few != before
    bottom = str(lower.lattice.bottom)
    journal.checkpoint(bottom, journal.saved[bottom].state)  # as if it had run out of time
    assert stopped_at_once(lower, journal).grown().covered == before


@pytest.mark.parametrize("shard", [0, 1, 12])
def test_a_node_is_known_by_the_name_of_its_task(shard: int) -> None:
    for node in Lattice(Bounds(2, 12, 1)).nodes():
        assert node_of(key_of(node, shard)) == node
    assert node_of(PRUNE) is None


@pytest.mark.parametrize(("share", "goes_on"), [(0.0, False), (60.0, True)])
def test_the_time_of_earlier_sessions_is_not_charged_to_a_node_that_goes_on(share: float, goes_on: bool) -> None:
    class Frozen(InProcess):
        """Workers whose clock says that so many seconds are left."""

        def now(self) -> float:
            return 1000.0 - share

    made = replace(plan(Bounds(1, 1, 1), Kind.PLAIN, budget=Executions(40)), deadline=1000.0)
    node, workers = made.lattice.top, Frozen()
    assert made.share_of(node, workers.now()) == share
    stopped = FuzzNode(replace(made, budget=Executions(10), deadline=None), node, 0)(workers.workshop, [], workers)
    state = to_bytes(replace(stopped.state, seconds=5000.0))
    result = FuzzNode(made, node, 0, state)(workers.workshop, [], workers)
    assert result.ending is (Ending.FINISHED if goes_on else Ending.OUT_OF_TIME)
    assert result.state.tally.executions == (40 if goes_on else 10)
    assert result.state.seconds >= 5000


def test_nodes_that_were_cut_short_go_on_with_what_their_predecessors_find_now() -> None:
    journal = Memory()
    late = replace(plan(), deadline=0.0)
    first = Growing(late, InProcess(), journal, Earlier())
    first.grow(lambda growing: None)
    assert {result.ending for result in first.results.values()} == {Ending.OUT_OF_TIME}
    assert not first.complete
    assert not journal.saved
    second = Growing(plan(), InProcess(), journal, journal.earlier())
    second.grow(lambda growing: None)
    assert {result.ending for result in second.results.values()} <= {Ending.FINISHED, Ending.EXHAUSTED}
    assert second.executions > 5 * first.executions
    for node in second.plan.lattice.nodes():
        covered = covered_by([second.results[str(node)]])
        seeds = [second.results[str(below)] for below in second.plan.lattice.predecessors(node)]
        assert covered_by(seeds) & ~covered == 0


def test_a_node_that_was_done_is_opened_again_if_its_predecessors_were_not() -> None:
    journal = Memory()
    grown(plan(), InProcess(), journal=journal)
    bottom = str(plan().lattice.bottom)
    journal.checkpoint(bottom, journal.saved[bottom].state)
    again = Growing(plan(budget=Executions(300)), InProcess(), journal, journal.earlier())
    again.grow(lambda growing: None)
    finished = [result for result in again.results.values() if result.ending is Ending.FINISHED]
    assert {result.state.tally.executions for result in finished} == {300}
    assert not journal.checkpoints


def test_shares_of_the_time_are_by_the_clock_of_the_one_who_submits() -> None:
    class Elsewhere(InProcess):
        """Workers on a machine whose clock is a long time ahead."""

        def now(self) -> float:
            return time() - 10_000

    late = replace(small_plan(), deadline=time() - 5_000)
    growing = grown(late, Elsewhere())
    assert all(result.ending.is_final for result in growing.results.values())


def test_results_of_other_tasks_than_those_of_the_lattice_do_not_matter_to_a_stopped_session() -> None:
    journal = Memory()
    grown(small_plan(), journal=journal)
    journal.save("mutants/1/survey", Ending.FINISHED, b'{"kind": "survey"}')
    stopped = Growing(small_plan(), InProcess(), journal, journal.earlier())
    stopped.grow(lambda growing: growing.stop())
    assert "mutants/1/survey" not in [task.key for task in stopped.known()]


def test_checkpoints_of_running_tasks_count_if_the_run_is_given_up() -> None:
    class Doomed(InProcess):
        def events(self, patience: float) -> Iterator[Event | None]:
            for event in super().events(patience):
                if isinstance(event, Finished):
                    raise BonsaiError("all workers are gone", "start some")
                yield event

    growing = Growing(replace(small_plan(), keep_every=0.0), Doomed(), Memory(), Earlier())
    with pytest.raises(BonsaiError, match="all workers are gone"):
        growing.grow(lambda growing: None)
    growing.give_up(BonsaiError("all workers are gone", "start some"))
    assert not growing.results
    assert growing.grown().inputs()
    assert not growing.complete


def test_an_error_of_the_workers_ends_the_run_with_what_was_found(subject: bonsai.Subject) -> None:
    class Doomed(LocalWorkers):
        def events(self, patience: float) -> Iterator[Event | None]:
            for number, event in enumerate(super().events(patience)):
                yield event
                if number == 30:
                    raise BonsaiError("the scheduler is gone", "start it again")

    workers = Doomed(subject, 2)
    try:
        session, _ = begin(subject, GrowSettings(Bounds(2, 2, 2), budget=Executions(60)), workers, None)
        run = session.grow()
    finally:
        workers.close()
    assert run.corpus
    assert run.asked["complete"] is False
    assert run.failures == [Failure("run", "the scheduler is gone (start it again)")]


# --- with processes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", Policy)
def test_a_run_is_the_same_with_any_number_of_jobs(tmp_path: Path, policy: Policy) -> None:
    subject = ambiguous_subject(tmp_path)
    wanted = GrowSettings(Bounds(2, 2, 2), budget=Executions(40), seed=7, policy=policy)
    runs = [bonsai.grow(subject, wanted, jobs=jobs) for jobs in (1, 3)]
    first, second = (
        (
            [member.rank for member in run.corpus],
            [replace(node, seconds=0) for node in run.nodes],
            [replace(point, seconds=0) for point in run.growth],
            run.findings,
            {**run.asked, "jobs": None},
        )
        for run in runs
    )
    assert first == second
    assert runs[0].findings


def test_a_grown_corpus_is_small_and_covers_what_there_is(subject: bonsai.Subject, tmp_path: Path) -> None:
    run = bonsai.grow(
        subject, GrowSettings(Bounds(2, 2, 2), budget=Auto(quiet=200, quiet_per_member=5)), tmp_path / "out", 2
    )
    assert run.covered.bit_count() >= len(run.features) - 1, run.features
    found = texts(run.corpus)
    assert {"null", "true", '"b"', "[[]]"} <= set(found)
    summary = json.loads((tmp_path / "out/run.json").read_text())
    assert summary["complete"] is True
    assert len(summary["nodes"]) == 16
    assert summary["corpus"]["mean_size"] < 8


def test_the_names_of_features_come_from_the_target(subject: bonsai.Subject) -> None:
    workers = LocalWorkers(subject, 1)
    try:
        assert all(name.startswith("driver:") for name in features_of(workers))
    finally:
        workers.close()


def test_without_dedup_what_was_executed_is_executed_again(subject: bonsai.Subject) -> None:
    settings = GrowSettings(Bounds(1, 2, 1), budget=Executions(100))
    run, without = (bonsai.grow(subject, replace(settings, dedup=dedup)) for dedup in Dedup)
    assert sum(node.duplicates for node in run.nodes) > 0
    assert sum(node.duplicates for node in without.nodes) == 0
    assert without.covered == run.covered


def test_without_pruning_tests_are_larger(subject: bonsai.Subject) -> None:
    settings = GrowSettings(Bounds(2, 3, 3), Reach.FIXED, Kind.PLAIN, budget=Executions(3))
    pruned, unpruned = (bonsai.grow(subject, replace(settings, pruning=one)) for one in Pruning)
    assert unpruned.covered & ~pruned.covered == 0
    sizes = [sum(test.size[0] for test in run.corpus) / len(run.corpus) for run in (pruned, unpruned)]
    assert sizes[0] < sizes[1]


def test_mutators_that_are_named_are_the_only_ones(subject: bonsai.Subject) -> None:
    settings = GrowSettings(Bounds(1, 1, 1), budget=Executions(20), mutators=("splice", "hoist"))
    assert list(settings.method().mutators) == ["splice", "hoist"]
    run = bonsai.grow(subject, settings)
    assert run.asked["mutators"] == ["splice", "hoist"]


def test_a_target_that_is_changed_during_a_run_spoils_its_results(subject: bonsai.Subject, tmp_path: Path) -> None:
    out, settings = tmp_path / "out", GrowSettings(Bounds(1, 2, 1), budget=Executions(40))
    straight = bonsai.grow(subject, settings)
    driver = subject.folder / "driver.py"
    original = driver.read_text()

    def edit(growing: Growing) -> None:
        if len(growing.results) == 2:
            driver.write_text(f"{original}\nCHANGED = True\n")

    run = bonsai.grow(subject, settings, out, watch=edit)
    assert run.asked["complete"] is False
    [failure] = run.failures
    assert failure.task == "run"
    assert "driver.py changed while the run was going on" in failure.reason
    driver.write_text(original)
    with RunStore.open(out) as store, closing(LocalWorkers(subject, 1)) as workers:
        again = resume(store, subject, settings, workers).grow()
    assert again.asked["complete"] is True
    assert not again.failures
    assert [test.rank for test in again.corpus] == [test.rank for test in straight.corpus]
