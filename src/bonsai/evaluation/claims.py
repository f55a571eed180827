"""Results come in; whether what the paper claims holds here goes out, each claim with what was measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from statistics import stdev

from bonsai.evaluation.paper import EVEN_BRANCHES, EVEN_SCORE, Printed
from bonsai.evaluation.records import BONSAIS, REDUCED, Technique
from bonsai.evaluation.results import (
    BRANCHES,
    FILES,
    KILLED,
    KILLED_WITH_FUZZING,
    MEAN_PARSING,
    VALID,
    Results,
)
from bonsai.evaluation.statistics import Comparison, compare

# What the project asks of itself, beyond the paper: the mean size against the better reduced baseline; its goal.
SMALLER, MUCH_SMALLER = 0.30, 0.40


class Verdict(Enum):
    """Whether a claim holds."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "is not decided"  # it looks so, but so few repetitions may show it by chance


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed, of which Bonsai, and what was measured. `topic` is the section that it belongs to."""

    topic: str
    paper: str
    technique: Technique
    here: str
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.paper} Here, with {self.technique.label}: {self.here}. The claim {self.verdict.value}."


def claims(results: Results, paper: Printed | None) -> Iterator[Claim]:
    """All that can be said from what was measured so far, of the paper's own policy and of the smallest."""
    for bonsai in BONSAIS:
        if bonsai in results.techniques:
            yield from _sizes(results, bonsai, paper)
            yield from _files(results, bonsai, paper)
            yield from _validity(results, bonsai, paper)
            yield from _coverage(results, bonsai, paper)
            yield from _scores(results, bonsai, paper)
            yield from _time(results, bonsai)


def _decided(claimed: bool, found: Comparison) -> Verdict:
    """A difference in the claimed direction counts if it is significant."""
    if not claimed:
        return Verdict.FAILS
    return Verdict.HOLDS if found.significant else Verdict.OPEN


def _statistics(found: Comparison) -> str:
    return f"p = {found.p:.2g}, A12 = {found.a12:.2f}"


def _change(first: float, second: float, more: str, less: str) -> str:
    """How the first differs from the second, in per cent."""
    change = first / second - 1 if second else 0.0
    return f"{abs(change):.1%} {more if change > 0 else less}"


def _sizes(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Claim]:
    printed = {
        Technique.GRAMMAR: paper.smaller_than_grammar if paper else None,
        Technique.CHARACTERS: paper.smaller_than_characters if paper else None,
    }
    for reduced in (one for one in REDUCED if one in results.techniques):
        found = compare(results.sizes(bonsai), results.sizes(reduced))
        first, second = found.first.mean, found.second.mean
        figure = printed.get(reduced)
        said = f"Files are smaller than those of the {reduced.label.lower()}"
        said += f", by {figure:.2%} on average." if figure is not None else "."
        here = f"{first:.1f} against {second:.1f} characters, {_change(first, second, 'larger', 'smaller')}"
        sampled = (
            ", of which there is a sample" if any(e.corpus.sample_of for e in results.of(reduced.value)) else ""
        )
        verdict = _decided(first < second, found)
        yield Claim("sizes", said, bonsai, f"{here}{sampled} ({_statistics(found)})", verdict)
        deviations = [stdev(results.sizes(one)) if len(results.sizes(one)) > 1 else 0 for one in (bonsai, reduced)]
        said = f"The sizes vary much less than those of the {reduced.label.lower()}."
        here = f"a standard deviation of {deviations[0]:.1f} against {deviations[1]:.1f}"
        verdict = Verdict.HOLDS if deviations[0] < deviations[1] else Verdict.FAILS
        yield Claim("sizes", said, bonsai, here, verdict)


def _files(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Claim]:
    found = _compared(results, bonsai, FILES)
    if found is not None:
        first, second = found.first.mean, found.second.mean
        said = "The corpus has fewer files than the baseline"
        said += f", by {1 - paper.bonsai_files[0] / paper.baseline_files[0]:.0%}." if paper else "."
        here = f"{first:.1f} against {second:.1f}, {_change(first, second, 'more', 'fewer')} ({_statistics(found)})"
        yield Claim("files", said, bonsai, here, _decided(first < second, found))


def _validity(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Claim]:
    found = _compared(results, bonsai, VALID)
    if found is not None:
        first, second = found.first.mean, found.second.mean
        said = "More of the corpus is valid than of the baseline"
        said += f", an improvement of {paper.validity_gain:.0%}." if paper else "."
        here = f"{first:.1%} against {second:.1%} ({_statistics(found)})"
        yield Claim("validity", said, bonsai, here, _decided(first > second, found))


