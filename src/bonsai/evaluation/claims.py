"""Decides whether what the paper claims holds here, with one test for each claim.

A claim compares one figure per repetition with the same figure of the other side, or with a share of it: the files
of one corpus are not independent of each other. The direction and the significance come from one test. It is
two-sided, so a claim may hold, may be refuted, or may stay undecided. P-values are corrected by Holm's method over
the claims about one Bonsai, and over the goals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from bonsai.evaluation.paper import EVEN_BRANCHES, EVEN_SCORE, Printed
from bonsai.evaluation.records import BONSAIS, REDUCED, Technique
from bonsai.evaluation.results import (
    BRANCHES,
    DEVIATION,
    FILES,
    KILLED,
    KILLED_WITH_FUZZING,
    MEAN,
    MEAN_PARSING,
    VALID,
    Results,
)
from bonsai.evaluation.statistics import SIGNIFICANT, Comparison, compare, compare_with, holm

# What the project asks of itself, beyond the paper: the mean size against the better reduced baseline; its goal.
SMALLER, MUCH_SMALLER = 0.30, 0.40
MUCH_LESS = 0.5  # the share of another deviation that counts as much less


class Verdict(Enum):
    """Whether a claim holds."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "is not decided"  # whatever it looks like, so few repetitions may show it by chance


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed, of which Bonsai, and what was measured. `topic` is the section that it belongs to.

    `p` is corrected.
    """

    topic: str
    paper: str
    technique: Technique
    here: str
    p: float
    a12: float
    verdict: Verdict

    def __str__(self) -> str:
        here = f"{self.here} (p = {self.p:.2g}, A12 = {self.a12:.2f})"
        return f"{self.paper} Here, with {self.technique.label}: {here}. The claim {self.verdict.value}."


class Side(Enum):
    """On which side of the other figures those of Bonsai are claimed to be."""

    BELOW = "below"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Tested:
    """A claim and its test, before anything is known of the other tests. The first side is Bonsai's."""

    topic: str
    paper: str
    technique: Technique
    here: str
    test: Comparison
    side: Side


def judged(tested: Sequence[Tested]) -> list[Claim]:
    """Returns the claims with their verdicts, corrected for how many of them are tested together."""
    adjusted = holm([one.test.p for one in tested])
    return [
        Claim(one.topic, one.paper, one.technique, one.here, p, one.test.a12, _verdict(one, p))
        for one, p in zip(tested, adjusted, strict=True)
    ]


def _verdict(tested: Tested, p: float) -> Verdict:
    if p >= SIGNIFICANT:
        return Verdict.OPEN
    is_below = tested.test.a12 < 0.5
    return Verdict.HOLDS if is_below == (tested.side is Side.BELOW) else Verdict.FAILS


def claims(results: Results, paper: Printed | None) -> Iterator[Claim]:
    """Yields all that can be said from what was measured so far, of the paper's own policy and of the smallest."""
    for bonsai in BONSAIS:
        if bonsai in results.techniques:
            yield from judged(
                [
                    *_sizes(results, bonsai, paper),
                    *_files(results, bonsai, paper),
                    *_validity(results, bonsai, paper),
                    *_coverage(results, bonsai, paper),
                    *_scores(results, bonsai, paper),
                    *_time(results, bonsai),
                ]
            )


def _change(first: float, second: float, more: str, less: str) -> str:
    """Returns how the first differs from the second, in per cent."""
    change = first / second - 1 if second else 0.0
    return f"{abs(change):.1%} {more if change > 0 else less}"


