"""The folder of an evaluation comes in; its tables, figures and pages go out, made from its data files alone."""

import json
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

from bonsai.evaluation import tabulating
from bonsai.evaluation.claims import Claim, blind_claim, claims, goals
from bonsai.evaluation.document import Page, Section, to_html, to_markdown
from bonsai.evaluation.evaluating import ASKED
from bonsai.evaluation.figures import PARSING, draw_all
from bonsai.evaluation.heatmap import Point
from bonsai.evaluation.paper import EFFORT, PAPER, Printed
from bonsai.evaluation.records import FOLDER, Data
from bonsai.evaluation.results import METRICS, Results
from bonsai.evaluation.statistics import fewest_repetitions
from bonsai.evaluation.tabulating import Table, write_rows
from bonsai.wording import counted

TABLES, FIGURES, PAGE = "tables", "figures", "evaluation.html"
BY_VALID_SAID = (
    "Branch arms, and what the subject reports itself, that at least one valid input exercises. The paper does not "
    "report it: an invalid program that gets as far may hide in its errors what a valid one shows in its output."
)


def build(folder: Path, subject: str, destination: Path | None = None) -> list[str]:
    """Makes everything anew from the data, in the same folder or in another one.

    Returns a sentence for each goal, and one if nothing can be decided.
    """
    destination = destination or folder
    results, paper = Results(Data(folder)), PAPER.get(subject)
    tables = {
        table.name: table
        for table in (
            tabulating.reduction_time(results, paper),
            tabulating.corpus_size(results, paper),
            tabulating.mutation_scores(results, paper),
            tabulating.ablation(results),
        )
        if table.rows
    }
    found_goals = goals(results)
    found = [*claims(results, paper), *found_goals]
    _write_tables(results, tables, found, destination / TABLES)
    drawn = draw_all(results, list(tables.values()), subject, destination / FIGURES)
    sections = _sections(results, paper, tables, found, drawn)
    page = Page(f"Evaluation: {subject}", _introduction(folder, results), sections)
    (destination / "evaluation.md").write_text(to_markdown(page), "utf-8")
    (destination / PAGE).write_text(to_html(page, destination / FIGURES), "utf-8")
    return [str(claim) for claim in found_goals] + _too_few(results.repetitions, len(found_goals))


def _too_few(repetitions: int, tests: int) -> list[str]:
    """Returns a warning if no test can be significant with so few repetitions."""
    fewest = fewest_repetitions(tests)
    if not tests or repetitions >= fewest:
        return []
    return [f"With {counted(repetitions, 'repetition')} nothing can be decided; it takes at least {fewest}."]


def _write_tables(results: Results, tables: dict[str, Table], found: Sequence[Claim], folder: Path) -> None:
    for table in (*tables.values(), tabulating.overview(results)):
        write_rows(folder / f"{table.name}.csv", table.header, table.rows)
    write_rows(folder / "comparisons.csv", *tabulating.comparisons(results))
    repetitions = list(tabulating.per_repetition(results))
    write_rows(folder / "repetitions.csv", ["technique", "repetition", *METRICS], repetitions)
    files = list(tabulating.per_file(results))
    write_rows(folder / "sizes.csv", ["technique", "repetition", "size", "outcome"], files)
    points = [astuple(point) for point in results.points]
    write_rows(folder / "heatmap.csv", [one.name for one in fields(Point)], points)
    said = [
        [one.topic, one.technique.value, one.paper, one.here, one.p, one.a12, one.verdict.value] for one in found
    ]
    header = ["topic", "technique", "claim", "measured", "p (Holm)", "A12", "verdict"]
    write_rows(folder / "claims.csv", header, said)


