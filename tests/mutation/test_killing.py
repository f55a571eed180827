"""A grown corpus, and what is added to it so that it notices more faults."""

import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from random import Random

import pytest

import bonsai
from bonsai import BonsaiError, parse
from bonsai.budget import Executions
from bonsai.checkpoint import Stored
from bonsai.choices import Draws
from bonsai.cli import run as run_command
from bonsai.corpus import Input
from bonsai.derivation import holding
from bonsai.ending import Ending
from bonsai.grow import Earlier
from bonsai.mutation.bench import Bench
from bonsai.mutation.killing import KillSettings, with_killers
from bonsai.mutation.killing_steps import Fate, Fates, KillMutants, MakePrograms, SurveyMutants, from_bytes
from bonsai.mutation.neighbours import smaller
from bonsai.mutation.scoring import score
from bonsai.sampler import Sampler
from bonsai.store import Run
from bonsai.workers.cluster import ClusterWorkers
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Started, Task, Told
from bonsai.workers.workshop import Workshop
from made_subjects import json_subject
from tiny_subject import write_tiny_subject
from workers.dask_cluster import dask_cluster

SETTINGS = bonsai.GrowSettings(bonsai.Bounds(1, 2, 1), budget=Executions(60), seed=2)
BOUNDS = bonsai.Bounds(1, 3, 1)  # smaller than the subject's
ASKED = KillSettings(BOUNDS, programs=60, seed=1, keep_every=0)


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> bonsai.Subject:
    return write_tiny_subject(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def grown(subject: bonsai.Subject) -> Run:
    return bonsai.grow(subject, SETTINGS)


@pytest.fixture(scope="module")
def workshop(subject: bonsai.Subject) -> Iterator[Workshop]:
    made = Workshop(subject)
    yield made
    made.close()


@pytest.fixture(scope="module")
def extended(grown: Run, workshop: Workshop) -> Run:
    """What comes of it when nothing disturbs."""
    return with_killers(grown, ASKED, InOrder(workshop), Notebook(), Earlier())


class Notebook:
    """A journal in memory, which a further session can go on from."""

    def __init__(self) -> None:
        self.results: dict[str, Stored] = {}
        self.checkpoints: dict[str, bytes] = {}
        self.notes: list[str] = []

    def save(self, task: str, ending: Ending, state: bytes, reason: str = "") -> None:
        self.results[task] = Stored(ending, state, reason)
        self.checkpoints.pop(task, None)

    def checkpoint(self, task: str, state: bytes) -> None:
        self.checkpoints[task] = state

    def note(self, seconds: float, text: str) -> None:
        self.notes.append(text)

    def earlier(self) -> Earlier:
        return Earlier(dict(self.results), dict(self.checkpoints))


class Killed(BaseException):
    """The process is gone: nothing catches that."""


class InOrder:
    """Workers of this process, which do the tasks that can be done in any order that is wanted.

    When so many tasks are done, the next one is killed with the whole run, or fails.
    """

    slots = 1

    def __init__(
        self,
        workshop: Workshop,
        order: Random | None = None,
        most: int | None = None,
        error: BonsaiError | None = None,
    ) -> None:
        self._workshop = workshop
        self._order = order
        self._most = most
        self._error = error
        self._waiting: dict[str, tuple[Task, Sequence[str]]] = {}
        self._results: dict[str, object] = {}
        self._stopping = False
        self._kept: list[Event] = []
        self.done: list[str] = []

    def provide(self, key: str, result: object) -> None:
        self._results[key] = pickle.loads(pickle.dumps(result))

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        self._waiting[key] = pickle.loads(pickle.dumps(task)), after

    def stop(self) -> None:
        self._stopping = True
        self._waiting.clear()

    def close(self) -> None: ...

    def events(self, patience: float) -> Iterator[Event | None]:
        while self._waiting:
            ready = [key for key, (_, after) in self._waiting.items() if self._results.keys() >= set(after)]
            key = self._order.choice(ready) if self._order else ready[0]
            task, after = self._waiting.pop(key)
            yield Started(key)
            channel = _Channel(key, self)
            self._results[key] = task(self._workshop, [self._results[one] for one in after], channel)
            yield from self._kept
            self._kept.clear()
            if len(self.done) == self._most and self._error is None:
                raise Killed
            if len(self.done) == self._most and self._error is not None:
                self._most = None
                yield Failed(key, self._error)
            else:
                self.done.append(key)
                yield Finished(key, self._results[key])


@dataclass(frozen=True)
class _Channel:
    key: str
    workers: InOrder

    def tell(self, news: object) -> None:
        self.workers._kept.append(Told(self.key, news))

    def keep(self, state: bytes) -> None:
        self.workers._kept.append(Kept(self.key, state))

    def stopping(self) -> bool:
        return self.workers._stopping

    def now(self) -> float:
        return 0.0


def same(one: Run, other: Run) -> bool:
    """Everything but times; inputs are equal if all that is known of them is."""
    corpora = [[astuple(test) for test in run.corpus] for run in (one, other)]
    return corpora[0] == corpora[1] and replace(one, corpus=[], seconds=0) == replace(other, corpus=[], seconds=0)


def test_what_is_added_kills_what_survived_and_nothing_grown_is_lost(
    subject: bonsai.Subject, grown: Run, extended: Run
) -> None:
    figures = extended.asked["mutants"]
    assert isinstance(figures, dict)
    before, after = {one.text for one in grown.corpus}, {one.text for one in extended.corpus}
    assert before < after
    assert figures["added"] == len(after - before)
    assert {one.text for one in extended.kills} == after - before
    assert [one.size for one in extended.corpus] == sorted(one.size for one in extended.corpus)
    assert extended.covered & grown.covered == grown.covered
    with Bench(subject) as bench:
        assert len(score(bench, subject, sorted(before)).by_corpus) == figures["killed_by_grown"]
        assert len(score(bench, subject, sorted(after)).by_corpus) == figures["killed"] > figures["killed_by_grown"]


def test_what_is_added_is_within_the_bounds_of_the_run(subject: bonsai.Subject, grown: Run, extended: Run) -> None:
    assert not subject.bounds <= BOUNDS
    added = [one for one in extended.corpus if one not in grown.corpus]
    assert added
    derivations = [bonsai.Derivation(subject.grammar, one.choices, one.text) for one in added]
    assert all(holding(one) <= BOUNDS for one in derivations)
    sampler = Sampler(subject.grammar, BOUNDS)
    assert all(sampler.replay(one.choices, Draws(0))[0] == one.text for one in added)


@pytest.mark.parametrize("kept", [0, 1])
def test_inputs_beyond_the_bounds_have_no_children(kept: int, grown: Run, workshop: Workshop) -> None:
    grammar = workshop.subject.grammar
    deep = parse(grammar, "((1) 2)")
    beyond = Input(deep.text, deep.choices, valid=True, features=0)
    corpus = (*grown.corpus[:kept], beyond)
    made = MakePrograms(corpus, bonsai.Bounds(1, 2, 1), 20, 1)(workshop, [], _Channel("", InOrder(workshop)))
    assert bool(made.pool.texts) == bool(kept)


def test_killing_inputs_cannot_be_made_smaller_in_one_step(grown: Run, workshop: Workshop) -> None:
    channel = _Channel("", InOrder(workshop))
    survey = SurveyMutants(tuple(one.text for one in grown.corpus))(workshop, [], channel)
    programs = MakePrograms(tuple(grown.corpus), BOUNDS, 60, 1)(workshop, [], channel)
    fates = KillMutants(range(len(survey.mutants)), BOUNDS)(workshop, [survey, programs], channel)
    assert set(fates.fates) == set(range(len(survey.mutants)))
    assert {number for number, fate in fates.fates.items() if fate is Fate.CAUGHT} == set(fates.killers)
    assert fates.killers
    with Bench(workshop.subject) as bench:
        for number, killer in fates.killers.items():
            mutant = bench.made.mutants[number]
            derivation = bonsai.Derivation(workshop.subject.grammar, killer.choices, killer.text)
            below = [one.text for one in smaller(derivation, workshop.sampler(BOUNDS))]
            assert mutant not in bench.kills([mutant], survey.pool)
            assert bench.kills([mutant], bench.pool([killer.text]))[mutant].how == killer.how
            assert mutant not in bench.kills([mutant], bench.pool(below))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_tasks_are_done_does_not_matter(
    seed: int, grown: Run, extended: Run, workshop: Workshop
) -> None:
    workers = InOrder(workshop, Random(seed))
    assert same(with_killers(grown, ASKED, workers, Notebook(), Earlier()), extended)
    assert len(workers.done) > 4


@pytest.mark.slow
def test_processes_of_this_machine_find_the_same(subject: bonsai.Subject, grown: Run, extended: Run) -> None:
    workers = LocalWorkers(subject, 2)
    try:
        assert same(with_killers(grown, ASKED, workers, Notebook(), Earlier()), extended)
    finally:
        workers.close()


def _kill_a_worker() -> None:
    """Kills one process of `LocalWorkers`."""
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        for child in (task / "children").read_text().split():
            if "bonsai.workers.process" in Path(f"/proc/{child}/cmdline").read_text():
                os.kill(int(child), signal.SIGKILL)
                return


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 1000])
def test_a_worker_that_is_killed_does_not_lose_the_run(
    times: int, subject: bonsai.Subject, grown: Run, extended: Run
) -> None:
    killed: list[str] = []

    def watch(done: int, tasks: int, what: str) -> None:
        if what == "mutants run" and len(killed) < times:
            killed.append(what)
            _kill_a_worker()

    journal, workers = Notebook(), LocalWorkers(subject, 1)
    try:
        found = with_killers(grown, ASKED, workers, journal, Earlier(), watch)
    finally:
        workers.close()
    assert killed
    if times == 1:
        assert same(found, extended)
        return
    assert found.corpus == grown.corpus
    assert found.asked["complete"] is False
    failures = found.summary()["failures"]
    assert isinstance(failures, list)
    assert ["ended with status -9" in one["reason"] for one in failures] == [True]