def _sizes(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Tested]:
    printed = {
        Technique.GRAMMAR: paper.smaller_than_grammar if paper else None,
        Technique.CHARACTERS: paper.smaller_than_characters if paper else None,
    }
    for reduced in (one for one in REDUCED if one in results.techniques):
        test = compare(results.values(bonsai.value, MEAN), results.values(reduced.value, MEAN))
        first, second = test.first.mean, test.second.mean
        figure = printed.get(reduced)
        said = f"Files are smaller than those of the {reduced.label.lower()}"
        said += f", by {figure:.2%} on average." if figure is not None else "."
        here = f"{first:.1f} against {second:.1f} characters, {_change(first, second, 'larger', 'smaller')}"
        is_sampled = any(entry.corpus.sample_of for entry in results.of(reduced.value))
        sampled = ", of which there is a sample" if is_sampled else ""
        yield Tested("sizes", said, bonsai, f"{here}{sampled}", test, Side.BELOW)
        ours, theirs = results.values(bonsai.value, DEVIATION), results.values(reduced.value, DEVIATION)
        said = f"The sizes vary much less than those of the {reduced.label.lower()}."
        test = compare(ours, [MUCH_LESS * one for one in theirs])
        here = (
            f"a standard deviation of {test.first.mean:.1f} against {test.second.mean / MUCH_LESS:.1f}, where less "
            f"than {MUCH_LESS:.0%} of it counts as much less"
        )
        yield Tested("sizes", said, bonsai, here, test, Side.BELOW)


def _files(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Tested]:
    test = _against_baseline(results, bonsai, FILES)
    if test is not None:
        first, second = test.first.mean, test.second.mean
        said = "The corpus has fewer files than the baseline"
        said += f", by {1 - paper.bonsai_files[0] / paper.baseline_files[0]:.0%}." if paper else "."
        here = f"{first:.1f} against {second:.1f}, {_change(first, second, 'more', 'fewer')}"
        yield Tested("files", said, bonsai, here, test, Side.BELOW)


def _validity(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Tested]:
    test = _against_baseline(results, bonsai, VALID)
    if test is not None:
        said = "More of the corpus is valid than of the baseline"
        said += f", an improvement of {paper.validity_gain:.0%}." if paper else "."
        here = f"{test.first.mean:.1%} against {test.second.mean:.1%}"
        yield Tested("validity", said, bonsai, here, test, Side.ABOVE)


def _coverage(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Tested]:
    test = _against_baseline(results, bonsai, BRANCHES, EVEN_BRANCHES)
    if test is not None:
        said = "Branch coverage is about that of the baseline"
        if paper:
            loss = paper.branch_loss
            said += ", insignificantly different." if loss is None else f", with a loss of {loss:.3%}."
        else:
            said += "."
        yield Tested("coverage", said, bonsai, _even(test, EVEN_BRANCHES), test, Side.ABOVE)


def _scores(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Tested]:
    alone = results.values(bonsai.value, KILLED)
    if alone and paper and paper.bonsai_alone:
        said = f"The corpus alone kills {paper.bonsai_alone:.0%} of the mutants, or more."
        test = compare_with(alone, paper.bonsai_alone)
        yield Tested("mutants", said, bonsai, f"{test.first.mean:.1%}", test, Side.ABOVE)
    fuzzed = _against_baseline(results, bonsai, KILLED_WITH_FUZZING, EVEN_SCORE)
    if fuzzed is not None:
        said = "With black-box fuzzing it kills about as many mutants as the baseline"
        if paper and paper.bonsai_score and paper.baseline_score:
            said += f", {paper.bonsai_score[0]:.1%} against {paper.baseline_score[0]:.1%}"
        yield Tested("mutants", f"{said}.", bonsai, _even(fuzzed, EVEN_SCORE), fuzzed, Side.ABOVE)


def _even(test: Comparison, share: float) -> str:
    """Returns what a test of non-inferiority compares, and its margin."""
    first, second = test.first.mean, test.second.mean / share
    ratio = first / second if second else 1.0
    margin = f"where more than {share:.1%} counts as about as much"
    return f"{first:.1%} against {second:.1%}, {ratio:.1%} of it, {margin}"