def _coverage(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Claim]:
    found = _compared(results, bonsai, BRANCHES)
    if found is not None:
        ratio = found.first.mean / found.second.mean if found.second.mean else 1.0
        said = "Branch coverage is about that of the baseline"
        if paper:
            loss = paper.branch_loss
            said += ", insignificantly different." if loss is None else f", with a loss of {loss:.3%}."
        here = (
            f"{ratio:.1%} of the baseline's: {found.first.mean:.1%} against {found.second.mean:.1%} of all branches"
        )
        verdict = Verdict.HOLDS if ratio >= EVEN_BRANCHES else Verdict.FAILS
        yield Claim("coverage", said, bonsai, f"{here} ({_statistics(found)})", verdict)


def _scores(results: Results, bonsai: Technique, paper: Printed | None) -> Iterator[Claim]:
    alone = results.mean(bonsai, KILLED)
    if alone is not None and paper and paper.bonsai_alone:
        said = f"The corpus alone kills {paper.bonsai_alone:.0%} of the mutants."
        verdict = Verdict.HOLDS if alone >= paper.bonsai_alone else Verdict.FAILS
        yield Claim("mutants", said, bonsai, f"{alone:.1%}", verdict)
    found = _compared(results, bonsai, KILLED_WITH_FUZZING)
    if found is not None:
        ratio = found.first.mean / found.second.mean if found.second.mean else 1.0
        said = "With black-box fuzzing it kills about as many mutants as the baseline"
        if paper and paper.bonsai_score and paper.baseline_score:
            said += f", {paper.bonsai_score[0]:.1%} against {paper.baseline_score[0]:.1%}"
        here = f"{found.first.mean:.1%} against {found.second.mean:.1%}, {ratio:.1%} of it ({_statistics(found)})"
        verdict = Verdict.HOLDS if ratio >= EVEN_SCORE else Verdict.FAILS
        yield Claim("mutants", f"{said}.", bonsai, here, verdict)


def _time(results: Results, bonsai: Technique) -> Iterator[Claim]:
    entries = [entry for one in REDUCED for entry in results.of(one.value)]
    if entries:
        least = min(entry.corpus.cpu_seconds for entry in entries)
        said = "Small inputs come without any time for post-processing, which the baseline needs."
        here = f"at least {least:.0f} s of processor time to reduce one baseline, none after growing"
        yield Claim("time", said, bonsai, here, Verdict.HOLDS if least > 0 else Verdict.FAILS)


def goals(results: Results) -> Iterator[Claim]:
    """What this project asks of itself, in the paper's own margins."""
    bonsai = Technique.BONSAI
    whole = {one: results.mean(one, MEAN_PARSING) for one in REDUCED if results.mean(one, MEAN_PARSING)}
    size = results.mean(bonsai, MEAN_PARSING)
    if size is not None and whole:
        better = min(whole, key=lambda one: whole[one] or 0)
        other = whole[better] or 1.0
        said = (
            f"Over parsing files, the mean size is at least {SMALLER:.0%} (goal: {MUCH_SMALLER:.0%}) below the "
            "better reduced baseline."
        )
        here = f"{size:.1f} against {other:.1f} ({better.label.lower()}), {_change(size, other, 'above', 'below')}"
        yield Claim("goals", said, bonsai, here, _met(size <= (1 - SMALLER) * other))
    for metric, share, what in (
        (BRANCHES, EVEN_BRANCHES, "third-party branch coverage"),
        (KILLED, EVEN_SCORE, "mutation score, the corpus alone"),
        (KILLED_WITH_FUZZING, EVEN_SCORE, "mutation score with black-box fuzzing"),
    ):
        first, second = results.mean(bonsai, metric), results.mean(Technique.BASELINE, metric)
        if first is not None and second:
            said = f"At least {share:.1%} (goal: no loss) of the baseline's {what}."
            here = f"{first / second:.1%}: {first:.1%} against {second:.1%}"
            yield Claim("goals", said, bonsai, here, _met(first >= share * second))


def _met(reached: bool) -> Verdict:
    return Verdict.HOLDS if reached else Verdict.FAILS


def _compared(results: Results, bonsai: Technique, metric: str) -> Comparison | None:
    first, second = results.values(bonsai.value, metric), results.values(Technique.BASELINE.value, metric)
    return compare(first, second) if first and second else None


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
