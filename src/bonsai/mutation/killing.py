"""Adds to a finished run the smallest inputs that kill the mutants which its corpus lets live (`--kill-mutants`).

As the paper suggests (after Chen et al.): first optimise for coverage, then, when it has saturated, for mutants.
The work is done by the workers of the run (`killing_steps.py`). The result of every task is kept in the run's
journal, so a run that was interrupted or killed meanwhile goes on from there.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from time import monotonic

from bonsai.bounds import Bounds
from bonsai.corpus import Input
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.grow import PATIENCE, Earlier, Journal
from bonsai.grow_tasks import KEEP_EVERY
from bonsai.mutation.killing_steps import (
    ChooseKillers,
    Chosen,
    Fate,
    Fates,
    Judged,
    JudgeKillers,
    KillingStep,
    KillMutants,
    MakePrograms,
    StepResult,
    Survey,
    SurveyMutants,
    from_bytes,
    to_bytes,
)
from bonsai.mutation.scoring import Watch, unwatched
from bonsai.store import Failure, MutantKill, Run
from bonsai.workers.process import as_bonsai_error
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Lost, Told, Workers

TASK = "mutants"  # what the names of all tasks begin with
PROGRAMS, MUTANTS = 1000, 16  # per task, independent of the number of workers


@dataclass(frozen=True, slots=True)
class KillSettings:
    """The bounds of the run, how many programs to make from its corpus, and the seed that decides which."""

    bounds: Bounds
    programs: int
    seed: int = 0
    keep_every: float = KEEP_EVERY  # seconds between two checkpoints of a task


def with_killers(
    run: Run,
    settings: KillSettings,
    workers: Workers,
    journal: Journal,
    earlier: Earlier,
    watch: Watch = unwatched,
    stopping: Callable[[], bool] = lambda: False,
) -> Run:
    """Returns the run with killing inputs. All of them are within the bounds.

    If it is stopped, or a task fails, the corpus stays as it was grown, and the run is not complete. A further
    session then goes on from the tasks that are done.
    """
    hunt = _Hunt(run, settings, workers, journal, earlier, watch, stopping)
    try:
        return hunt.extended()
    except _Stopped:
        return replace(run, asked={**run.asked, "complete": False})
    except Exception as unforeseen:
        error = as_bonsai_error(unforeseen)
        journal.note(hunt.seconds, f"{TASK}: {Ending.FAILED.value}: {error}")
        failures = [*run.failures, Failure(TASK, str(error))]
        return replace(run, asked={**run.asked, "complete": False}, failures=failures)


class _Stopped(Exception):
    """Somebody has asked to stop before the end."""


class _Hunt:
    """The steps of one session, one after the other."""

    def __init__(
        self,
        run: Run,
        settings: KillSettings,
        workers: Workers,
        journal: Journal,
        earlier: Earlier,
        watch: Watch,
        stopping: Callable[[], bool],
    ) -> None:
        self._run = run
        self._settings = settings
        self._workers = workers
        self._journal = journal
        self._earlier = earlier
        self._watch = watch
        self._stopping = stopping
        self._stopped = False
        self._failure: BonsaiError | None = None  # of the first task that failed; the others go on
        self._began = monotonic() - run.seconds
        self._name = f"{TASK}/{_digest(run.corpus, settings)}"

    @property
    def seconds(self) -> float:
        """Returns how long the run has taken so far, in all sessions."""
        return monotonic() - self._began

    def extended(self) -> Run:
        """Returns the run with killing inputs. Raises `_Stopped`, and an error if a task fails."""
        survey, fates = self._fates()
        caught = {number for one in fates.values() for number in one.killers}
        [judged] = self._done("killing inputs judged", {f"{self._name}/judged": JudgeKillers()}, [*fates])
        assert isinstance(judged, Judged)
        parts = {f"{key}/chosen": tuple(sorted(one.killers)) for key, one in fates.items() if one.killers}
        chosen = self._done(
            "killing inputs compared",
            {key: ChooseKillers(numbers) for key, numbers in parts.items()},
            [f"{self._name}/survey", f"{self._name}/judged"],
        )
        kills = {number: kill for one in chosen if isinstance(one, Chosen) for number, kill in one.kills.items()}
        assert kills.keys() <= caught
        grown = {one.text for one in self._run.corpus}
        wanted = {kill.text for kill in kills.values()} - grown
        counted = [fate for one in fates.values() for fate in one.fates.values() if fate is not Fate.STILLBORN]
        killed = counted.count(Fate.KILLED)
        figures = {
            "mutants": len(counted),
            "killed_by_grown": killed,
            "killed": killed + len(kills),
            "added": len(wanted),
        }
        found = [
            MutantKill(*survey.mutants[number], kills[number].how, kills[number].text) for number in sorted(kills)
        ]
        return _with_inputs(self._run, [one for one in judged.inputs if one.text in wanted], figures, found)

    def _fates(self) -> tuple[Survey, dict[str, Fates]]:
        """Returns which mutants there are, and what becomes of them, by the names of the tasks that found out."""
        settings, corpus = self._settings, tuple(self._run.corpus)
        survey_key = f"{self._name}/survey"
        first: dict[str, KillingStep] = {survey_key: SurveyMutants(tuple(one.text for one in corpus))}
        for part, start in enumerate(range(0, settings.programs, PROGRAMS)):
            number = min(PROGRAMS, settings.programs - start)
            first[f"{self._name}/programs/{part}"] = MakePrograms(
                corpus, settings.bounds, number, (settings.seed, part)
            )
        survey, *_ = self._done("programs made", first, [])
        assert isinstance(survey, Survey)
        numbers = range(len(survey.mutants))
        parts = {
            f"{self._name}/{part}": KillMutants(
                numbers[start : start + MUTANTS], settings.bounds, settings.keep_every
            )
            for part, start in enumerate(range(0, len(numbers), MUTANTS))
        }
        found = self._done("mutants run", parts, [*first])
        return survey, {key: one for key, one in zip(parts, found, strict=True) if isinstance(one, Fates)}

    def _done(self, what: str, tasks: Mapping[str, KillingStep], after: Sequence[str]) -> list[StepResult]:
        """Returns the results of tasks, in their order; those of earlier sessions are not worked out again."""
        self._require_going_on()
        results: dict[str, StepResult] = {}
        for key, task in tasks.items():
            if self._earlier.is_final(key):
                results[key] = from_bytes(self._earlier.results[key].state)
                self._workers.provide(key, results[key])
            else:
                checkpoint = self._earlier.checkpoints.get(key)
                self._workers.submit(key, task if checkpoint is None else task.resumed(checkpoint), after)
        progress = {key: tasks[key].size for key in results}
        total = sum(task.size for task in tasks.values())
        for event in self._workers.events(PATIENCE):
            if event is not None:
                self._happened(event, tasks, results, progress)
            self._watch(sum(progress.values()), total, what)
            if self._stopping() and not self._stopped:
                self._stopped = True
                self._workers.stop()
        self._require_going_on()
        if self._failure is not None:
            raise self._failure
        return [results[key] for key in tasks]

    def _happened(
        self,
        event: Event,
        tasks: Mapping[str, KillingStep],
        results: dict[str, StepResult],
        progress: dict[str, int],
    ) -> None:
        match event:
            case Told(key, int() as done):
                progress[key] = done
            case Kept(key, state):
                self._journal.checkpoint(key, state)
            case Lost(key, reason):
                self._journal.note(self.seconds, reason)
            case Finished(key, result) if isinstance(result, StepResult):
                if isinstance(result, Fates) and len(result.fates) < tasks[key].size:
                    self._journal.checkpoint(key, to_bytes(result))  # it was asked to stop
                else:
                    results[key] = result
                    progress[key] = tasks[key].size
                    self._journal.save(key, Ending.FINISHED, to_bytes(result))
                    self._journal.note(self.seconds, f"{key}: {Ending.FINISHED.value}")
            case Failed(_, error):
                self._failure = self._failure or error

    def _require_going_on(self) -> None:
        if self._stopped or self._stopping():
            raise _Stopped


def _digest(corpus: Sequence[Input], settings: KillSettings) -> str:
    """Returns a name for what results depend on: a run whose pruning was cut short had another corpus before."""
    bounds = settings.bounds
    asked = [bounds.idents, bounds.items, bounds.depth, settings.programs, settings.seed]
    inputs = [(one.text, one.choices) for one in corpus]
    return blake2b(json.dumps([asked, inputs]).encode(), digest_size=4).hexdigest()


def _with_inputs(run: Run, inputs: Sequence[Input], figures: dict[str, int], kills: Sequence[MutantKill]) -> Run:
    return replace(
        run,
        asked={**run.asked, "mutants": figures},
        corpus=sorted([*run.corpus, *inputs], key=lambda one: one.size),
        covered=_united(run.covered, inputs),
        covered_by_valid=_united(run.covered_by_valid, [one for one in inputs if one.valid]),
        kills=kills,
    )


def _united(covered: int, inputs: Sequence[Input]) -> int:
    for one in inputs:
        covered |= one.features
    return covered
