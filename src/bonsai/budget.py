"""Budgets: the rules that say when a fuzzer has to stop, written `auto`, `60s` or `5000x`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bonsai.durations import parse_duration
from bonsai.ending import Ending
from bonsai.errors import BonsaiError

GENERATED_PER_EXECUTION = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a fuzzer has come. All but `seconds` depends on the inputs alone."""

    executions: int
    generated: int
    seconds: float
    residual: float  # the estimated chance that the next input shows something new
    since_change: int  # inputs generated since the corpus last changed
    members: int


class Budget(Protocol):
    """When to stop."""

    def exhausted(self, progress: Progress) -> Ending | None:
        """Returns how the fuzzer ends if it has to stop now, otherwise None."""
        ...

    def left(self, progress: Progress) -> int | None:
        """Returns how many executions are left, or None if the budget does not limit executions."""
        ...


class NodeBudget(Budget, Protocol):
    """The budget of a node, which its shards share."""

    def divided(self, parts: int) -> "NodeBudget":
        """What each of so many fuzzers may use that share one budget."""
        ...


@dataclass(frozen=True, slots=True)
class Executions:
    """A number of executions; also over after 20 times as many generated inputs, in a space that is used up."""

    number: int

    def exhausted(self, progress: Progress) -> Ending | None:
        if progress.executions >= self.number:
            return Ending.FINISHED
        if progress.generated >= GENERATED_PER_EXECUTION * self.number:
            return Ending.EXHAUSTED
        return None

    def left(self, progress: Progress) -> int:
        return max(self.number - progress.executions, 0)

    def divided(self, parts: int) -> "Executions":
        return Executions(-(-self.number // parts))

    def __str__(self) -> str:
        return f"{self.number}x"


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time."""

    seconds: float

    def exhausted(self, progress: Progress) -> Ending | None:
        return Ending.FINISHED if progress.seconds >= self.seconds else None

    def left(self, progress: Progress) -> None:
        return None

    def divided(self, parts: int) -> "Seconds":
        return Seconds(self.seconds / parts)

    def __str__(self) -> str:
        return f"{self.seconds:g}s"


@dataclass(frozen=True, slots=True)
class Auto:
    """Until nothing new is to be expected: both the estimate and the archive have to say so.

    A corpus of many members takes longer to show that none of them has anything left, so the quiet time that is
    asked for grows with it. Depends on counts alone, never on time.
    """

    residual: float = 0.0005
    quiet: int = 3000
    quiet_per_member: int = 80

    def exhausted(self, progress: Progress) -> Ending | None:
        quiet = self.quiet + self.quiet_per_member * progress.members
        if progress.residual <= self.residual and progress.since_change >= quiet:
            return Ending.SATURATED
        if progress.since_change >= 10 * quiet:
            return Ending.SATURATED
        return None

    def left(self, progress: Progress) -> None:
        return None

    def divided(self, parts: int) -> "Auto":
        return Auto(self.residual, -(-self.quiet // parts), -(-self.quiet_per_member // parts))

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True, slots=True)
class Within:
    """A budget, and a limit on the seconds from a moment on: what earlier sessions of a run took is not charged."""

    budget: Budget
    seconds: float
    since: float = 0.0  # how many seconds the fuzzer had taken at that moment

    def exhausted(self, progress: Progress) -> Ending | None:
        is_over = progress.seconds - self.since >= self.seconds
        return self.budget.exhausted(progress) or (Ending.OUT_OF_TIME if is_over else None)

    def left(self, progress: Progress) -> int | None:
        return self.budget.left(progress)


@dataclass(frozen=True, slots=True)
class Until:
    """A budget that also ends when somebody wants the fuzzer to stop."""

    budget: Budget
    stopping: Callable[[], bool]

    def exhausted(self, progress: Progress) -> Ending | None:
        return Ending.INTERRUPTED if self.stopping() else self.budget.exhausted(progress)

    def left(self, progress: Progress) -> int | None:
        return self.budget.left(progress)


def parse_budget(text: str) -> NodeBudget:
    """`auto`, a time (`90s`, `10m`, `1h`) or a number of executions (`5000x`)."""
    if text == "auto":
        return Auto()
    number = re.fullmatch(r"(\d+)x", text)
    if number and int(number[1]) > 0:
        return Executions(int(number[1]))
    seconds = parse_duration(text)
    if seconds is not None:
        return Seconds(seconds)
    raise BonsaiError(f"{text!r} is not a budget", "write auto, a time such as 60s, or executions such as 5000x")
