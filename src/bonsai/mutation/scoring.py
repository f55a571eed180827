"""Computes the mutation score of a corpus, alone and with black-box fuzzing from it, as in the paper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from bonsai.mutation.bench import Bench, Kill
from bonsai.mutation.mutants import Mutant
from bonsai.mutation.neighbours import black_box, parsed
from bonsai.subject import Subject

Watch = Callable[[int, int, str], None]


def unwatched(done: int, tasks: int, what: str) -> None:
    """For those who do not want to know how far it is."""


@dataclass(frozen=True, slots=True)
class Score:
    """What killed the mutants: an input of the corpus, or else one that was made from it."""

    mutants: list[Mutant]
    by_corpus: dict[Mutant, Kill]
    by_fuzzing: dict[Mutant, Kill]
    children: int
    seconds: float

    @property
    def survivors(self) -> list[Mutant]:
        """What nothing killed."""
        return [one for one in self.mutants if one not in self.by_corpus and one not in self.by_fuzzing]

    @property
    def of_corpus(self) -> float:
        """The share of mutants that the corpus alone kills."""
        return len(self.by_corpus) / (len(self.mutants) or 1)

    @property
    def with_fuzzing(self) -> float:
        """The share of mutants that the corpus kills, or black-box fuzzing from it."""
        return (len(self.by_corpus) + len(self.by_fuzzing)) / (len(self.mutants) or 1)


def score(
    bench: Bench, subject: Subject, texts: Sequence[str], fuzz: int = 0, seed: int = 0, watch: Watch = unwatched
) -> Score:
    """Run all mutants on a corpus; those that survive, on `fuzz` programs that are made from it."""
    [found] = scores(bench, subject, [texts], fuzz, seed, watch)
    return found


def scores(
    bench: Bench,
    subject: Subject,
    corpora: Sequence[Sequence[str]],
    fuzz: int = 0,
    seed: int = 0,
    watch: Watch = unwatched,
) -> list[Score]:
    """The scores of several corpora, side by side: a mutant is imported once for all of them.

    All survivors of a corpus meet the same programs: the original has to run on each of them only once.
    """
    started = monotonic()
    pools = [bench.pool(texts) for texts in corpora]
    by_corpus = bench.kills_in(
        pools, [bench.mutants] * len(pools), lambda done, tasks: watch(done, tasks, "mutants on the corpus")
    )
    made = [_programs(subject, texts, fuzz, seed) for texts in corpora]
    survivors = [[one for one in bench.mutants if one not in killed] for killed in by_corpus]
    by_fuzzing = bench.kills_in(
        [bench.pool(programs) for programs in made],
        [some if programs else [] for some, programs in zip(survivors, made, strict=True)],
        lambda done, tasks: watch(done, tasks, "survivors fuzzed"),
    )
    seconds = monotonic() - started
    return [
        Score(bench.mutants, alone, fuzzed, len(programs), seconds)
        for alone, fuzzed, programs in zip(by_corpus, by_fuzzing, made, strict=True)
    ]


def _programs(subject: Subject, texts: Sequence[str], fuzz: int, seed: int) -> list[str]:
    """What black-box fuzzing from a corpus makes."""
    parents = parsed(subject, texts) if fuzz else []
    if not parents:
        return []
    return [child.text for child in black_box(parents, subject.bounds, fuzz, seed)]
