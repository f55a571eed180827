"""What came out of running a target on one input; the same for every engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Outcome(Enum):
    """How a run ended."""

    VALID = "valid"
    INVALID = "invalid"  # a semantic error
    UNPARSED = "unparsed"  # the target's parser rejects it: the grammar disagrees with the target
    CRASH = "crash"
    TIMEOUT = "timeout"

    @property
    def is_finding(self) -> bool:
        """Whether this is a finding to report rather than an input to keep."""
        return self in (Outcome.CRASH, Outcome.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Execution:
    """One run: how it ended, which features it exercised (bit i for `target.features[i]`), and what could be seen.

    `message` is an error's text. `output` is the observable output as JSON, and None unless it was asked for.
    `note` is for people who wonder why there is no output: how a command ended, and its last words.
    """

    outcome: Outcome
    features: int = 0
    message: str = ""
    output: str | None = None
    note: str = ""


class Wanted(Enum):
    """What a caller wants to know of each run; outputs can be large, and the fuzzing loop needs none."""

    FEATURES = "features"
    OUTPUT = "output"


class Target(Protocol):
    """A program under test that is ready to run. `features` are stable names, the same on every machine."""

    @property
    def features(self) -> Sequence[str]: ...

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        """Run the target on each text, in order. Always as many executions as texts, whatever the target does."""
        ...

    def close(self) -> None:
        """Stop the target."""
        ...
