"""How a fuzzer or another task of a run ended."""

from collections.abc import Iterable
from enum import Enum


class Ending(Enum):
    """Why a task stopped. An ending that is not final leaves something for a later session of the run to do."""

    FINISHED = "finished"  # it has used up its budget, or there was nothing left to do
    SATURATED = "saturated"  # nothing new is to be expected
    EXHAUSTED = "exhausted"  # there are no inputs left that it has not seen
    OUT_OF_TIME = "out of time"  # the time limit of the whole run cut it short
    INTERRUPTED = "interrupted"  # somebody stopped the run
    FAILED = "failed"  # an error ended it; the result says which

    @property
    def is_final(self) -> bool:
        """Whether running the task again would add nothing."""
        return self in (Ending.FINISHED, Ending.SATURATED, Ending.EXHAUSTED)


# The ending that says the most about several tasks comes first.
_BY_WEIGHT = (
    Ending.FAILED,
    Ending.INTERRUPTED,
    Ending.OUT_OF_TIME,
    Ending.FINISHED,
    Ending.EXHAUSTED,
    Ending.SATURATED,
)


def joint_ending(endings: Iterable[Ending]) -> Ending:
    """Returns how several tasks ended together: the shards of one node, for example."""
    return min(endings, key=_BY_WEIGHT.index)
