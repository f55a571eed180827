"""Size bounds on derivations: how many identifiers, items and nested expansions a program may have."""

from dataclasses import dataclass

from bonsai.errors import BonsaiError


@dataclass(frozen=True, slots=True, order=False)
class Bounds:
    """The (m, n, d) of the paper, ordered component by component: `a <= b` means a ⊑ b.

    `idents`: distinct values of any one user-defined terminal; `items`: repetitions in any one repetition;
    `depth`: expansions of the same nonterminal on any path from the root to a leaf.
    """

    idents: int
    items: int
    depth: int

    def __le__(self, other: "Bounds") -> bool:
        return self.idents <= other.idents and self.items <= other.items and self.depth <= other.depth

    def __lt__(self, other: "Bounds") -> bool:
        return self <= other and self != other

    def __ge__(self, other: "Bounds") -> bool:
        return other <= self

    def __gt__(self, other: "Bounds") -> bool:
        return other < self

    def __str__(self) -> str:
        return f"({self.idents},{self.items},{self.depth})"

    def join(self, other: "Bounds") -> "Bounds":
        """The least bounds that hold both."""
        return Bounds(max(self.idents, other.idents), max(self.items, other.items), max(self.depth, other.depth))


LARGEST = 1_000_000


def require_positive(bounds: Bounds) -> Bounds:
    """The bounds as they are, if a program may be asked for under them."""
    for name, value in (("idents", bounds.idents), ("items", bounds.items), ("depth", bounds.depth)):
        if not 1 <= value <= LARGEST:
            raise BonsaiError(
                f"bounds {bounds}: {name} is {value}", f"every bound is a whole number from 1 to {LARGEST:,}"
            )
    return bounds


def parse_bounds(text: str) -> Bounds:
    """`"3,3,3"` as bounds."""
    parts = text.split(",")
    try:
        idents, items, depth = (int(part) for part in parts)
    except ValueError:
        raise BonsaiError(
            f"bounds {text!r} are not three whole numbers", "write idents,items,depth, for example 3,3,3"
        ) from None
    return require_positive(Bounds(idents, items, depth))