@pytest.mark.slow
def test_a_cluster_finds_the_same_and_nothing_is_started_here(
    subject: bonsai.Subject, grown: Run, extended: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dask_cluster(tmp_path, 2) as address:
        workers = ClusterWorkers(subject, address)
        monkeypatch.setattr(subprocess, "Popen", None)
        try:
            assert same(with_killers(grown, ASKED, workers, Notebook(), Earlier()), extended)
        finally:
            monkeypatch.undo()
            workers.close()


def test_an_error_that_nobody_foresaw_keeps_the_corpus(grown: Run) -> None:
    class Broken(InOrder):
        def events(self, patience: float) -> Iterator[Event | None]:
            yield None
            raise ZeroDivisionError("a mistake")

    found = with_killers(grown, ASKED, Broken(Workshop(bonsai.load_subject("json"))), Notebook(), Earlier())
    assert found.corpus == grown.corpus
    assert found.asked["complete"] is False
    [failure] = found.failures
    assert failure.task == "mutants"
    assert "ZeroDivisionError: a mistake" in failure.reason


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 2, 4, 6])
def test_what_is_killed_goes_on_from_the_tasks_that_are_done(
    most: int, grown: Run, extended: Run, workshop: Workshop
) -> None:
    journal = Notebook()
    with pytest.raises(Killed):
        with_killers(grown, ASKED, InOrder(workshop, Random(most), most), journal, Earlier())
    assert len(journal.results) == most
    before = set(journal.results)
    workers = InOrder(workshop)
    assert same(with_killers(grown, ASKED, workers, journal, journal.earlier()), extended)
    assert not before & set(workers.done)
    again = InOrder(workshop)
    assert same(with_killers(grown, ASKED, again, journal, journal.earlier()), extended)
    assert not again.done


