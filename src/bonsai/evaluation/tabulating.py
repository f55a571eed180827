"""Results come in; tables go out, as CSV and for people: those of the paper, and all that is behind them."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bonsai.evaluation.ablation import COMPLETE, PREFIX
from bonsai.evaluation.paper import Printed
from bonsai.evaluation.records import BONSAIS, REDUCED, Technique
from bonsai.evaluation.results import (
    BRANCHES,
    BY_VALID,
    FILES,
    KILLED,
    KILLED_WITH_FUZZING,
    MEAN,
    METRICS,
    SHARES,
    VALID,
    Results,
)
from bonsai.evaluation.statistics import Comparison, Summary, compare, holm, summarise

UNKNOWN = "–"
P_FOR_PEOPLE = "p (Mann–Whitney U, Holm)"
Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people. `name` is that of its files."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def write_rows(path: Path, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """A table for programs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def shown(metric: str, summary: Summary | None) -> str:
    """Mean ± deviation, if there are several; shares in per cent."""
    if summary is None:
        return UNKNOWN
    scale, unit = (100, " %") if metric in SHARES else (1, "")
    deviation = f" ± {summary.deviation * scale:,.1f}" if summary.number > 1 else ""
    return f"{summary.mean * scale:,.1f}{deviation}{unit}"


def _printed(pair: tuple[float, float] | None, scale: float = 1, unit: str = "") -> str:
    return UNKNOWN if pair is None else f"{pair[0] * scale:.1f} ± {pair[1] * scale:.1f}{unit}"


def overview(results: Results) -> Table:
    """Everything that is measured, of all techniques."""
    metrics = [metric for metric in METRICS if any(results.values(one.value, metric) for one in results.techniques)]
    return Table(
        "overview",
        "All figures (mean ± standard deviation over repetitions)",
        ["", *(technique.label for technique in results.techniques)],
        [
            [metric, *(shown(metric, results.summary(one.value, metric)) for one in results.techniques)]
            for metric in metrics
        ],
    )


def reduction_time(results: Results, paper: Printed | None) -> Table:
    """The paper's table of times to minimise."""
    printed = {
        Technique.GRAMMAR: _printed(paper.grammar_minutes) if paper else UNKNOWN,
        Technique.CHARACTERS: _printed(paper.characters_minutes) if paper else UNKNOWN,
    }
    rows = []
    for technique in REDUCED:
        entries = results.of(technique.value)
        minutes = [entry.corpus.cpu_seconds / 60 for entry in entries]
        sampled = next((entry.corpus for entry in entries if entry.corpus.sample_of), None)
        note = f" ({len(sampled.texts)} of {sampled.sample_of} inputs)" if sampled else ""
        here = f"{_minutes(summarise(minutes))}{note}" if minutes else UNKNOWN
        rows.append([technique.label, here, printed.get(technique, UNKNOWN)])
    title = "Time to minimise the baseline (minutes of processor time, mean ± standard deviation)"
    return Table("reduction-time", title, ["", "here", "in the paper"], rows)


def _minutes(summary: Summary) -> str:
    """With two digits: a quick evaluation takes seconds."""
    return f"{summary.mean:.2f}" + (f" ± {summary.deviation:.2f}" if summary.number > 1 else "")


def corpus_size(results: Results, paper: Printed | None) -> Table:
    """The paper's table of the number of files."""
    printed = {
        Technique.BASELINE: _printed(paper.baseline_files) if paper else UNKNOWN,
        Technique.BONSAI_PAPER: _printed(paper.bonsai_files) if paper else UNKNOWN,
    }
    wanted = (Technique.BASELINE, *BONSAIS, Technique.PUBLISHED_BASELINE, Technique.PUBLISHED_BONSAI)
    rows = [
        [one.label, shown(FILES, results.summary(one.value, FILES)), printed.get(one, UNKNOWN)]
        for one in wanted
        if one in results.techniques
    ]
    title = "Number of files in the corpus (mean ± standard deviation)"
    return Table("corpus-size", title, ["", "here", "in the paper"], rows)


def mutation_scores(results: Results, paper: Printed | None) -> Table:
    """The paper's table of mutation scores, and the score of the corpus alone."""
    fuzzed = {
        Technique.BASELINE: _printed(paper.baseline_score, 100, " %") if paper else UNKNOWN,
        **{one: _printed(paper.bonsai_score, 100, " %") if paper else UNKNOWN for one in BONSAIS},
    }
    alone = paper.bonsai_alone if paper else None
    rows = [
        [
            one.label,
            shown(KILLED, results.summary(one.value, KILLED)),
            f"{alone:.0%}" if alone and one in BONSAIS else UNKNOWN,
            shown(KILLED_WITH_FUZZING, results.summary(one.value, KILLED_WITH_FUZZING)),
            fuzzed.get(one, UNKNOWN),
        ]
        for one in results.techniques
        if results.values(one.value, KILLED)
    ]
    header = ["", "alone, here", "alone, in the paper", "with fuzzing, here", "with fuzzing, in the paper"]
    return Table("mutation-scores", "Mutation scores (mean ± standard deviation)", header, rows)


