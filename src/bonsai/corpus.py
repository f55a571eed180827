"""Judged inputs come in; the ones worth keeping stay: the archive, and the corpus that is selected from it.

Policy `smallest`: for every feature the smallest known witness, and the smallest known *valid* witness. Policy
`paper`: every input that met the paper's criterion when it came, none ever replaced.

Size is the number of characters without white space, then the length, then the text itself. A grammar may derive
one text in several ways, so inputs of the same text are ordered by their choices. This order is total: what an
archive keeps depends only on the inputs that it was offered, never on the order in which they came.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from bonsai.choices import Choices
from bonsai.feedback import Saving

Size = tuple[int, int, str]
Rank = tuple[Size, Choices, bool, int]


def size_of(text: str) -> Size:
    """The size of a text, a key to sort by."""
    return len("".join(text.split())), len(text), text


class Policy(Enum):
    """What is saved."""

    SMALLEST = "smallest"
    PAPER = "paper"


class Select(Enum):
    """What of the archive is the final corpus."""

    VALID_FIRST = "valid-first"
    BOTH = "both"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Input:
    """A judged input: its text, the choices that derive it, and what it exercises.

    `rank` is the key of the total order in which the smallest witness is found. Only an unstable target gives one
    text two verdicts or two sets of features; even then the order is total.
    """

    text: str
    choices: Choices
    valid: bool
    features: int
    size: Size = field(init=False)
    rank: Rank = field(init=False)

    def __post_init__(self) -> None:
        size = size_of(self.text)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "rank", (size, self.choices, not self.valid, self.features))


class Corpus(Protocol):
    """What a policy keeps of the inputs that it is offered."""

    def interesting(self, text: str, valid: bool, features: int) -> bool:
        """Returns whether `add` would keep such an input of a new text. Cheap: this is asked of every execution."""
        ...

    def add(self, candidate: Input) -> bool:
        """Offer an input; whether anything changed."""
        ...

    def inputs(self) -> list[Input]:
        """All that is kept, in the order in which a fuzzer cycles through them."""
        ...

    def __contains__(self, member: Input) -> bool: ...

    def favored(self, member: Input) -> bool:
        """Whether a member is responsible for some feature."""
        ...

    def selected(self, select: Select) -> list[Input]:
        """The final corpus, smallest first."""
        ...

    @property
    def covered(self) -> int:
        """The features that some input exercises."""
        ...

    @property
    def covered_by_valid(self) -> int:
        """The features that some valid input exercises."""
        ...


def rank_of(member: Input) -> Rank:
    """Returns the key by which inputs are sorted, the smallest first."""
    return member.rank


def mean_size(inputs: Sequence[Input]) -> float:
    """Characters without white space, on average; of no inputs, 0."""
    return sum(one.size[0] for one in inputs) / (len(inputs) or 1)


def bits(mask: int) -> Iterator[int]:
    """The places of the ones in a mask, ascending."""
    digits = bin(mask)[:1:-1]  # arithmetic would copy the whole mask for each of its ones
    place = digits.find("1")
    while place >= 0:
        yield place
        place = digits.find("1", place + 1)


def mask_of(places: Iterable[int]) -> int:
    """The mask with ones in some places."""
    mask = bytearray()
    for place in places:
        if place >> 3 >= len(mask):
            mask.extend(bytes((place >> 3) + 1 - len(mask)))
        mask[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(mask, "little")


class Witnesses:
    """For every feature, the smallest input seen so far.

    `_below[s]` holds the features whose witness has fewer than s characters: in those, an input of s characters is
    no improvement. Invariant, for every s up to `LARGEST` and feature f: f in `_below[s]` exactly if
    `best[f].size[0] < s`. All sets are positive numbers: with negative ones, Python takes several times as long.
    """

    LARGEST = 300

    def __init__(self) -> None:
        self.best: dict[int, Input] = {}
        self.covered = 0
        self._below = [0] * (self.LARGEST + 1)

    def may_improve(self, size: int, features: int) -> int:
        """The features in which an input of some size may be the new witness."""
        return features ^ (features & self._below[min(size, self.LARGEST)])

    def has_smaller(self, size: Size, features: int) -> bool:
        """Returns whether an input of a new text would be the new witness of some feature."""
        best = self.best
        return any(
            feature not in best or size < best[feature].size
            for feature in bits(self.may_improve(size[0], features))
        )

    def improved_by(self, candidate: Input) -> list[int]:
        """Returns the features in which an input would be the new witness."""
        best, rank = self.best, candidate.rank
        return [
            feature
            for feature in bits(self.may_improve(candidate.size[0], candidate.features))
            if feature not in best or rank < best[feature].rank
        ]

    def replace(self, features: list[int], witness: Input) -> list[Input]:
        """Make an input the witness of features that it improves; those that it replaces, once per feature."""
        mask = mask_of(features)
        self.covered |= mask
        beaten = [self.best[feature] for feature in features if feature in self.best]
        # Where every feature had a witness, all of them are in the sets of sizes above the largest of these.
        known = len(beaten) == len(features)
        largest = min(max(one.size[0] for one in beaten), self.LARGEST) if known else self.LARGEST
        for larger in range(witness.size[0] + 1, largest + 1):
            self._below[larger] |= mask
        self.best.update(dict.fromkeys(features, witness))
        return beaten


class Archive:
    """Policy `smallest`: the smallest witness of every feature, and its smallest valid one.

    Invariant: an input is a member exactly if it is a witness of something; `_uses` counts of how many.
    """

    def __init__(self, saving: Saving) -> None:
        self._saving = saving
        self._any = Witnesses()
        self._valid = Witnesses()
        self._uses: dict[Input, int] = {}
        self._sorted: list[Input] | None = None

    def interesting(self, text: str, valid: bool, features: int) -> bool:
        if self._saving is Saving.RESTRICTED and not valid:
            return False
        size = len("".join(text.split()))
        if not (self._any.may_improve(size, features) or (valid and self._valid.may_improve(size, features))):
            return False
        key = size_of(text)
        return self._any.has_smaller(key, features) or (valid and self._valid.has_smaller(key, features))

    def add(self, candidate: Input) -> bool:
        if self._saving is Saving.RESTRICTED and not candidate.valid:
            return False
        changed = self._witness(self._any, candidate)
        if candidate.valid:
            changed |= self._witness(self._valid, candidate)
        if changed:
            self._sorted = None
        return changed

    def _witness(self, witnesses: Witnesses, candidate: Input) -> bool:
        improved = witnesses.improved_by(candidate)
        if not improved:
            return False
        self._uses[candidate] = self._uses.get(candidate, 0) + len(improved)
        for beaten in witnesses.replace(improved, candidate):
            self._uses[beaten] -= 1
            if not self._uses[beaten]:
                del self._uses[beaten]
        return True

    def inputs(self) -> list[Input]:
        if self._sorted is None:
            self._sorted = sorted(self._uses, key=rank_of)
        return self._sorted

    def __contains__(self, member: Input) -> bool:
        return member in self._uses

    def favored(self, member: Input) -> bool:
        return member in self._uses

    def selected(self, select: Select) -> list[Input]:
        if select is Select.BOTH:
            return self.inputs()
        chosen = set(self._valid.best.values())
        chosen |= {w for feature, w in self._any.best.items() if feature not in self._valid.best}
        return sorted(chosen, key=rank_of)

    @property
    def covered(self) -> int:
        return self._any.covered

    @property
    def covered_by_valid(self) -> int:
        return self._valid.covered


class PaperCorpus:
    """Policy `paper`: append what has new coverage, or is valid and has new coverage among the valid.

    A valid input takes over responsibility for features that an invalid one was first to exercise.
    """

    def __init__(self, saving: Saving) -> None:
        self._saving = saving
        self._members: list[Input] = []
        self._responsible: dict[int, Input] = {}
        self._covered = 0
        self._covered_by_valid = 0

    def interesting(self, text: str, valid: bool, features: int) -> bool:
        if valid:
            return bool(features & ~self._covered_by_valid)
        return self._saving is Saving.UNRESTRICTED and bool(features & ~self._covered)

    def add(self, candidate: Input) -> bool:
        if not self.interesting(candidate.text, candidate.valid, candidate.features):
            return False
        known = self._covered_by_valid if candidate.valid else self._covered
        for feature in bits(candidate.features & ~known):
            self._responsible[feature] = candidate
        self._covered |= candidate.features
        if candidate.valid:
            self._covered_by_valid |= candidate.features
        self._members.append(candidate)
        return True

    def inputs(self) -> list[Input]:
        return list(self._members)

    def __contains__(self, member: Input) -> bool:
        return True  # nothing is ever replaced

    def favored(self, member: Input) -> bool:
        return any(one is member for one in self._responsible.values())

    def selected(self, select: Select) -> list[Input]:
        return sorted(self._members, key=rank_of)

    @property
    def covered(self) -> int:
        return self._covered

    @property
    def covered_by_valid(self) -> int:
        return self._covered_by_valid


def new_corpus(policy: Policy, saving: Saving) -> Corpus:
    """An empty corpus with a policy."""
    match policy:
        case Policy.SMALLEST:
            return Archive(saving)
        case Policy.PAPER:
            return PaperCorpus(saving)


def filtered(judged: Iterable[Input]) -> list[Input]:
    """The definition that the archive's selection is measured against: all inputs, valid ones by size first, then
    invalid ones by size, keeping those that add a feature."""
    everything = sorted(judged, key=lambda one: (not one.valid, one.rank))
    covered = 0
    kept = []
    for one in everything:
        if one.features & ~covered:
            covered |= one.features
            kept.append(one)
    return sorted(kept, key=rank_of)
