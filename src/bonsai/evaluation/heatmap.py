"""A subject comes in; how valid and how comprehensive blind sampling is at each bound goes out, as CSV and figure.

The paper's preliminary experiment: BoundedSample without feedback, for all idents, items and depth from 1 to 5.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

from bonsai.bounds import Bounds
from bonsai.budget import Budget, Progress
from bonsai.choices import Draws
from bonsai.corpus import size_of
from bonsai.extras import require
from bonsai.sampler import Sampler
from bonsai.subject import Subject
from bonsai.targets.execution import Outcome, Target

BATCH = 16
FIELDS = ("idents", "items", "depth", "executions", "valid", "covered", "total", "mean_size")


@dataclass(frozen=True, slots=True)
class Point:
    """What sampling at one bound gave. `valid` is the share of valid programs, sizes leave white space out."""

    idents: int
    items: int
    depth: int
    executions: int
    valid: float
    covered: int
    total: int
    mean_size: float


def blind(subject: Subject, target: Target, bounds: Bounds, budget: Budget, seed: int) -> Point:
    """Samples at one bound, and executes, until the budget is exhausted. A number of executions is kept exactly."""
    sampler = Sampler(subject.grammar, bounds)
    draws = Draws((seed, bounds.idents, bounds.items, bounds.depth))
    started = monotonic()
    executions = valid = covered = size = 0
    while budget.exhausted(progress := Progress(executions, executions, monotonic() - started, 1.0, 0, 0)) is None:
        left = budget.left(progress)
        texts = [sampler.sample(draws)[0] for _ in range(BATCH if left is None else min(BATCH, left))]
        for text, execution in zip(texts, target.execute(texts), strict=True):
            executions += 1
            valid += execution.outcome is Outcome.VALID
            covered |= execution.features
            size += size_of(text)[0]
    return Point(
        bounds.idents,
        bounds.items,
        bounds.depth,
        executions,
        valid / executions,
        covered.bit_count(),
        len(target.features),
        size / executions,
    )


def heatmap(subject: Subject, target: Target, most: int, budget: Budget, seed: int) -> Iterator[Point]:
    """All bounds up to the largest, one after the other."""
    for depth, items, idents in product(range(1, most + 1), repeat=3):
        yield blind(subject, target, Bounds(idents, items, depth), budget, seed)


def write_csv(path: Path, points: list[Point]) -> None:
    """The data behind the figure."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows([getattr(point, name) for name in FIELDS] for point in points)


def read_csv(path: Path) -> list[Point]:
    """The points of a file that `write_csv` wrote."""
    with path.open(newline="") as file:
        return [
            Point(
                idents=int(row["idents"]),
                items=int(row["items"]),
                depth=int(row["depth"]),
                executions=int(row["executions"]),
                valid=float(row["valid"]),
                covered=int(row["covered"]),
                total=int(row["total"]),
                mean_size=float(row["mean_size"]),
            )
            for row in csv.DictReader(file)
        ]


def draw(points: list[Point], title: str, path: Path) -> None:
    """The paper's figure: branch coverage, relative to the best, and validity; a panel for each depth."""
    plt = load_matplotlib()
    depths = sorted({point.depth for point in points})
    best = max(point.covered for point in points) or 1
    rows = (
        ("coverage, relative to the best", {(p.depth, p.items, p.idents): p.covered / best for p in points}),
        ("share of valid programs", {(p.depth, p.items, p.idents): p.valid for p in points}),
    )
    figure, axes = plt.subplots(
        2, len(depths), figsize=(2.6 * len(depths) + 1, 6), squeeze=False, layout="constrained"
    )
    for row, (name, values) in zip(axes, rows, strict=True):
        for axis, depth in zip(row, depths, strict=True):
            image = _panel(axis, depth, values)
            axis.set_title(f"depth {depth}", fontsize=10)
        row[0].set_ylabel("items")
        figure.colorbar(image, ax=list(row), label=name)
    for axis in axes[-1]:
        axis.set_xlabel("idents")
    figure.suptitle(title)
    figure.savefig(path)
    plt.close(figure)


def _panel(axis: Any, depth: int, values: dict[tuple[int, int, int], float]) -> Any:
    sides = sorted({items for _, items, _ in values})
    cells = [[values[depth, items, idents] for idents in sides] for items in sides]
    image = axis.imshow(cells, vmin=0, vmax=1, origin="lower", cmap="viridis")
    axis.set_xticks(range(len(sides)), sides)
    axis.set_yticks(range(len(sides)), sides)
    for y, line in enumerate(cells):
        for x, value in enumerate(line):
            axis.text(x, y, f"{value:.2f}", ha="center", va="center", fontsize=7, color="w" if value < 0.6 else "k")
    return image


def load_matplotlib() -> Any:
    """pyplot, which draws into files."""
    require("drawing", "matplotlib")
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    return plt
