from itertools import product

from bonsai.bounds import Bounds
from bonsai.ending import Ending
from bonsai.lattice import Lattice
from bonsai.report.lattice_picture import RADIUS, pictures
from bonsai.store import NodeRun


def nodes(upper: Bounds) -> list[NodeRun]:
    return [
        NodeRun(node.bounds, node.saving.value, 1, 1, 0, 0.1, 1, 1, 0.0, Ending.SATURATED, place)
        for place, node in enumerate(Lattice(upper).nodes())
    ]


def test_every_node_is_drawn_once_and_apart_from_the_others() -> None:
    given = nodes(Bounds(3, 2, 3))
    found = pictures(given)
    assert [picture.title for picture in found] == ["Valid inputs only", "All inputs"]
    assert sorted(spot.number for picture in found for spot in picture.spots) == list(range(len(given)))
    for picture in found:
        for one, other in product(picture.spots, repeat=2):
            assert one is other or (one.x - other.x) ** 2 + (one.y - other.y) ** 2 > (2 * RADIUS) ** 2
        assert all(0 < spot.x < picture.width and 0 < spot.y < picture.height for spot in picture.spots)


def test_the_bottom_is_below_and_lines_lead_up_by_one_level() -> None:
    [picture, _] = pictures(nodes(Bounds(2, 2, 2)))
    bottom = next(spot for spot in picture.spots if spot.node.bounds == Bounds(1, 1, 1))
    assert bottom.y == max(spot.y for spot in picture.spots)
    assert len(picture.edges) == 12  # a cube
    assert len({round(y - v) for _, y, _, v in picture.edges}) == 1


def test_no_nodes_no_picture() -> None:
    assert pictures([]) == []
