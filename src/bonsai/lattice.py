"""Upper bounds come in; the lattice of fuzzers below them goes out: nodes, predecessors and successors.

The plain lattice is the paper's first: one node for each (m, n, d). The extended one has two, restricted and
unrestricted, and every restricted node is below the unrestricted one with the same bounds.
"""

from dataclasses import dataclass
from enum import Enum
from itertools import product

from bonsai.bounds import Bounds
from bonsai.feedback import Saving


class Kind(Enum):
    """Which lattice."""

    EXTENDED = "extended"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Node:
    """The fuzzer F with bounds (m, n, d), restricted or not."""

    bounds: Bounds
    saving: Saving

    def __le__(self, other: "Node") -> bool:
        """Bounds by component; and the same restriction, or none above."""
        below = self.saving is other.saving or other.saving is Saving.UNRESTRICTED
        return below and self.bounds <= other.bounds

    def __lt__(self, other: "Node") -> bool:
        return self <= other and self != other

    def __str__(self) -> str:
        m, n, d = self.bounds.idents, self.bounds.items, self.bounds.depth
        return f"({m},{n},{d},{self.saving.value[0]})"


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes up to the upper bounds."""

    upper: Bounds
    kind: Kind = Kind.EXTENDED

    @property
    def bottom(self) -> Node:
        return Node(Bounds(1, 1, 1), self.savings[0])

    @property
    def top(self) -> Node:
        return Node(self.upper, Saving.UNRESTRICTED)

    @property
    def savings(self) -> tuple[Saving, ...]:
        both = (Saving.RESTRICTED, Saving.UNRESTRICTED)
        return both if self.kind is Kind.EXTENDED else (Saving.UNRESTRICTED,)

    def nodes(self) -> list[Node]:
        """All of them, level by level from the bottom; a predecessor always comes before its successors."""
        sides = (range(1, most + 1) for most in (self.upper.idents, self.upper.items, self.upper.depth))
        found = [Node(Bounds(*bounds), saving) for bounds in product(*sides) for saving in self.savings]
        return sorted(found, key=lambda node: (self.level(node), str(node)))

    def level(self, node: Node) -> int:
        """How many steps a node is above the bottom."""
        steps = node.bounds.idents + node.bounds.items + node.bounds.depth - 3
        return steps + self.savings.index(node.saving)

    def predecessors(self, node: Node) -> list[Node]:
        """The nodes right below: one bound less by one, or the same bounds restricted."""
        m, n, d = node.bounds.idents, node.bounds.items, node.bounds.depth
        below = [Node(Bounds(*bounds), node.saving) for bounds in ((m - 1, n, d), (m, n - 1, d), (m, n, d - 1))]
        if self.kind is Kind.EXTENDED and node.saving is Saving.UNRESTRICTED:
            below.append(Node(node.bounds, Saving.RESTRICTED))
        return [one for one in below if Bounds(1, 1, 1) <= one.bounds]

    def successors(self, node: Node) -> list[Node]:
        """The nodes right above: one bound more by one, or the same bounds unrestricted."""
        m, n, d = node.bounds.idents, node.bounds.items, node.bounds.depth
        above = [Node(Bounds(*bounds), node.saving) for bounds in ((m + 1, n, d), (m, n + 1, d), (m, n, d + 1))]
        if node.saving is Saving.RESTRICTED:
            above.append(Node(node.bounds, Saving.UNRESTRICTED))
        return [one for one in above if one.bounds <= self.upper]