@pytest.mark.slow
def test_results_from_another_corpus_are_not_used(grown: Run, workshop: Workshop) -> None:
    journal = Notebook()
    with_killers(grown, ASKED, InOrder(workshop), journal, Earlier())
    fewer, workers = replace(grown, corpus=grown.corpus[1:]), InOrder(workshop)
    found = with_killers(fewer, ASKED, workers, journal, journal.earlier())
    assert same(found, with_killers(fewer, ASKED, InOrder(workshop), Notebook(), Earlier()))
    assert workers.done


@pytest.mark.parametrize("asked_after", [1, 30, pytest.param(70, marks=pytest.mark.slow)])
def test_an_interruption_leaves_the_corpus_as_it_is_and_can_be_gone_on_from(
    asked_after: int, grown: Run, extended: Run, workshop: Workshop
) -> None:
    journal, seen = Notebook(), []
    found = with_killers(
        grown,
        ASKED,
        InOrder(workshop),
        journal,
        Earlier(),
        lambda done, tasks, what: seen.append((done, tasks)),
        lambda: len(seen) >= asked_after,
    )
    assert found.corpus == grown.corpus
    assert found.asked["complete"] is False
    assert all(done <= tasks for done, tasks in seen)
    assert same(with_killers(grown, ASKED, InOrder(workshop), journal, journal.earlier()), extended)


