"""A target that needs no process: its features are the words of the input and their neighbours."""

from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

from bonsai.errors import TargetLost
from bonsai.targets.execution import Execution, Outcome, Wanted

FEATURES = 400


class FakeTarget:
    """Valid unless a word occurs twice; crashes on what `crashes` names. Records everything that it executes."""

    def __init__(self, crashes: str | None = None, unstable: bool = False, unparsed: bool = False) -> None:
        self.features = [f"feature {i}" for i in range(FEATURES)]
        self.executed: list[tuple[str, Execution]] = []
        self._crashes = crashes
        self._unstable = unstable
        self._unparsed = unparsed
        self.lost_after: int | None = None  # so many batches

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        if self.lost_after is not None:
            self.lost_after -= 1
            if self.lost_after < 0:
                raise TargetLost("the target is gone", "look for it")
        found = [self._execute(text) for text in texts]
        self.executed += zip(texts, found, strict=True)
        return found

    def _execute(self, text: str) -> Execution:
        words = text.split()
        if self._unparsed:
            return Execution(Outcome.UNPARSED)
        if self._crashes is not None and self._crashes in text:
            return Execution(Outcome.CRASH, message=f"crash on {self._crashes}")
        mask = 0
        for pair in [*((w,) for w in words), *pairwise(words)]:
            mask |= 1 << crc32(repr(pair).encode()) % (FEATURES - 1)
        if self._unstable and all(known != text for known, _ in self.executed):
            mask |= 1 << (FEATURES - 1)
        valid = len(words) == len(set(words))
        return Execution(Outcome.VALID if valid else Outcome.INVALID, mask)

    def close(self) -> None:
        """Nothing to stop."""