def _introduction(folder: Path, results: Results) -> list[str]:
    asked = json.loads((folder / ASKED).read_text("utf-8"))
    bounds = ",".join(map(str, asked["bounds"]))
    return [
        f"{results.repetitions} {'repetition' if results.repetitions == 1 else 'repetitions'} within bounds "
        f"({bounds}), each node of Bonsai with a budget of {asked['budget']}, and the baseline with as "
        f"many executions as all nodes together. The paper's effort: {EFFORT}. Everything "
        f"on this page is made from the files in the folder {FOLDER}; "
        f"the tables are also in {TABLES}, as CSV, and the figures in {FIGURES}, as PNG and SVG.",
        "Baseline: one coverage-guided fuzzer at the top bounds, as in the paper. Bonsai (paper policy): "
        "Algorithm 3 as it stands there. Bonsai (smallest, pruned): what this software does by default. "
        "Whether a claim holds is computed: by a two-sided Mann–Whitney U test at 5 % of one figure per "
        "repetition, corrected by Holm's method over the claims about one Bonsai. Without a significant "
        "difference, in one direction or the other, a claim is not decided. A12 is the chance that Bonsai's "
        "figure is the larger, compared with the other side's or with the share of it that the claim names.",
    ]


def _sections(
    results: Results, paper: Printed | None, tables: dict[str, Table], found: Sequence[Claim], drawn: Sequence[str]
) -> list[Section]:
    def said(*topics: str) -> list[str]:
        return [str(claim) for claim in found if claim.topic in topics]

    asked = [*said("goals"), *_too_few(results.repetitions, len(said("goals")))]
    sections = [Section("What is asked of Bonsai here", asked)]
    if "heatmap" in drawn:
        sections.append(
            Section(
                "Validity and coverage of blind sampling",
                [blind_claim(results, paper)],
                "heatmap",
                paper=_blind_figure(paper),
            )
        )
    if results.techniques:
        sections += [
            Section("Conciseness: the size of files", said("sizes"), "sizes", paper=_size_figure(paper)),
            *([Section("… over files that parse", [_unparsed(results)], PARSING)] if PARSING in drawn else []),
            Section("Semantic validity", said("validity"), "validity", paper=_validity_figure(paper)),
            Section(
                "Comprehensiveness: branch coverage", said("coverage"), "coverage", paper=_branch_figure(paper)
            ),
            Section("Features that valid inputs reach", [BY_VALID_SAID], "features"),
        ]
    titles = {
        "reduction-time": ("Time to minimise", said("time")),
        "corpus-size": ("Number of files", said("files")),
        "mutation-scores": ("Fault detection: mutation scores", said("mutants")),
        "ablation": ("Ablation: what each part contributes", tabulating.contributions(results)),
    }
    sections += [Section(titles[name][0], titles[name][1], table=table) for name, table in tables.items()]
    sections.append(Section("All figures", table=tabulating.overview(results)))
    sections.append(Section("All comparisons", table=tabulating.comparison_table(results)))
    return sections


def _size_figure(paper: Printed | None) -> str:
    if paper is None:
        return ""
    return (
        f"files are on average {paper.smaller_than_grammar:.2%} smaller than after grammar-based reduction and "
        f"{paper.smaller_than_characters:.2%} smaller than after character-based reduction, and vary much less."
    )


def _unparsed(results: Results) -> str:
    """How much is in files that do not parse: reduction by text can break a program."""
    found = []
    for one in results.techniques:
        everything, parsing = results.sizes(one), results.parsing_sizes(one)
        if len(parsing) < len(everything):
            share = 1 - sum(parsing) / (sum(everything) or 1)
            files = f"{len(everything) - len(parsing)} of {len(everything)} files"
            found.append(f"{one.label}: {files}, {share:.0%} of its characters")
    return f"Files that do not parse are left out here. {'; '.join(found)}." if found else "All files parse."


def _blind_figure(paper: Printed | None) -> str:
    if paper is None or not paper.valid_when_blind:
        return ""
    return (
        "the larger the bounds, the more a blind sample covers and the less of it is valid: "
        f"{paper.valid_when_blind:.0%} at (3,3,3)."
    )


def _validity_figure(paper: Printed | None) -> str:
    return "" if paper is None else f"an improvement in validity of {paper.validity_gain:.0%} on average."


def _branch_figure(paper: Printed | None) -> str:
    if paper is None:
        return ""
    if paper.branch_loss is None:
        return "the difference between Bonsai and the baseline is statistically insignificant."
    return f"Bonsai loses {paper.branch_loss:.3%} of branch coverage on average: significant, but small."
