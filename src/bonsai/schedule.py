"""A corpus comes in; the next parent goes out, and how many children it gets.

Parents are taken in turn, smallest first; what is saved during a cycle joins it at the end (Algorithm 2: next(S)).
"""

from typing import Protocol

from bonsai.corpus import Corpus, Input


class Energy(Protocol):
    """How many children a parent gets in one visit."""

    def __call__(self, parent: Input, corpus: Corpus) -> int: ...


def zest_energy(parent: Input, corpus: Corpus) -> int:
    """As in Zest: in proportion to the coverage of the parent, and 20 times as many if it is favored."""
    covered = corpus.covered.bit_count() or 1
    children = 50 * parent.features.bit_count() // covered
    return max(children * 20 if corpus.favored(parent) else children, 1)


def even_energy(parent: Input, corpus: Corpus) -> int:
    """The same for all: every member of an archive is the smallest witness of something."""
    return 12


class Schedule:
    """Cycles through a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._cycle: list[Input] = []
        self._next = 0
        self.cycles = 0

    def joined(self, member: Input) -> None:
        """A new member takes part in the running cycle."""
        self._cycle.append(member)

    def next(self) -> Input | None:
        """The parent whose turn it is; None if the corpus is empty."""
        while True:
            if self._next >= len(self._cycle):
                self._cycle = self._corpus.inputs()
                self._next = 0
                self.cycles += 1
                if not self._cycle:
                    return None
            parent = self._cycle[self._next]
            self._next += 1
            if parent in self._corpus:
                return parent
