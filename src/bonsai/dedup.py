"""Texts come in; whether they were seen before goes out, with bounded memory."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b

MOST_INHERITED = 1_000_000
_LARGEST = 2**64 - 1


class Dedup(Enum):
    """Whose texts are not executed again: a fuzzer's own and its ancestors'; or nobody's, to compare."""

    ANCESTRY = "ancestry"
    OFF = "off"


def digest(text: str) -> int:
    """Eight bytes that stand for a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def packed(digests: Iterable[int]) -> bytes:
    """A set of digests in eight bytes each."""
    return array("Q", sorted(digests)).tobytes()


def unpacked(data: bytes) -> "array[int]":
    """What `packed` made."""
    digests = array("Q")
    digests.frombytes(data)
    return digests


def united(sets: Iterable[bytes], most: int = MOST_INHERITED) -> set[int]:
    """Returns the union of packed sets, or its smallest `most` digests: as good as any choice, and reproducible.

    The union is cut whenever it is a quarter too large, so memory depends on `most`, not on the number of sets.
    """
    union: set[int] = set()
    largest = _LARGEST  # a digest above this is not among the smallest `most` of the digests so far
    for data in sets:
        digests = unpacked(data)  # in ascending order
        union.update(digests[: min(bisect_right(digests, largest), most)])
        if len(union) > most + most // 4:
            largest = _cut(union, most)
    _cut(union, most)
    return union


def _cut(digests: set[int], most: int) -> int:
    """Removes all but the smallest `most` digests, and returns the largest that may still be added."""
    if len(digests) <= most:
        return _LARGEST
    ascending = sorted(digests)
    digests.difference_update(ascending[most:])
    return ascending[most - 1]


@dataclass(frozen=True, slots=True)
class SeenState:
    """What was seen by one fuzzer, packed: a younger and an older generation; and what of it was ignored."""

    young: bytes = b""
    old: bytes = b""
    ignored: bytes = b""

    def judged(self) -> bytes:
        """All but the ignored."""
        return packed({*unpacked(self.young), *unpacked(self.old)}.difference(unpacked(self.ignored)))


class Seen:
    """The texts that were executed, here or by those from whom it is inherited, by their digests.

    Two generations: when the younger is full, the older is forgotten and the younger takes its place. So memory is
    bounded, what is forgotten depends on the order of the texts alone, and a text is remembered for at least
    `generation` others. Of the texts seen here, some are *ignored*: executed, but never judged.
    """

    def __init__(self, inherited: Iterable[int] = (), generation: int = 100_000) -> None:
        self._generation = generation
        self._inherited = inherited if isinstance(inherited, set) else set(inherited)
        self._young: set[int] = set()
        self._old: set[int] = set()
        self._ignored: set[int] = set()

    def add(self, text: str) -> bool:
        """Remember a text; whether it is new."""
        one = digest(text)
        if one in self._young or one in self._old or one in self._inherited:
            return False
        if len(self._young) >= self._generation:
            self._ignored -= self._old
            self._old, self._young = self._young, set()
        self._young.add(one)
        return True

    def ignore(self, text: str) -> None:
        """Take note that a text which was added was not judged."""
        self._ignored.add(digest(text))

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def state(self) -> SeenState:
        """What was seen here."""
        return SeenState(packed(self._young), packed(self._old), packed(self._ignored))

    def restore(self, state: SeenState) -> None:
        """Go on where a state was taken."""
        self._young, self._old = set(unpacked(state.young)), set(unpacked(state.old))
        self._ignored = set(unpacked(state.ignored))


class Forgetful(Seen):
    """To whom every text is new."""

    def add(self, text: str) -> bool:
        return True

    def ignore(self, text: str) -> None:
        """Nothing to take note of."""


def memory(dedup: Dedup, inherited: Iterable[bytes] = ()) -> Seen:
    """The memory of a fuzzer that inherits packed sets from its ancestors."""
    return Seen(united(inherited)) if dedup is Dedup.ANCESTRY else Forgetful()
