"""The steps of `--kill-mutants`, as tasks for the workers of a run, and the bytes in which their results are kept.

SurveyMutants     which mutants there are, and what the original answers on the grown corpus
MakePrograms      a fixed number of programs made from the corpus, and what the original answers on them
KillMutants       of a fixed part of the mutants: which the corpus kills, and which a program kills, made smaller
JudgeKillers      the killing programs as inputs of a corpus
ChooseKillers     of a part of the mutants that were killed: the smallest of all killing inputs that kills them

The parts do not depend on the number of workers, and a task depends only on the results of those before it. So the
result is the same for any number of workers, and for any order in which they finish.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from time import monotonic
from typing import Any, Self

from bonsai.bounds import Bounds
from bonsai.checkpoint import reading
from bonsai.choices import Choices
from bonsai.corpus import Input, size_of
from bonsai.derivation import Derivation, holding
from bonsai.errors import BonsaiError
from bonsai.feedback import recurring
from bonsai.grow_tasks import KEEP_EVERY
from bonsai.mutation.bench import Bench, Kill, Pool, pool_of
from bonsai.mutation.mutants import Mutant
from bonsai.mutation.neighbours import children, smaller
from bonsai.sampler import Sampler
from bonsai.targets.execution import Outcome
from bonsai.workers.tasks import Channel
from bonsai.workers.workshop import Workshop


class Fate(Enum):
    """What became of a mutant."""

    STILLBORN = "stillborn"  # it cannot even be imported: it takes no test to notice it
    KILLED = "killed"  # by the grown corpus
    CAUGHT = "caught"  # by a program made from the corpus
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Killer:
    """A program that kills a mutant, and how."""

    text: str
    choices: Choices
    how: str


@dataclass(frozen=True, slots=True)
class Survey:
    """The names and changes of all mutants, in their order, and the grown corpus with the original's answers."""

    mutants: list[tuple[str, str]]
    pool: Pool

    def record(self) -> dict[str, Any]:
        return {"mutants": self.mutants, "pool": _pool_record(self.pool)}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        return cls([(name, change) for name, change in record["mutants"]], _pool(record["pool"]))


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs with the original's answers, and the choices of each."""

    pool: Pool
    choices: Mapping[str, Choices]

    def record(self) -> dict[str, Any]:
        return {"pool": _pool_record(self.pool), "choices": [self.choices[text] for text in self.pool.texts]}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        pool = _pool(record["pool"])
        return cls(pool, dict(zip(pool.texts, map(tuple, record["choices"]), strict=True)))


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of mutants, by their numbers, and the killers of those that were caught."""

    fates: Mapping[int, Fate]
    killers: Mapping[int, Killer]

    def record(self) -> dict[str, Any]:
        return {
            "fates": [(number, fate.value) for number, fate in self.fates.items()],
            "killers": [(number, one.text, one.choices, one.how) for number, one in self.killers.items()],
        }

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        return cls(
            {number: Fate(fate) for number, fate in record["fates"]},
            {number: Killer(text, tuple(choices), how) for number, text, choices, how in record["killers"]},
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """The killing programs as inputs, and with the original's answers."""

    inputs: list[Input]
    pool: Pool

    def record(self) -> dict[str, Any]:
        inputs = [(one.text, one.choices, one.valid, hex(one.features)) for one in self.inputs]
        return {"inputs": inputs, "pool": _pool_record(self.pool)}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        inputs = [
            Input(text, tuple(choices), valid, int(features, 16))
            for text, choices, valid, features in record["inputs"]
        ]
        return cls(inputs, _pool(record["pool"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The smallest killing input of each mutant that one of them kills, by the mutants' numbers."""

    kills: Mapping[int, Kill]

    def record(self) -> dict[str, Any]:
        return {"kills": [(number, one.text, one.how) for number, one in self.kills.items()]}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        return cls({number: Kill(text, how) for number, text, how in record["kills"]})


StepResult = Survey | Programs | Fates | Judged | Chosen
KINDS: dict[str, type[StepResult]] = {kind.__name__: kind for kind in (Survey, Programs, Fates, Judged, Chosen)}


def to_bytes(result: StepResult) -> bytes:
    """Returns a result as compressed JSON."""
    record = {"kind": type(result).__name__, **result.record()}
    return zlib.compress(json.dumps(record).encode(), level=1)


def from_bytes(data: bytes) -> StepResult:
    """Returns the result that `to_bytes` wrote. Raises an error if the bytes are something else."""
    with reading():
        record = json.loads(zlib.decompress(data))
        return KINDS[record.pop("kind")].of(record)


def _pool_record(pool: Pool) -> dict[str, Any]:
    return {"texts": pool.texts, "answers": pool.answers, "features": [hex(mask) for mask in pool.features]}


def _pool(record: dict[str, Any]) -> Pool:
    return Pool(record["texts"], record["answers"], [int(mask, 16) for mask in record["features"]])


class _WithoutCheckpoint:
    """What the shorter tasks have in common: one that is resumed begins again."""

    __slots__ = ()

    def resumed(self, state: bytes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class SurveyMutants(_WithoutCheckpoint):
    """Lists the mutants, and runs the original on the grown corpus."""

    texts: tuple[str, ...]
    size = 0

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Survey:
        with Bench(workshop.subject, target=workshop.target) as bench:
            return Survey([(one.name, one.change) for one in bench.made.mutants], bench.pool(self.texts))


@dataclass(frozen=True, slots=True)
class MakePrograms(_WithoutCheckpoint):
    """Makes programs from the corpus, blindly, and runs the original on them.

    All are within the bounds. Inputs beyond them, from a raise that did not pay, are not used as parents.
    """

    corpus: tuple[Input, ...]
    bounds: Bounds
    size: int
    seed: object

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Programs:
        grammar = workshop.subject.grammar
        corpus = (Derivation(grammar, one.choices, one.text) for one in self.corpus)
        parents = [one for one in corpus if holding(one) <= self.bounds]
        if not parents:
            return Programs(Pool([], [], []), {})
        made = children(parents, workshop.sampler(self.bounds), self.size, self.seed)
        choices = {one.text: one.choices for one in made}
        pool = pool_of(workshop.target, choices)
        return Programs(pool, {text: choices[text] for text in pool.texts})


@dataclass(frozen=True, slots=True)
class KillMutants:
    """Finds out what kills a part of the mutants. Comes after the survey, and after all programs."""

    mutants: range
    bounds: Bounds
    keep_every: float = KEEP_EVERY
    state: bytes | None = None

    @property
    def size(self) -> int:
        return len(self.mutants)

    def resumed(self, state: bytes) -> "KillMutants":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Fates:
        [survey] = (one for one in before if isinstance(one, Survey))
        programs = _together(one for one in before if isinstance(one, Programs))
        found = Fates({}, {}) if self.state is None else from_bytes(self.state)
        assert isinstance(found, Fates)
        fates, killers = dict(found.fates), dict(found.killers)
        kept = monotonic()
        with Bench(workshop.subject, target=workshop.target) as bench:
            trial = _Trial(bench, survey.pool, programs, workshop.sampler(self.bounds), channel)
            for number, mutant in _numbered(bench, survey, self.mutants):
                if number in fates:
                    continue
                fate, killer = trial.outcome(mutant)
                if channel.stopping():  # what was found of this mutant may not be all
                    break
                fates[number] = fate
                if killer is not None:
                    killers[number] = killer
                channel.tell(len(fates))
                if monotonic() - kept >= self.keep_every:
                    channel.keep(to_bytes(Fates(fates, killers)))
                    kept = monotonic()
        return Fates(fates, killers)


@dataclass(frozen=True, slots=True)
class _Trial:
    """What mutants are run on: the grown corpus, then programs made from it, then smaller and smaller ones."""

    bench: Bench
    corpus: Pool
    programs: Programs
    sampler: Sampler
    channel: Channel

    def outcome(self, mutant: Mutant) -> tuple[Fate, Killer | None]:
        """Returns what becomes of a mutant, and its killer if a program catches it."""
        bench = self.bench
        killed = mutant in bench.kills([mutant], self.corpus)
        if mutant in bench.stillborn:
            return Fate.STILLBORN, None
        if killed:
            return Fate.KILLED, None
        first = bench.kills([mutant], self.programs.pool).get(mutant)
        if first is None:
            return Fate.SURVIVED, None
        return Fate.CAUGHT, self._made_smaller(mutant, first)

    def _made_smaller(self, mutant: Mutant, first: Kill) -> Killer:
        """Returns a killer that no single step makes smaller."""
        best = Killer(first.text, self.programs.choices[first.text], first.how)
        while not self.channel.stopping():
            derivation = Derivation(self.sampler.grammar, best.choices, best.text)
            nearby = {one.text: one.choices for one in smaller(derivation, self.sampler)}
            found = self.bench.kills([mutant], self.bench.pool(nearby)).get(mutant)
            if found is None:
                break
            best = Killer(found.text, nearby[found.text], found.how)
        return best


@dataclass(frozen=True, slots=True)
class JudgeKillers(_WithoutCheckpoint):
    """Runs the original on all killers that were found. Comes after all parts of the mutants."""

    size = 0

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Judged:
        killers = [one for part in before if isinstance(part, Fates) for one in part.killers.values()]
        # A text may have been found by several derivations: which one counts must not depend on an order.
        ordered = sorted(killers, key=lambda one: (size_of(one.text), one.choices), reverse=True)
        choices = {one.text: one.choices for one in ordered}
        texts = sorted(choices, key=size_of)
        pairs = zip(workshop.target.execute(texts), workshop.target.execute(texts), strict=True) if texts else ()
        inputs = [
            Input(text, choices[text], first.outcome is Outcome.VALID, recurring(first, again).features)
            for text, (first, again) in zip(texts, pairs, strict=True)
            if first.outcome in (Outcome.VALID, Outcome.INVALID)
        ]
        return Judged(inputs, pool_of(workshop.target, [one.text for one in inputs]))


@dataclass(frozen=True, slots=True)
class ChooseKillers(_WithoutCheckpoint):
    """Finds the smallest killing input of mutants that were caught: what kills one often kills others, too."""

    mutants: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.mutants)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Chosen | None:
        [survey] = (one for one in before if isinstance(one, Survey))
        [judged] = (one for one in before if isinstance(one, Judged))
        kills: dict[int, Kill] = {}
        with Bench(workshop.subject, target=workshop.target) as bench:
            for place, (number, mutant) in enumerate(_numbered(bench, survey, self.mutants), start=1):
                kill = bench.kills([mutant], judged.pool).get(mutant)
                if kill is not None:
                    kills[number] = kill
                if channel.stopping():
                    return None
                channel.tell(place)
        return Chosen(kills)


KillingStep = SurveyMutants | MakePrograms | KillMutants | JudgeKillers | ChooseKillers


def _numbered(bench: Bench, survey: Survey, numbers: Iterable[int]) -> Iterator[tuple[int, Mutant]]:
    """Yields mutants by their numbers. Raises an error where the program is not the one that was surveyed."""
    mutants = bench.made.mutants
    if [(one.name, one.change) for one in mutants] != survey.mutants:
        raise BonsaiError("the covered modules are not the same on all workers", "use the same program everywhere")
    return ((number, mutants[number]) for number in numbers)


def _together(parts: Iterable[Programs]) -> Programs:
    """Returns the programs of all parts, each text once, the smallest first."""
    rows: dict[str, tuple[str, int]] = {}
    choices: dict[str, Choices] = {}
    for part in parts:
        for text, answer, features in zip(part.pool.texts, part.pool.answers, part.pool.features, strict=True):
            rows.setdefault(text, (answer, features))
            choices.setdefault(text, part.choices[text])
    texts = sorted(rows, key=size_of)
    return Programs(Pool(texts, [rows[text][0] for text in texts], [rows[text][1] for text in texts]), choices)
