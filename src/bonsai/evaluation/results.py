"""Computes from the data of an evaluation one figure per technique, repetition and metric, and compares them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean, median, stdev

from bonsai.evaluation.records import (
    BONSAIS,
    PUBLISHED,
    REDUCED,
    Blind,
    Corpus,
    Data,
    Key,
    Measured,
    Scored,
    Scores,
    Step,
    Technique,
)
from bonsai.evaluation.statistics import Comparison, Summary, compare, summarise
from bonsai.targets.execution import Outcome

HEATMAP = "heatmap"


@dataclass(frozen=True, slots=True)
class Entry:
    """One technique in one repetition."""

    corpus: Corpus
    measured: Measured
    scored: Scored | None


class _WholeOnly:
    """A figure that only a whole corpus has; of a sample, it would mean nothing."""

    def __init__(self, figure: Callable[[Entry], float]) -> None:
        self._figure = figure

    def __call__(self, entry: Entry) -> float | None:
        return None if entry.corpus.sample_of else self._figure(entry)


def _killed(entry: Entry) -> float | None:
    return entry.scored.killed / (entry.scored.mutants or 1) if entry.scored else None


def _killed_with_fuzzing(entry: Entry) -> float | None:
    return entry.scored.killed_with_fuzzing / (entry.scored.mutants or 1) if entry.scored else None


def _valid(entry: Entry) -> float:
    return entry.measured.outcomes.count(Outcome.VALID.value) / (len(entry.measured.outcomes) or 1)


def _deviation(sizes: Sequence[int]) -> float:
    return stdev(sizes) if len(sizes) > 1 else 0.0


FILES, MEAN, MEAN_PARSING = "files", "mean size", "mean size, parsing files"
DEVIATION = "deviation of sizes"
VALID, BRANCHES, KILLED, KILLED_WITH_FUZZING = "valid", "branches", "mutants killed", "killed with fuzzing"
BY_VALID = "features by valid inputs"
# What is measured of every technique in every repetition; shares are from 0 to 1.
METRICS: dict[str, Callable[[Entry], float | None]] = {
    FILES: lambda entry: entry.corpus.sample_of or len(entry.corpus.texts),
    MEAN: lambda entry: fmean(entry.measured.sizes),
    DEVIATION: lambda entry: _deviation(entry.measured.sizes),
    "median size": lambda entry: median(entry.measured.sizes),
    MEAN_PARSING: lambda entry: fmean(entry.measured.parsing or [0]),
    "deviation of sizes, parsing files": lambda entry: _deviation(entry.measured.parsing),
    "median size, parsing files": lambda entry: median(entry.measured.parsing or [0]),
    "total size": _WholeOnly(lambda entry: sum(entry.measured.sizes)),
    "unparsed": lambda entry: len(entry.measured.sizes) - len(entry.measured.parsing),
    VALID: _valid,
    "features": _WholeOnly(lambda entry: entry.measured.features / (entry.measured.features_total or 1)),
    BY_VALID: _WholeOnly(lambda entry: entry.measured.features_by_valid / (entry.measured.features_total or 1)),
    BRANCHES: _WholeOnly(lambda entry: entry.measured.branches.covered / (entry.measured.branches.total or 1)),
    "lines": _WholeOnly(lambda entry: entry.measured.lines.covered / (entry.measured.lines.total or 1)),
    KILLED: _killed,
    KILLED_WITH_FUZZING: _killed_with_fuzzing,
    "seconds": lambda entry: entry.corpus.seconds,
    "executions": lambda entry: entry.corpus.executions,
}
SHARES = {
    VALID,
    "features",
    BY_VALID,
    BRANCHES,
    "lines",
    KILLED,
    KILLED_WITH_FUZZING,
}
COMPARED = (FILES, MEAN, MEAN_PARSING, DEVIATION, VALID, BY_VALID, BRANCHES, KILLED, KILLED_WITH_FUZZING)
PAIRS = (
    *product(BONSAIS, (Technique.BASELINE, *REDUCED)),
    (Technique.BONSAI, Technique.BONSAI_PAPER),
    (Technique.PUBLISHED_BONSAI, Technique.PUBLISHED_BASELINE),
    *product(BONSAIS, PUBLISHED.values()),
)


def _scores(data: Data, done: Sequence[Key]) -> dict[tuple[int, str], Scored]:
    """All scores, by repetition and technique."""
    found: dict[tuple[int, str], Scored] = {}
    for key in done:
        if key.step is Step.SCORED:
            scores = data.load(str(key))
            assert isinstance(scores, Scores)
            found |= {(key.repetition, name): scored for name, scored in scores.scored.items()}
    return found


class Results:
    """All that is known of an evaluation, complete or not."""

    def __init__(self, data: Data) -> None:
        self.entries: dict[str, dict[int, Entry]] = {}
        done = list(data.done())
        scores = _scores(data, done)
        for key in done:
            if key.step is Step.MEASURED:
                corpus, measured = data.load(str(replace(key, step=Step.CORPUS))), data.load(str(key))
                assert isinstance(corpus, Corpus)
                assert isinstance(measured, Measured)
                if corpus.texts:
                    entry = Entry(corpus, measured, scores.get((key.repetition, key.name)))
                    self.entries.setdefault(key.name, {})[key.repetition] = entry
        blind = data.load(HEATMAP)
        self.points = blind.points if isinstance(blind, Blind) else []

    @property
    def techniques(self) -> list[Technique]:
        """Those of which there is something, in the order of tables."""
        return [technique for technique in Technique if technique.value in self.entries]

    @property
    def repetitions(self) -> int:
        """How many there are of Bonsai."""
        return len(self.of(Technique.BONSAI.value))

    def of(self, name: str) -> list[Entry]:
        """The repetitions of a technique, or of a variant of the ablation."""
        return [entry for _, entry in sorted(self.entries.get(name, {}).items())]

    def values(self, name: str, metric: str) -> list[float]:
        """One figure for each repetition of which it is known."""
        found = (METRICS[metric](entry) for entry in self.of(name))
        return [value for value in found if value is not None]

    def summary(self, name: str, metric: str) -> Summary | None:
        """Mean and deviation over the repetitions."""
        values = self.values(name, metric)
        return summarise(values) if values else None

    def mean(self, technique: Technique, metric: str) -> float | None:
        """The mean over the repetitions."""
        found = self.summary(technique.value, metric)
        return None if found is None else found.mean

    def change(self, name: str, other: str, metric: str) -> float | None:
        """By which share a figure is larger than that of another, on average."""
        first, second = self.summary(name, metric), self.summary(other, metric)
        return first.mean / second.mean - 1 if first and second and second.mean else None

    def sizes(self, technique: Technique) -> list[int]:
        """The sizes of all files of all repetitions."""
        return [size for entry in self.of(technique.value) for size in entry.measured.sizes]

    def parsing_sizes(self, technique: Technique) -> list[int]:
        """The same of the files that parse."""
        return [size for entry in self.of(technique.value) for size in entry.measured.parsing]

    def compared(self) -> Iterator[tuple[str, Technique, Technique, Comparison]]:
        """Yields all pairs in all that they are compared in, each by one figure per repetition."""
        for first, second in PAIRS:
            for metric in COMPARED:
                one, other = self.values(first.value, metric), self.values(second.value, metric)
                if one and other:
                    yield metric, first, second, compare(one, other)