def test_a_part_that_is_stopped_goes_on_with_the_mutants_that_are_left(grown: Run, workshop: Workshop) -> None:
    channel = _Channel("", InOrder(workshop))
    survey = SurveyMutants(tuple(one.text for one in grown.corpus))(workshop, [], channel)
    programs = MakePrograms(tuple(grown.corpus), BOUNDS, 60, 1)(workshop, [], channel)
    whole = KillMutants(range(8), BOUNDS, keep_every=0)
    expected = whole(workshop, [survey, programs], channel)
    states = [event.state for event in channel.workers._kept if isinstance(event, Kept)]
    assert len(states) == 8
    half = from_bytes(states[3])
    assert isinstance(half, Fates)
    assert len(half.fates) == 4
    for state in (states[0], states[3], states[-1]):
        assert whole.resumed(state)(workshop, [survey, programs], channel) == expected
    channel.workers.stop()
    assert whole.resumed(states[3])(workshop, [survey, programs], channel) == half


def test_a_task_that_fails_does_not_lose_the_run(grown: Run, extended: Run, workshop: Workshop) -> None:
    journal, error = Notebook(), BonsaiError("it fell over", "is there enough memory?")
    failing = InOrder(workshop, most=3, error=error)
    found = with_killers(grown, ASKED, failing, journal, Earlier())
    assert found.corpus == grown.corpus
    assert found.summary()["complete"] is False
    assert found.summary()["failures"] == [{"task": "mutants", "reason": str(error)}]
    assert str(error) in journal.notes[-1]
    assert len(failing.done) > 3  # the others go on
    assert set(failing.done) == set(journal.results)
    assert same(with_killers(grown, ASKED, InOrder(workshop), journal, journal.earlier()), extended)


def test_an_empty_corpus_has_nothing_to_start_from(grown: Run, workshop: Workshop) -> None:
    empty = replace(grown, corpus=[])
    found = with_killers(empty, ASKED, InOrder(workshop), Notebook(), Earlier())
    assert found.corpus == []
    assert found.asked["mutants"] == {**_figures(found), "killed": 0, "killed_by_grown": 0, "added": 0}


def _figures(run: Run) -> dict[str, int]:
    figures = run.asked["mutants"]
    assert isinstance(figures, dict)
    return figures


