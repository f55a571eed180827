"""What is asked of an evaluation comes in; all its steps are run, and their records go into its folder.

Steps of all repetitions run side by side in workers. What is in the folder is not run again: an evaluation that was
stopped or killed goes on where it was, and one that is done can be given more repetitions.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from time import monotonic

from bonsai.bounds import Bounds
from bonsai.budget import parse_budget
from bonsai.corpus import Policy
from bonsai.corpus_folder import read_corpus
from bonsai.errors import BonsaiError
from bonsai.evaluation.ablation import COMPLETE, EVENLY, variants
from bonsai.evaluation.records import (
    ALL,
    PUBLISHED,
    REDUCED,
    Corpus,
    Data,
    Key,
    Record,
    Step,
    Technique,
    write_json,
)
from bonsai.evaluation.steps import Baseline, Grow, Measure, Reduce, SampleBlindly, ScoreMutants
from bonsai.extras import require
from bonsai.grow_settings import GrowSettings
from bonsai.mutation.bench import require_mutable
from bonsai.outputs import Output
from bonsai.reduction.predicate import load_tools
from bonsai.reduction.reducing import Method
from bonsai.subject import Subject, identity
from bonsai.targets.settings import PythonTarget
from bonsai.workers.tasks import Finished, Lost, Started, Task, Workers

ASKED = "evaluation.json"
HEATMAP = "heatmap"
PATIENCE = 0.5
METHODS = {
    Technique.CHARACTERS: Method.CHARACTERS,
    Technique.GRAMMAR: Method.GRAMMAR,
    Technique.HOIST: Method.HOIST,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What cannot change from one session of an evaluation to the next. Budgets are as the command has them."""

    bounds: tuple[int, int, int]
    budget: str = "auto"  # of each node of Bonsai; the baseline has as many executions as all of them together
    seed: int = 0
    programs: int = 2000  # black-box fuzzing from the corpus, for each mutant that survives it
    sample: int | None = None  # the reduction by characters, which takes by far the longest, of so many inputs
    blind_most: int = 5
    blind_budget: str = "1000x"


