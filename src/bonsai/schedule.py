"""A corpus comes in; the next parent goes out, and how many children it gets.

Parents are taken in turn, smallest first; what is saved during a cycle joins it at the end (Algorithm 2: next(S)).
"""

from typing import Protocol

from bonsai.corpus import Corpus, Input


class Energy(Protocol):
    """How many children a parent gets in one visit; `novelty` is the share of new texts among its last children."""

    def __call__(self, parent: Input, corpus: Corpus, novelty: float) -> int: ...


def zest_energy(parent: Input, corpus: Corpus, novelty: float) -> int:
    """As in Zest: in proportion to the coverage of the parent, and 20 times as many if it is favored."""
    covered = corpus.covered.bit_count() or 1
    children = 50 * parent.features.bit_count() // covered
    return max(children * 20 if corpus.favored(parent) else children, 1)


TYPICAL_CHOICES = 12


def even_energy(parent: Input, corpus: Corpus, novelty: float) -> int:
    """The same for every choice of every member, since all members of an archive are smallest witnesses of
    something; less for a parent whose children are mostly known: it has few neighbours still to be seen."""
    choices = min(len(parent.choices) / TYPICAL_CHOICES, 4)
    return max(round(16 * novelty * choices), 2)


class Schedule:
    """Cycles through a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._cycle: list[Input] = []
        self._next = 0
        self._novelty: dict[Input, float] = {}

    def joined(self, member: Input) -> None:
        """A new member takes part in the running cycle."""
        self._cycle.append(member)

    def next(self) -> Input | None:
        """The parent whose turn it is; None if the corpus is empty."""
        while True:
            if self._next >= len(self._cycle):
                self._cycle = self._corpus.inputs()
                self._next = 0
                self._novelty = self.novelties()
                if not self._cycle:
                    return None
            parent = self._cycle[self._next]
            self._next += 1
            if parent in self._corpus:
                return parent

    def waiting(self) -> list[Input]:
        """The members whose turn in this cycle is still to come."""
        return [one for one in self._cycle[self._next :] if one in self._corpus]

    def novelties(self) -> dict[Input, float]:
        """The novelty of every member that was visited."""
        return {one: share for one, share in self._novelty.items() if one in self._corpus}

    def restore(self, waiting: list[Input], novelties: dict[Input, float]) -> None:
        """Go on where `waiting` and `novelties` were taken."""
        self._cycle, self._next, self._novelty = list(waiting), 0, dict(novelties)

    def novelty(self, parent: Input) -> float:
        """The share of new texts among the children of its last visit."""
        return self._novelty.get(parent, 1.0)

    def visited(self, parent: Input, children: int, new: int) -> None:
        """Take note of a visit: how many children there were, and how many of them had not been seen."""
        self._novelty[parent] = new / children if children else 0.0