ABLATED = (FILES, MEAN, VALID, "features", BY_VALID, BRANCHES, "executions", "seconds")


def ablation(results: Results) -> Table:
    """Returns what growing is without one of its parts; mean sizes are compared with the complete settings."""
    names = [name for name in results.entries if name.startswith(PREFIX)]
    names.sort(key=lambda name: (name != COMPLETE, name))
    compared = _against_complete(results, [name for name in names if name != COMPLETE])
    rows = []
    for name in names:
        figures = [shown(metric, results.summary(name, metric)) for metric in ABLATED]
        rows.append([shown_variant(name), *figures, *compared.get(name, [UNKNOWN] * 3)])
    header = ["", *ABLATED, "mean size against complete", P_FOR_PEOPLE, "A12 (Vargha–Delaney)"]
    return Table("ablation", "Bonsai with one thing switched off", header, rows)


def shown_variant(name: str) -> str:
    """The name of a variant for people."""
    return name.removeprefix(PREFIX).replace("-", " ")


def _against_complete(results: Results, names: Sequence[str]) -> dict[str, list[str]]:
    """Returns the cells of each variant: by how much its mean size differs, and whether that may be chance."""
    complete = results.values(COMPLETE, MEAN)
    if not complete:
        return {}
    found = {name: compare(results.values(name, MEAN), complete) for name in names}
    cells = {}
    for (name, one), p in zip(found.items(), _corrected(found.values()), strict=True):
        change = results.change(name, COMPLETE, MEAN)
        cells[name] = [UNKNOWN if change is None else f"{change:+.1%}", f"{p:.2g}", f"{one.a12:.2f}"]
    return cells


def _corrected(found: Iterable[Comparison]) -> list[float]:
    """Returns the p-values of tests that stand in one table."""
    return holm([one.p for one in found])


def contributions(results: Results) -> list[str]:
    """What is worst to do without, a sentence for each of the metrics that Bonsai is for."""
    names = [name for name in results.entries if name.startswith(PREFIX) and name != COMPLETE]
    said = []
    for metric, sign, what in (
        (MEAN, 1, "Files are larger"),
        (BY_VALID, -1, "Valid inputs reach less"),
        (BRANCHES, -1, "Fewer branches are covered"),
    ):
        changes = {name: results.change(name, COMPLETE, metric) for name in names}
        worse = {name: change for name, change in changes.items() if change is not None and sign * change > 0}
        worst = sorted(worse, key=lambda name: -abs(worse[name]))[:3]
        listed = ", ".join(f"{shown_variant(name)} ({worse[name]:+.1%})" for name in worst)
        said.append(f"{what}, the worst first: {listed}." if worst else f"{what}: in no variant.")
    return said if names else []


def comparisons(results: Results) -> tuple[list[str], list[list[Cell]]]:
    """Returns all pairs, for programs."""
    header = ["metric", "first", "second", "first mean", "first sd", "second mean", "second sd", "U", "p"]
    header += ["p (Holm)", "A12"]
    compared = list(results.compared())
    rows: list[list[Cell]] = [
        [
            metric,
            first.value,
            second.value,
            found.first.mean,
            found.first.deviation,
            found.second.mean,
            found.second.deviation,
            found.u,
            found.p,
            p,
            found.a12,
        ]
        for (metric, first, second, found), p in zip(compared, _corrected(one[-1] for one in compared), strict=True)
    ]
    return header, rows


def comparison_table(results: Results) -> Table:
    """Returns all pairs, for people."""
    compared = list(results.compared())
    rows = [
        [
            metric,
            first.label,
            second.label,
            shown(metric, found.first),
            shown(metric, found.second),
            f"{p:.2g}",
            f"{found.a12:.2f} ({found.effect.value})",
        ]
        for (metric, first, second, found), p in zip(compared, _corrected(one[-1] for one in compared), strict=True)
    ]
    header = ["", "first", "second", "first", "second", P_FOR_PEOPLE, "A12 (Vargha–Delaney)"]
    return Table("comparisons", "All pairs that are compared", header, rows)


def per_repetition(results: Results) -> Iterator[list[Cell]]:
    """Every figure of every repetition, for programs."""
    for name, entries in sorted(results.entries.items()):
        for repetition, entry in sorted(entries.items()):
            yield [name, repetition, *(figure(entry) for figure in METRICS.values())]


def per_file(results: Results) -> Iterator[list[Cell]]:
    """The size and the outcome of every file, for programs."""
    for name, entries in sorted(results.entries.items()):
        for repetition, entry in sorted(entries.items()):
            for size, outcome in zip(entry.measured.sizes, entry.measured.outcomes, strict=True):
                yield [name, repetition, size, outcome]