# Everything within about ten minutes on two quiet cores.
QUICK = {"budget": "1500x", "programs": 200, "sample": 12, "blind_most": 3, "blind_budget": "200x"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much of it is wanted this time."""

    repetitions: int
    published: Path | None = None
    ablation: Mapping[str, GrowSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far an evaluation is: steps done, of how many; what is running; and how many seconds may be left."""

    done: int
    steps: int
    running: Sequence[str]
    left: float | None


def settle(
    folder: Path, subject: Subject, asked: Asked, features: Sequence[str], output: Output | None = None
) -> None:
    """Write down what is asked, or make sure that it is what was asked before."""
    known = identity(subject, features)
    now = {
        **{key: known[key] for key in ("version", "subject", "grammar_hash", "target_hash")},
        **json.loads(json.dumps(asdict(asked))),
    }
    path = folder / ASKED
    if not path.exists():
        write_json(path, now, output)
        return
    before = json.loads(path.read_text("utf-8"))
    changed = [name for name, value in now.items() if before.get(name) != value]
    if changed:
        raise BonsaiError(
            f"{folder} has an evaluation with another {changed[0]}: {before.get(changed[0])}",
            "name another folder with -o, or start anew with --force",
        )


class Evaluation:
    """The steps of an evaluation, and their records."""

    def __init__(self, subject: Subject, asked: Asked, wanted: Wanted, data: Data) -> None:
        self._subject = subject
        self._asked = asked
        self._wanted = wanted
        self._data = data
        self._mutable = isinstance(subject.target, PythonTarget)

    def steps(self, side_by_side: int = 1) -> Iterator[tuple[str, Task, list[str]]]:
        """All steps by their keys, with the keys of those that they come after.

        Some repetitions go side by side, step by step: they end together, so that no slot waits for the last one.
        """
        asked = self._asked
        for first in range(1, self._wanted.repetitions + 1, side_by_side):
            last = min(first + side_by_side - 1, self._wanted.repetitions)
            yield from chain(*zip(*map(self._repetition, range(first, last + 1)), strict=True))
        blind = SampleBlindly(asked.blind_most, parse_budget(asked.blind_budget), asked.seed)
        yield HEATMAP, blind, []
        for technique in self._published():
            yield from self._judged(0, [technique])
        for name, settings in self._wanted.ablation.items():
            for repetition in range(1, self._wanted.repetitions + 1):
                key = str(Key(repetition, name, Step.CORPUS))
                after = [str(Key(repetition, COMPLETE, Step.CORPUS))] if name == EVENLY else []
                yield key, Grow(replace(settings, seed=asked.seed + repetition)), after
                yield str(Key(repetition, name, Step.MEASURED)), Measure(), [key]

    def _repetition(self, repetition: int) -> Iterator[tuple[str, Task, list[str]]]:
        asked, seed = self._asked, self._asked.seed + repetition
        bounds, budget = Bounds(*asked.bounds), parse_budget(asked.budget)
        keys = {technique: str(Key(repetition, technique.value, Step.CORPUS)) for technique in Technique}
        for technique, policy in ((Technique.BONSAI, Policy.SMALLEST), (Technique.BONSAI_PAPER, Policy.PAPER)):
            yield keys[technique], Grow(GrowSettings(bounds, budget=budget, policy=policy, seed=seed)), []
        grown = [keys[Technique.BONSAI], keys[Technique.BONSAI_PAPER]]
        yield keys[Technique.BASELINE], Baseline(bounds, seed), grown
        for technique in REDUCED:
            sample = asked.sample if technique is Technique.CHARACTERS else None
            yield keys[technique], Reduce(METHODS[technique], sample), [keys[Technique.BASELINE]]
        yield from self._judged(
            repetition, [Technique.BONSAI, Technique.BONSAI_PAPER, Technique.BASELINE, *REDUCED], ALL
        )

    def _judged(
        self, repetition: int, techniques: Sequence[Technique], together: str = ""
    ) -> Iterator[tuple[str, Task, list[str]]]:
        """Each is measured by itself; mutants are run on all together."""
        keys = {one: str(Key(repetition, one.value, Step.CORPUS)) for one in techniques}
        for one, key in keys.items():
            yield str(Key(repetition, one.value, Step.MEASURED)), Measure(), [key]
        if self._mutable:
            # A sample has no score that could be compared.
            whole = [one for one in techniques if self._asked.sample is None or one is not Technique.CHARACTERS]
            names = tuple(one.value for one in whole)
            bounds, seed = Bounds(*self._asked.bounds), self._asked.seed + repetition
            score = ScoreMutants(names, bounds, self._asked.programs, seed)
            yield str(Key(repetition, together or names[0], Step.SCORED)), score, [keys[one] for one in whole]

    def _published(self) -> list[Technique]:
        """The published corpora, which are read here: there is nothing to run."""
        if self._wanted.published is None:
            return []
        found = _published_in(self._wanted.published, self._subject.name)
        for technique, place in found:
            key = str(Key(0, technique.value, Step.CORPUS))
            corpus = Corpus([file.text for file in read_corpus(place, self._subject.suffix)])
            known = self._data.load(key)
            if known is None:
                self._data.save(key, corpus)
            elif known != corpus:
                raise BonsaiError(f"{place} has changed since it was measured", "start anew with --force")
        return [technique for technique, _ in found]

    def require_tools(self) -> None:
        """Say what is missing before hours of work."""
        load_tools()
        require("an evaluation", "coverage", "matplotlib", "scipy")
        if self._mutable:
            require_mutable(self._subject)

    def run(self, workers: Workers, watch: Callable[[Standing], None], stop: Callable[[], bool]) -> bool:
        """Run what is not done yet; whether all is done in the end."""
        pace, steps = _Pace(workers.slots), list(self.steps(workers.slots))
        done = len(steps) - self._submit(workers, pace, steps)
        watch(Standing(done, len(steps), [], None))
        for event in workers.events(PATIENCE):
            match event:
                case Started(key):
                    pace.started(key)
                case Lost(key):
                    pace.lost(key)
                case Finished(key, result) if isinstance(result, Record):
                    self._data.save(key, result)
                    pace.finished(key)
                    done += 1
            if stop():
                workers.stop()
            watch(Standing(done, len(steps), pace.running, pace.left()))
        return done == len(steps)

    def _submit(self, workers: Workers, pace: "_Pace", steps: Sequence[tuple[str, Task, list[str]]]) -> int:
        """Submit what is not done, after what is; how many steps that are."""
        submitted = 0
        for key in {before: None for _, _, after in steps for before in after}:
            known = self._data.load(key)
            if known is not None:
                workers.provide(key, known)
        for key, task, after in steps:
            if self._data.load(key) is None:
                workers.submit(key, task, after)
                pace.expect(key)
                submitted += 1
        return submitted


def _published_in(folder: Path, subject: str) -> list[tuple[Technique, Path]]:
    """The corpora in a folder of one subject's, or in one that has a folder for each subject."""
    for place in (folder / subject, folder):
        found = [(technique, place / name) for name, technique in PUBLISHED.items() if (place / name).is_dir()]
        if found:
            return found
    raise BonsaiError(
        f"{folder} has no published corpora of {subject}",
        f"they would be in its folders {' and '.join(PUBLISHED)}, or in those of its folder {subject}",
    )


class _Pace:
    """How long steps take, and so how much time may be left."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._waiting: list[str] = []
        self._began: dict[str, float] = {}
        self._took: dict[str, list[float]] = defaultdict(list)

    @property
    def running(self) -> list[str]:
        return list(self._began)

    def expect(self, key: str) -> None:
        self._waiting.append(key)

    def started(self, key: str) -> None:
        self._began[key] = monotonic()
        self._waiting.remove(key)

    def lost(self, key: str) -> None:
        """It is run again."""
        del self._began[key]
        self.expect(key)

    def finished(self, key: str) -> None:
        self._took[_kind(key)].append(monotonic() - self._began.pop(key))

    def left(self) -> float | None:
        """By the steps of the same kind that are done; where there are none, by all of them."""
        if not self._took:
            return None
        mean = {kind: fmean(took) for kind, took in self._took.items()}
        usual = fmean(mean.values())
        waiting = sum(mean.get(_kind(key), usual) for key in self._waiting)
        running = [
            max(mean.get(_kind(key), usual) - (monotonic() - began), 0) for key, began in self._began.items()
        ]
        return max([(waiting + sum(running)) / self._slots, *running])


def _kind(key: str) -> str:
    """The same steps of different repetitions are of one kind."""
    return key.partition("/")[2]


def ablation_of(asked: Asked) -> dict[str, GrowSettings]:
    """The variants to grow when an ablation is wanted."""
    return variants(GrowSettings(Bounds(*asked.bounds), budget=parse_budget(asked.budget)))