@pytest.mark.slow
def test_the_command_keeps_what_kills_which_mutant(subject: bonsai.Subject, tmp_path: Path) -> None:
    options = ["--bounds", "1,2,1", "--budget", "60x", "--quiet", "--jobs", "1"]
    assert run_command(["grow", str(subject.folder), "-o", str(tmp_path / "out"), *options, "--kill-mutants"]) == 0

    figures = json.loads((tmp_path / "out/run.json").read_text())
    assert figures["kill_mutants"] == 5000
    assert figures["mutants"]["killed"] > figures["mutants"]["killed_by_grown"]
    database = sqlite3.connect(tmp_path / "out/run.sqlite")
    try:
        kills = database.execute("SELECT mutant, how, text FROM kills").fetchall()
        texts = {text for (text,) in database.execute("SELECT text FROM inputs")}
    finally:
        database.close()
    assert len(kills) == figures["mutants"]["killed"] - figures["mutants"]["killed_by_grown"]
    assert {text for *_, text in kills} <= texts
    files = [path.read_text() for path in (tmp_path / "out/corpus").rglob("*.txt")]
    assert {text for *_, text in kills} <= set(files)
    # Resumed, a run that is done comes to the same end.
    assert run_command(["grow", "--resume", str(tmp_path / "out"), "--quiet"]) == 0
    again = json.loads((tmp_path / "out/run.json").read_text())
    assert again["mutants"] == figures["mutants"]
    assert again["corpus"] == figures["corpus"]


OPTIONS = ["--bounds", "1,2,1", "--budget", "60x", "--kill-mutants", "200x", "--jobs", "2"]


def _grow(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", "from bonsai.cli import main; main()", "grow", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BONSAI_CHECKPOINT_EVERY": "0.02"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def _wait_for_mutants(folder: Path, process: "subprocess.Popen[str]") -> None:
    """Waits until some mutants have been run."""
    while process.poll() is None:
        if (folder / "run.sqlite").exists():
            database = sqlite3.connect(folder / "run.sqlite")
            try:
                query = "SELECT count(*) FROM results WHERE task LIKE 'mutants/%/0'"
                if database.execute(query).fetchone()[0]:
                    return
            except sqlite3.OperationalError:
                pass  # it is being written
            finally:
                database.close()
        time.sleep(0.01)
    raise AssertionError("it was over before any mutant was run")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "corpus").rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_among_mutants_is_resumed_and_ends_the_same(
    number: signal.Signals, subject: bonsai.Subject, tmp_path: Path
) -> None:
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    _, errors = (process := _grow(str(subject.folder), "-o", str(whole), *OPTIONS)).communicate()
    assert process.returncode == 0, errors
    figures = json.loads((whole / "run.json").read_text())
    assert figures["mutants"]["added"]

    process = _grow(str(subject.folder), "-o", str(ended), *OPTIONS)
    _wait_for_mutants(ended, process)
    process.send_signal(number)
    _, errors = process.communicate()
    if number is signal.SIGINT:
        assert process.returncode == 130, errors
        found = json.loads((ended / "run.json").read_text())
        assert found["complete"] is False
        assert "mutants" not in found
        assert 0 < found["corpus"]["files"] < figures["corpus"]["files"]
    _, errors = (process := _grow("--resume", str(ended), "--jobs", "1")).communicate()
    assert process.returncode == 0, errors
    found = json.loads((ended / "run.json").read_text())
    assert found["complete"] is True
    assert found["mutants"] == figures["mutants"]
    assert _files(ended) == _files(whole)


@pytest.mark.parametrize("budget", ["60s", "0x"])
def test_a_budget_is_a_number_of_programs(
    budget: str, subject: bonsai.Subject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["grow", str(subject.folder), "-o", str(tmp_path / "out"), "--kill-mutants", budget]
    assert run_command(arguments) == 2
    assert "budget" in (error := capsys.readouterr().err) or "no number of executions" in error
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_mutated_is_refused_before_growing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = json_subject(tmp_path / "json")
    (tmp_path / "json/bonsai.toml").write_text((tmp_path / "json/bonsai.toml").read_text().partition("[target]")[0])
    arguments = ["grow", str(subject.folder), "-o", str(tmp_path / "out"), "--kill-mutants"]
    assert run_command(arguments) == 2
    assert "no Python program" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