def _time(results: Results, bonsai: Technique) -> Iterator[Tested]:
    """Yields the claim on time after growing. Pruning counts; only reductions of whole baselines are compared."""
    pruning = [entry.corpus.pruning_seconds for entry in results.of(bonsai.value)]
    known = [one for one in pruning if one is not None]
    reducing: dict[int, float] = {}
    for one in REDUCED:
        for repetition, entry in results.entries.get(one.value, {}).items():
            if not entry.corpus.sample_of:
                seconds = entry.corpus.cpu_seconds
                reducing[repetition] = min(seconds, reducing.get(repetition, seconds))
    if known and reducing:
        test = compare(known, list(reducing.values()))
        said = "Small inputs need less time for post-processing than reducing the baseline takes (the paper: none)."
        here = (
            f"{test.first.mean:.1f} s for pruning, against {test.second.mean:.1f} s of processor time for the "
            "quickest reduction"
        )
        yield Tested("time", said, bonsai, here, test, Side.BELOW)


def goals(results: Results) -> list[Claim]:
    """Returns what this project asks of itself, in the paper's own margins."""
    return judged([*_size_goal(results), *_even_goals(results)])


def _size_goal(results: Results) -> Iterator[Tested]:
    bonsai = Technique.BONSAI
    reduced = {one: mean for one in REDUCED if (mean := results.mean(one, MEAN_PARSING))}
    ours = results.values(bonsai.value, MEAN_PARSING)
    if ours and reduced:
        better = min(reduced, key=lambda one: reduced[one])
        test = compare(ours, [(1 - SMALLER) * one for one in results.values(better.value, MEAN_PARSING)])
        said = (
            f"Over parsing files, the mean size is at least {SMALLER:.0%} (goal: {MUCH_SMALLER:.0%}) below the "
            "better reduced baseline."
        )
        size, other = test.first.mean, reduced[better]
        here = f"{size:.1f} against {other:.1f} ({better.label.lower()}), {_change(size, other, 'above', 'below')}"
        yield Tested("goals", said, bonsai, here, test, Side.BELOW)


def _even_goals(results: Results) -> Iterator[Tested]:
    bonsai = Technique.BONSAI
    for metric, share, what in (
        (BRANCHES, EVEN_BRANCHES, "third-party branch coverage"),
        (KILLED, EVEN_SCORE, "mutation score, the corpus alone"),
        (KILLED_WITH_FUZZING, EVEN_SCORE, "mutation score with black-box fuzzing"),
    ):
        test = _against_baseline(results, bonsai, metric, share)
        if test is not None and test.second.mean:
            first, second = test.first.mean, test.second.mean / share
            said = f"At least {share:.1%} (goal: no loss) of the baseline's {what}."
            here = f"{first / second:.1%}: {first:.1%} against {second:.1%}"
            yield Tested("goals", said, bonsai, here, test, Side.ABOVE)


def _against_baseline(results: Results, bonsai: Technique, metric: str, share: float = 1.0) -> Comparison | None:
    """Returns Bonsai's figures compared with a share of the baseline's, or None if there are none."""
    first, second = results.values(bonsai.value, metric), results.values(Technique.BASELINE.value, metric)
    return compare(first, [share * one for one in second]) if first and second else None


def blind_claim(results: Results, paper: Printed | None) -> str:
    """What the heat-maps show: programs get less valid as bounds grow, and cover more."""
    if not results.points:
        return ""
    ordered = sorted(results.points, key=lambda one: one.idents + one.items + one.depth)
    low, high = ordered[0], ordered[-1]
    three = next((p for p in results.points if (p.idents, p.items, p.depth) == (3, 3, 3)), None)
    held = low.valid > high.valid and low.covered < high.covered
    said = (
        f"From the smallest to the largest bounds, validity goes from {low.valid:.0%} to {high.valid:.0%} and "
        f"coverage from {low.covered} to {high.covered} of {low.total} features: "
        f"that larger programs cover more and are seldom valid {'holds' if held else 'does not hold'} here."
    )
    if three and paper and paper.valid_when_blind:
        said += f" At (3,3,3), {three.valid:.0%} are valid; in the paper {paper.valid_when_blind:.0%}."
    return said
