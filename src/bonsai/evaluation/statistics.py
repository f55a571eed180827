"""Figures of repeated runs come in; what can be said of them goes out: mean and deviation, and who is larger.

Two sides are compared as is usual in this field: the Mann–Whitney U test says whether a difference may be chance,
the A12 of Vargha and Delaney how large it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from statistics import fmean, stdev

from bonsai.extras import require

MOST_EXACT = 2500  # pairs, up to which the exact distribution is worked out; there is one without ties only


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean and sample standard deviation, which is 0 for a single figure."""

    number: int
    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.3g} ± {self.deviation:.2g}"


class Effect(Enum):
    """How large a difference is, by the thresholds of Vargha and Delaney."""

    NEGLIGIBLE = "negligible"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One side against another. `a12` is the chance that a figure of the first is larger, ties counting half."""

    first: Summary
    second: Summary
    u: float
    p: float
    a12: float

    @property
    def significant(self) -> bool:
        """Whether such a difference would be chance in fewer than 5 of 100 cases."""
        return self.p < 0.05

    @property
    def effect(self) -> Effect:
        """How large the difference is."""
        distance = abs(self.a12 - 0.5)
        steps = ((0.06, Effect.NEGLIGIBLE), (0.14, Effect.SMALL), (0.21, Effect.MEDIUM))
        return next((effect for limit, effect in steps if distance < limit), Effect.LARGE)


def summarise(figures: Sequence[float]) -> Summary:
    """Mean and deviation of at least one figure."""
    return Summary(len(figures), fmean(figures), stdev(figures) if len(figures) > 1 else 0.0)


def a12(first: Sequence[float], second: Sequence[float]) -> float:
    """The chance that a figure of the first side is larger than one of the second; a tie counts half."""
    larger = sum((one > other) + (one == other) / 2 for one in first for other in second)
    return larger / (len(first) * len(second))


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """The two-sided test of two independent samples."""
    require("a comparison", "scipy")
    from scipy.stats import mannwhitneyu

    values = set(chain(first, second))
    ties = len(values) < len(first) + len(second)
    if len(values) == 1:  # nothing differs: the normal approximation would divide by zero
        u, p = len(first) * len(second) / 2, 1.0
    else:
        method = "asymptotic" if ties or len(first) * len(second) > MOST_EXACT else "exact"
        found = mannwhitneyu(first, second, alternative="two-sided", method=method)
        u, p = float(found.statistic), float(found.pvalue)
    return Comparison(summarise(first), summarise(second), u, p, a12(first, second))
