"""The choice sequence: how a derivation is written down so that it can be replayed and mutated.

One small integer for every place where the *grammar* offers more than one option, in the order of a leftmost
derivation: the index of an alternative within its rule or group, the number of items of a repetition, 0 or 1
for an option, the index of a value within its pool. Choices are absolute: what was taken, never a raw random
value and never an index among what the bounds left over. So a sequence that was recorded under some bounds
replays to the same text under all larger ones.

A sequence may also hold requests, which are negative: `REDRAW` asks for a fresh draw in its place, and
`other_than(c)` for a fresh draw that is not c, where there is one.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import TypeVar

T = TypeVar("T")
Choices = tuple[int, ...]
Edited = Sequence[int]

REDRAW = -1


def other_than(choice: int) -> int:
    """The request to draw afresh, and not this choice again."""
    return -2 - choice


def avoided(request: int) -> int | None:
    """The choice that a request rules out."""
    return None if request == REDRAW else -2 - request


def to_allowed(choice: int, allowed: Sequence[int]) -> int:
    """The fixed rule that makes replay total: a choice that is not allowed where it lands becomes one that is."""
    return allowed[choice % len(allowed)]


class Draws(Random):
    """A source of randomness that also hands out single bytes, endlessly and fast: most draws need no more.

    The same seed gives the same draws in every process. Any whole number, text or tuple of these is a seed.
    """

    def __init__(self, seed: object) -> None:
        # Python takes the absolute value of a number, and hashes a text.
        super().__init__(seed if isinstance(seed, int) and seed >= 0 else repr(seed))
        self.bytes: Iterator[int] = chain.from_iterable(iter(partial(self.randbytes, 1024), b""))

    def pick(self, options: Sequence[T]) -> T:
        """One of a few; `choice`, which is fair to any number of them, takes several times as long."""
        return options[int(self.random() * len(options))]
