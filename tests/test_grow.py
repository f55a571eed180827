"""Algorithm 3: order, seeds, reproducibility, and that nothing depends on how it is run."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bonsai
from bonsai import Bounds
from bonsai.budget import INTERRUPTED, Auto, Executions, NodeBudget, Within
from bonsai.cbgf import METHODS, Pruning
from bonsai.choices import Draws
from bonsai.corpus import Input, Policy, Select, filtered
from bonsai.dedup import Dedup
from bonsai.feedback import Saving
from bonsai.grow import (
    Earlier,
    FuzzNode,
    Growing,
    Plan,
    features_of,
    key_of,
    sort_by_size,
)
from bonsai.grow_settings import GrowSettings, Reach
from bonsai.lattice import Kind, Lattice, Node
from bonsai.targets.execution import Outcome
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Event, Finished, Kept, Started, Task
from bonsai.workers.workshop import Workshop
from fakes import FakeTarget
from made_subjects import json_subject
from strategies import bundled, examples, sampler

UPPER = Bounds(2, 2, 1)


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

    def stopping(self) -> bool:
        self._asked += 1
        return self._most <= 0 and self._asked > self._keep

    def stop(self) -> None:
        self.waiting.clear()

    def close(self) -> None: ...


class Memory:
    """A journal."""

    def __init__(self) -> None:
        self.saved: dict[str, tuple[str, bytes]] = {}
        self.checkpoints: dict[str, bytes] = {}
        self.notes: list[str] = []

    def save(self, task: str, stopped: str, state: bytes) -> None:
        self.saved[task] = stopped, state

    def checkpoint(self, task: str, state: bytes) -> None:
        self.checkpoints[task] = state

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


def grown(made: Plan, workers: InProcess | None = None, earlier: Earlier | None = None) -> Growing:
    growing = Growing(made, workers or InProcess(), Memory(), earlier or Earlier())
    growing.grow(lambda growing: None)
    return growing


def texts(inputs: Sequence[Input]) -> list[str]:
    return [one.text for one in inputs]


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("policy", Policy)
def test_seeds_are_the_predecessors_corpora_smallest_first(kind: Kind, policy: Policy) -> None:
    made = plan(kind=kind, policy=policy)
    growing = grown(made)
    assert set(growing.results) == {str(node) for node in made.lattice.nodes()}
    for node in made.lattice.nodes():
        seeds = sort_by_size(
            member
            for below in made.lattice.predecessors(node)
            for member in growing.results[str(below)].state.members
        )
        members = set(texts(growing.results[str(node)].state.members))
        covered = 0
        for one in growing.results[str(node)].state.members:
            covered |= one.features
        assert all(one.features & ~covered == 0 for one in seeds), node
        if node.saving is Saving.RESTRICTED:
            assert all(one.valid for one in growing.results[str(node)].state.members)
        assert members


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


def test_what_ancestors_have_judged_is_not_executed_again() -> None:
    workers = InProcess()
    grown(plan(kind=Kind.PLAIN), workers)
    executed = texts([Input(text, (), True, 0) for text, _ in workers.workshop.fake.executed])
    lattice = Lattice(UPPER, Kind.PLAIN)
    # Two nodes of one level may both run a text, and what is saved is run once more; nothing else repeats.
    widest = max(sum(lattice.level(node) == level for node in lattice.nodes()) for level in range(5))
    assert max(executed.count(text) for text in set(executed)) <= 2 * widest


def test_shards_start_from_the_same_seeds_and_share_the_budget() -> None:
    made = plan(shards=3)
    growing = grown(made)
    assert set(growing.results) == {key_of(node, s) for node in made.lattice.nodes() for s in range(3)}
    for result in growing.results.values():
        assert result.state.tally.executions < 50 + 64
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
    done = {key: one for key, one in stopped.results.items() if one.stopped != INTERRUPTED}
    assert set(journal.saved) == set(done)
    resumed = grown(made, earlier=Earlier(journal.saved, journal.checkpoints))
    assert texts(resumed.grown().inputs()) == texts(straight.grown().inputs())
    assert {key: texts(one.state.members) for key, one in resumed.results.items()} == {
        key: texts(one.state.members) for key, one in straight.results.items()
    }


def test_with_a_deadline_every_node_gets_its_share_of_what_is_left() -> None:
    made = replace(plan(Bounds(3, 3, 3)), deadline=0.0, slots=2)
    bottom, top = made.lattice.bottom, made.lattice.top
    late = made.budget_of(bottom)
    assert isinstance(late, Within)
    assert late.seconds == 0

    early = replace(made, deadline=time() + 270)
    shares = [early.budget_of(node) for node in (bottom, top)]
    assert [round(one.seconds) for one in shares if isinstance(one, Within)] == [10, 270]
    wide = replace(early, slots=1000).budget_of(bottom)
    assert isinstance(wide, Within)
    assert round(wide.seconds) == round(270 / 8)


def test_seeds_from_outside_are_planted_in_their_node() -> None:
    within = sampler(bundled("blocks"), Bounds(1, 1, 1))

    text, choices = within.sample(Draws(3))
    node = Node(Bounds(1, 1, 1), Saving.UNRESTRICTED)
    made = replace(plan(), planted={node: (tuple(choices),)})
    workers = InProcess()
    FuzzNode(made, node, 0)(workers.workshop, [], workers)
    assert workers.workshop.fake.executed[0][0] == text


# --- with processes ---------------------------------------------------------------------------------


@pytest.fixture
def subject(tmp_path: Path) -> bonsai.Subject:
    return json_subject(tmp_path / "subject")


def test_the_same_bytes_with_any_number_of_jobs(subject: bonsai.Subject) -> None:
    wanted = GrowSettings(Bounds(2, 2, 2), budget=Executions(60), seed=7)
    runs = [bonsai.grow(subject, wanted, jobs=jobs) for jobs in (1, 2)]
    assert texts(runs[0].corpus) == texts(runs[1].corpus)
    assert [(one.executions, one.generated, one.covered) for one in runs[0].nodes] == [
        (one.executions, one.generated, one.covered) for one in runs[1].nodes
    ]


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
