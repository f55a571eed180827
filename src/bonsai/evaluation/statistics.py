"""Summarises the figures of repeated runs, and compares two sides.

Two sides are compared as is usual in this field: the Mann–Whitney U test says whether a difference may be chance,
the A12 of Vargha and Delaney how large it is and in which direction. Both come from one statistic, U, so they never
disagree. Where several tests are made at a time, their p-values are corrected by Holm's method.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import comb
from statistics import fmean, stdev

from bonsai.extras import require

SIGNIFICANT = 0.05
MOST_EXACT = 225  # pairs, up to which the exact distribution is worked out


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
        """Whether such a difference would be chance in fewer than 5 of 100 cases, if it is the only one tested."""
        return self.p < SIGNIFICANT

    @property
    def effect(self) -> Effect:
        """How large the difference is."""
        distance = abs(self.a12 - 0.5)
        steps = ((0.06, Effect.NEGLIGIBLE), (0.14, Effect.SMALL), (0.21, Effect.MEDIUM))
        return next((effect for limit, effect in steps if distance < limit), Effect.LARGE)


def summarise(figures: Sequence[float]) -> Summary:
    """Mean and deviation of at least one figure."""
    return Summary(len(figures), fmean(figures), stdev(figures) if len(figures) > 1 else 0.0)


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Returns the two-sided Mann–Whitney U test of two independent samples."""
    require("a comparison", "scipy")
    from scipy.stats import mannwhitneyu

    pairs = len(first) * len(second)
    if len({*first, *second}) == 1:  # nothing differs: the normal approximation would divide by zero
        u, p = pairs / 2, 1.0
    else:
        found = mannwhitneyu(first, second, alternative="two-sided", method="asymptotic")
        u = float(found.statistic)
        p = _exact_p(first, second) if pairs <= MOST_EXACT else float(found.pvalue)
    return Comparison(summarise(first), summarise(second), u, p, u / pairs)


def compare_with(figures: Sequence[float], constant: float) -> Comparison:
    """Returns the two-sided sign test of figures against a constant, which is the second side."""
    above, below = sum(one > constant for one in figures), sum(one < constant for one in figures)
    extreme = sum(comb(above + below, number) for number in range(min(above, below) + 1))
    p = min(2 * extreme / 2 ** (above + below), 1.0)
    u = above + (len(figures) - above - below) / 2
    return Comparison(summarise(figures), summarise([constant]), u, p, u / len(figures))


def _exact_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns how often U is as far from its mean, or farther, if the figures are dealt to the sides by chance."""
    ordered = sorted([*first, *second])
    ranks = [bisect_left(ordered, one) + bisect_right(ordered, one) + 1 for one in ordered]  # twice the mean rank
    dealt = _rank_sums(tuple(ranks), len(first))
    mean = len(first) * (len(ordered) + 1)
    observed = abs(sum(bisect_left(ordered, one) + bisect_right(ordered, one) + 1 for one in first) - mean)
    return sum(ways for total, ways in dealt.items() if abs(total - mean) >= observed) / sum(dealt.values())


@lru_cache(maxsize=16)  # without ties, all comparisons of as many repetitions have the same ranks
def _rank_sums(ranks: tuple[int, ...], number: int) -> Counter[int]:
    """Returns in how many ways so many of the ranks have each sum."""
    sums: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(number))]
    for rank in ranks:
        for taken in range(number, 0, -1):
            for total, ways in sums[taken - 1].items():
                sums[taken][total + rank] += ways
    return sums[number]


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns the p-values as Holm's method adjusts them: below 5 % still means 5 % for all of them together."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        largest = max(largest, min((len(p_values) - place) * p_values[number], 1.0))
        adjusted[number] = largest
    return adjusted


def fewest_repetitions(tests: int) -> int:
    """Returns how many repetitions of both sides it takes for any of so many tests to be significant at all."""
    repetitions = 1
    while tests * 2 / comb(2 * repetitions, repetitions) >= SIGNIFICANT:
        repetitions += 1
    return repetitions
