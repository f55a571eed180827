"""Executions come in; what is new in them goes out: whether they count, what recurs, how much is still to come."""

from dataclasses import dataclass
from enum import Enum

from bonsai.targets.execution import Execution, Outcome


class Saving(Enum):
    """Whose coverage counts: a restricted fuzzer looks at valid inputs only, and ignores all others completely."""

    RESTRICTED = "restricted"
    UNRESTRICTED = "unrestricted"

    def counts(self, outcome: Outcome) -> bool:
        """Whether an input with this outcome may be kept. Findings, and what does not parse, never are."""
        if outcome is Outcome.VALID:
            return True
        return outcome is Outcome.INVALID and self is Saving.UNRESTRICTED


@dataclass(frozen=True, slots=True)
class Stable:
    """What two runs of one input agree on, and the features in which they differ."""

    features: int
    unstable: int


def recurring(first: Execution, again: Execution) -> Stable:
    """Compare an execution with its repetition. If not even the outcome recurs, nothing is stable."""
    if first.outcome is not again.outcome:
        return Stable(0, first.features | again.features)
    return Stable(first.features & again.features, first.features ^ again.features)


@dataclass(slots=True)
class Discovery:
    """How likely the next input is to exercise a new feature: the Good–Turing estimate.

    That is the share of observations that showed a feature which no other observation showed. Repeats of an input
    that is already known are observations, too: otherwise the estimate would never converge in a small space.
    """

    observations: int = 0
    once: int = 0
    twice: int = 0

    def observe(self, features: int) -> None:
        """Take note of one execution."""
        self.observations += 1
        self.twice |= self.once & features
        self.once |= features

    def observe_repeats(self, number: int) -> None:
        """Take note of inputs that were generated again and not executed."""
        self.observations += number

    @property
    def residual(self) -> float:
        """The estimated chance that the next observation shows a new feature."""
        if not self.observations:
            return 1.0
        return min(1.0, (self.once & ~self.twice).bit_count() / self.observations)
