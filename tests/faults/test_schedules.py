"""A run has one result, whatever the order in which its tasks run and its results arrive."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

import bonsai
from bonsai import Bounds
from bonsai.budget import Executions
from bonsai.corpus import Policy
from bonsai.describing import described
from bonsai.grow import Growing
from bonsai.grow_settings import GrowSettings, Reach
from bonsai.session import begin, resume
from bonsai.store import RunStore
from bonsai.subject import start_target
from bonsai.targets.execution import Target
from faults.folders import Everything, everything_in, require_equal
from faults.runs import SEED, SIZE
from faults.simulated import SimulatedWorkers
from faults.subjects import SUBJECTS

GRAMMARS = ("ambiguous", "json", "expressions")
SCHEDULES, SEEDS = (20, 5) if SIZE else (3, 2)
SETTINGS = GrowSettings(Bounds(2, 2, 2), budget=Executions(20))
VARIANTS = {
    "paper": replace(SETTINGS, policy=Policy.PAPER),
    "shards": replace(SETTINGS, shards=2),
    "top-up": replace(SETTINGS, top_up=Executions(60)),
    "bounds auto": replace(SETTINGS, bounds=Bounds(1, 1, 1), reach=Reach.AUTO, budget=Executions(10)),
}


class Abandoned(Exception):
    """The session ends at once, as if the process had been killed between two events."""


class Laboratory:
    """A subject with one warm target, for many runs in this process."""

    def __init__(self, folder: Path, grammar: str) -> None:
        SUBJECTS[grammar](folder / "subject")
        self.subject = bonsai.load_subject(folder / "subject")
        self.target: Target = start_target(self.subject)
        self._folders = (folder / f"out-{number}" for number in count())

    def workers(self, random: Random) -> SimulatedWorkers:
        return SimulatedWorkers(self.subject, self.target, random)

    def grown(self, settings: GrowSettings, random: Random) -> Everything:
        """Grows in one session."""
        out = next(self._folders)
        session, store = begin(self.subject, settings, self.workers(random), out)
        assert store is not None
        with closing(store):
            store.finish(described(session.grow(), self.subject))
        return everything_in(out)

    def grown_in_sessions(self, settings: GrowSettings, random: Random, sessions: int) -> Everything:
        """Grows in several sessions, all but the last of which are stopped or abandoned at a random moment."""
        out = next(self._folders)
        session, store = begin(self.subject, settings, self.workers(random), out)
        assert store is not None
        for _ in range(sessions - 1):
            events = count()
            end, abandon = random.randint(1, 150), random.random() < 0.5

            def watch(
                growing: Growing, events: Iterator[int] = events, end: int = end, abandon: bool = abandon
            ) -> None:
                if next(events) >= end:
                    if abandon:
                        raise Abandoned
                    growing.stop()

            with closing(store), suppress(Abandoned):
                store.finish(described(session.grow(watch), self.subject))
            store = RunStore.open(out)
            session = resume(store, self.subject, settings, self.workers(random))
        with closing(store):
            store.finish(described(session.grow(), self.subject))
        return everything_in(out)


@pytest.fixture(scope="module", params=GRAMMARS)
def laboratory(request: pytest.FixtureRequest) -> Iterator[Laboratory]:
    """A laboratory whose folders are in memory where that is possible, since many transactions are written.

    Its clock ticks with every look at it, so that news and checkpoints come at the same moments in each repetition.
    """
    memory = Path("/dev/shm")
    with (
        TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        ticks = count()
        patch.setattr("bonsai.grow_tasks.monotonic", lambda: next(ticks) / 100)
        patch.setenv("BONSAI_CHECKPOINT_EVERY", "0.5")
        made = Laboratory(Path(folder), str(request.param))
        yield made
        made.target.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_schedule_gives_the_same_folder(laboratory: Laboratory, seed: int) -> None:
    settings = replace(SETTINGS, seed=seed)
    expected = laboratory.grown(settings, Random(f"{SEED}/{seed}"))
    assert expected["run.json complete"] is True
    assert expected["checkpoints"] == []
    for schedule in range(1, SCHEDULES):
        about = f"seed {seed}, schedule {schedule} of BONSAI_FAULTS_SEED={SEED}"
        random = Random(f"{SEED}/{seed}/{schedule}")
        require_equal(expected, laboratory.grown(settings, random), about)


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [2, 4])
def test_sessions_that_end_at_any_event_are_resumed_to_the_same_folder(
    laboratory: Laboratory, sessions: int
) -> None:
    expected = laboratory.grown(SETTINGS, Random(SEED))
    for schedule in range(max(SCHEDULES // 2, 2)):
        about = f"schedule {schedule} of BONSAI_FAULTS_SEED={SEED}, in {sessions} sessions"
        random = Random(f"{SEED}/{sessions}/{schedule}")
        require_equal(expected, laboratory.grown_in_sessions(SETTINGS, random, sessions), about)


@pytest.mark.slow
@pytest.mark.parametrize("laboratory", GRAMMARS if SIZE else ["ambiguous"], indirect=True)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_gives_the_same_folder(laboratory: Laboratory, variant: str) -> None:
    settings = VARIANTS[variant]
    expected = laboratory.grown(settings, Random(SEED))
    for schedule in range(1, max(SCHEDULES // 2, 2)):
        about = f"{variant}, schedule {schedule} of BONSAI_FAULTS_SEED={SEED}"
        require_equal(expected, laboratory.grown(settings, Random(f"{SEED}/{variant}/{schedule}")), about)
        random = Random(f"{SEED}/{variant}/{schedule}/sessions")
        require_equal(expected, laboratory.grown_in_sessions(settings, random, 3), f"{about}, in sessions")


@pytest.mark.parametrize("laboratory", ["expressions"], indirect=True)
def test_the_simulated_workers_really_differ(laboratory: Laboratory) -> None:
    """A schedule that was always the same, or that never lost a worker, would show nothing."""
    orders, slots, losses = set(), set(), 0
    for schedule in range(6):
        workers = laboratory.workers(Random(f"{SEED}/{schedule}"))
        session, _ = begin(laboratory.subject, SETTINGS, workers, None)
        session.grow()
        orders.add(tuple(session.growing.results))
        slots.add(workers.slots)
        losses += workers.losses
    assert len(orders) > 3
    assert len(slots) > 1
    assert losses
