"""The sizes of a corpus come in; the outline of a violin goes out: how many tests there are of about each size.

The density is estimated on a logarithmic scale, by normal kernels: sizes span several orders of magnitude.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median, stdev

POINTS = 96


@dataclass(frozen=True, slots=True)
class Distribution:
    """A corpus by its sizes: its name, its figures, and its density at the sizes of `grid`, the highest being 1."""

    name: str
    tests: int
    mean: float
    median: float
    largest: int
    density: tuple[float, ...]


def grid(sizes: Sequence[int]) -> tuple[float, ...]:
    """The sizes at which densities are given: from 1 to beyond the largest, in equal ratios."""
    end = log(max([2, *sizes]) * 1.6)
    return tuple(exp(end * place / (POINTS - 1)) for place in range(POINTS))


def distribution(name: str, sizes: Sequence[int], at: Sequence[float]) -> Distribution:
    """The sizes of a corpus that has at least one test; an empty test counts as size 1."""
    logs = [log(max(size, 1)) for size in sizes]
    spread = stdev(logs) if len(logs) > 1 else 0.0
    width = max(1.06 * spread * len(logs) ** -0.2, 0.1)  # Silverman's rule
    heights = [sum(exp(-(((log(x) - one) / width) ** 2) / 2) for one in logs) for x in at]
    highest = max(heights) or 1.0
    density = tuple(round(height / highest, 4) for height in heights)
    return Distribution(name, len(sizes), fmean(sizes), median(sizes), max(sizes), density)
