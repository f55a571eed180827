"""Results come in; the paper's figures go out, as PNG and SVG."""

from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any

from bonsai.evaluation.heatmap import draw as draw_heatmap
from bonsai.evaluation.heatmap import load_matplotlib
from bonsai.evaluation.records import BONSAIS, Technique
from bonsai.evaluation.results import BRANCHES, BY_VALID, VALID, Results
from bonsai.evaluation.tabulating import Table

SUFFIXES = ("png", "svg")
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
PARSING = "sizes-parsing"
BARS = {
    "validity": (VALID, "Share of valid programs"),
    "coverage": (BRANCHES, "Branches covered, by a third party's count"),
    "features": (BY_VALID, "Features that valid inputs reach"),
}
OURS, THEIRS, PUBLISHED = "#2f7d4f", "#8a8f98", "#c58b3b"


def _colour(technique: Technique) -> str:
    if technique in BONSAIS:
        return OURS
    return PUBLISHED if technique.value.startswith("published") else THEIRS


def _saved(plt: Any, figure: Any, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in SUFFIXES:
        figure.savefig(folder / f"{name}.{suffix}", dpi=130)
    plt.close(figure)


def _labels(axis: Any, techniques: Sequence[Technique]) -> None:
    labels = [one.label.replace("Baseline, ", "Baseline,\n").replace(" (", "\n(") for one in techniques]
    axis.set_xticks(range(len(techniques)), labels, fontsize=8)
    axis.spines[["top", "right"]].set_visible(False)


Sizes = Mapping[Technique, Sequence[int]]


def draw_sizes(found: Sizes, title: str, folder: Path, name: str) -> None:
    """The violin plot: how large the files of each technique are. In logarithms: no unreduced baseline is small."""
    plt = load_matplotlib()
    techniques = [technique for technique, sizes in found.items() if sizes]
    figure, axis = plt.subplots(figsize=(1.5 * len(techniques) + 1.5, 4.5), layout="constrained")
    for place, technique in enumerate(techniques):
        sizes = [max(size, 1) for size in found[technique]]
        _violin(axis, place, sizes, _colour(technique))
        mean = sum(sizes) / len(sizes)
        axis.plot([place], [log10(mean)], marker="D", color="black", markersize=4)
        axis.annotate(f"{mean:.1f}", (place, log10(mean)), xytext=(8, 0), textcoords="offset points", fontsize=8)
    largest = max(max(found[technique]) for technique in techniques)
    ticks = [tick for tick in TICKS if tick <= 2 * largest]
    axis.set_yticks([log10(tick) for tick in ticks], [f"{tick:,}" for tick in ticks])
    axis.set_ylabel("characters without white space")
    axis.set_title(f"{title} (◆ mean, bar: median). Lower is better.", fontsize=10)
    _labels(axis, techniques)
    _saved(plt, figure, folder, name)


def _violin(axis: Any, place: int, sizes: Sequence[int], colour: str) -> None:
    if len(set(sizes)) > 1:
        parts = axis.violinplot(
            [[log10(size) for size in sizes]], [place], widths=0.8, showmedians=True, showextrema=False
        )
        parts["bodies"][0].set(facecolor=colour, alpha=0.75)
        parts["cmedians"].set(color="black", linewidth=1)


def draw_bars(results: Results, metric: str, title: str, folder: Path, name: str) -> None:
    """Bars of a share, with deviations."""
    plt = load_matplotlib()
    techniques = [one for one in results.techniques if results.values(one.value, metric)]
    figure, axis = plt.subplots(figsize=(1.5 * len(techniques) + 1.5, 3.6), layout="constrained")
    for place, technique in enumerate(techniques):
        found = results.summary(technique.value, metric)
        assert found is not None
        mean, deviation = 100 * found.mean, 100 * found.deviation
        axis.bar([place], [mean], 0.6, yerr=[deviation], color=_colour(technique), alpha=0.85, capsize=4)
        axis.annotate(
            f"{mean:.1f}", (place, mean + deviation), xytext=(0, 4), textcoords="offset points", ha="center"
        )
    axis.set_ylim(0, 110)
    axis.set_ylabel("%")
    axis.set_title(title, fontsize=10)
    _labels(axis, techniques)
    _saved(plt, figure, folder, name)


def draw_table(table: Table, folder: Path) -> None:
    """A table as a picture, for slides."""
    plt = load_matplotlib()
    letters = sum(2 + max(map(len, column)) for column in zip(table.header, *table.rows, strict=True))
    width = max(1 + 0.09 * letters, 0.09 * len(table.title))
    figure, axis = plt.subplots(figsize=(width, 0.9 + 0.33 * len(table.rows)), layout="constrained")
    axis.axis("off")
    axis.set_title(table.title, fontsize=10)
    if table.rows:
        drawn = axis.table(cellText=[list(row) for row in table.rows], colLabels=list(table.header), loc="center")
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(9)
        drawn.auto_set_column_width(list(range(len(table.header))))
        drawn.scale(1, 1.4)
    _saved(plt, figure, folder, table.name)


def draw_all(results: Results, tables: Sequence[Table], subject: str, folder: Path) -> list[str]:
    """All figures for which there is data; their names."""
    made = [table.name for table in tables]
    for table in tables:
        draw_table(table, folder)
    if results.techniques:
        all_files = {one: results.sizes(one) for one in results.techniques}
        draw_sizes(all_files, "Size of files", folder, "sizes")
        parsing = {one: results.parsing_sizes(one) for one in results.techniques}
        if any(parsing.values()):
            draw_sizes(parsing, "Size of files that parse", folder, PARSING)
            made.append(PARSING)
        for name, (metric, title) in BARS.items():
            draw_bars(results, metric, f"{title}. Higher is better.", folder, name)
        made += ["sizes", *BARS]
    if results.points:
        for suffix in SUFFIXES:
            draw_heatmap(results.points, f"{subject}: blind sampling within bounds", folder / f"heatmap.{suffix}")
        made.append("heatmap")
    return made
