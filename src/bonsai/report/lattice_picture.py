"""The nodes of a run come in; a picture of the lattice goes out: where each node stands, and what joins them.

There is one picture for each validity, so that each fits a narrow screen; the bottom of the lattice is below.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bonsai.store import NodeRun

COLUMN, ROW, RADIUS, LABELLED = 62, 78, 23, 14  # pixels; a level with more nodes than the last has no labels
TITLES = {"restricted": "Valid inputs only", "unrestricted": "All inputs"}


@dataclass(frozen=True, slots=True)
class Spot:
    """A node with its place in the picture, and how much it found compared with the others, from 0 to 1."""

    node: NodeRun
    number: int  # among the nodes of the run
    x: float
    y: float
    share: float


@dataclass(frozen=True, slots=True)
class Picture:
    """The nodes of one validity, and the lines from each to its successors."""

    title: str
    width: float
    height: float
    spots: tuple[Spot, ...]
    edges: tuple[tuple[float, float, float, float], ...]
    labelled: bool


def level(node: NodeRun) -> int:
    """How far a node is above the bottom."""
    return node.bounds.idents + node.bounds.items + node.bounds.depth


def pictures(nodes: Sequence[NodeRun]) -> list[Picture]:
    """One for each validity that there is."""
    most = max((node.new for node in nodes), default=0) or 1
    found = []
    for validity, title in TITLES.items():
        chosen = [(number, node) for number, node in enumerate(nodes) if node.validity == validity]
        if chosen:
            found.append(_picture(title, chosen, most))
    return found


def _picture(title: str, chosen: Sequence[tuple[int, NodeRun]], most: int) -> Picture:
    levels: dict[int, list[tuple[int, NodeRun]]] = {}
    for number, node in chosen:
        levels.setdefault(level(node), []).append((number, node))
    widest = max(map(len, levels.values()))
    top = max(levels)
    spots: dict[tuple[int, int, int], Spot] = {}
    for height, members in levels.items():
        # Neighbours in a level differ little, so that few lines cross.
        members.sort(key=lambda one: (one[1].bounds.idents - one[1].bounds.depth, one[1].bounds.items))
        for place, (number, node) in enumerate(members):
            x = (widest - len(members)) / 2 * COLUMN + (place + 0.5) * COLUMN
            y = (top - height) * ROW + RADIUS + 6
            key = (node.bounds.idents, node.bounds.items, node.bounds.depth)
            spots[key] = Spot(node, number, x, y, (node.new / most) ** 0.5)
    edges = []
    for (m, n, d), spot in spots.items():
        above = (spots.get(key) for key in ((m + 1, n, d), (m, n + 1, d), (m, n, d + 1)))
        edges += [(spot.x, spot.y, other.x, other.y) for other in above if other is not None]
    height = (top - min(levels)) * ROW + 2 * RADIUS + 30
    return Picture(title, widest * COLUMN, height, tuple(spots.values()), tuple(edges), widest <= LABELLED)
