"""The lattice against the paper's definitions."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bonsai import Bounds
from bonsai.feedback import Saving
from bonsai.lattice import Kind, Lattice, Node

R, U = Saving.RESTRICTED, Saving.UNRESTRICTED
lattices = st.builds(
    Lattice,
    st.builds(Bounds, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    st.sampled_from(Kind),
)


def node(m: int, n: int, d: int, saving: Saving) -> Node:
    return Node(Bounds(m, n, d), saving)


@given(lattices)
def test_neighbours_are_those_of_the_order(lattice: Lattice) -> None:
    """Predecessor: below, with nothing in between. Likewise successor."""
    nodes = lattice.nodes()
    for one in nodes:
        below = {other for other in nodes if other < one}
        assert set(lattice.predecessors(one)) == {p for p in below if not any(p < other < one for other in below)}
        above = {other for other in nodes if one < other}
        assert set(lattice.successors(one)) == {s for s in above if not any(one < other < s for other in above)}


@given(lattices)
def test_it_is_a_lattice_with_bottom_and_top(lattice: Lattice) -> None:
    nodes = lattice.nodes()
    assert len(set(nodes)) == len(nodes)
    assert all(lattice.bottom <= one <= lattice.top for one in nodes)
    assert not lattice.predecessors(lattice.bottom)
    assert not lattice.successors(lattice.top)
    for place, one in enumerate(nodes):
        assert all(nodes.index(p) < place for p in lattice.predecessors(one))


@given(lattices)
def test_the_order_is_a_partial_order(lattice: Lattice) -> None:
    nodes = lattice.nodes()[:20]
    for a in nodes:
        assert a <= a
        for b in nodes:
            assert not (a <= b and b <= a) or a == b
            assert all(not (a <= b and b <= c) or a <= c for c in nodes)


def test_the_papers_lattices() -> None:
    extended = Lattice(Bounds(3, 3, 3))
    levels = Counter(extended.level(one) for one in extended.nodes())
    assert [levels[level] for level in sorted(levels)] == [1, 4, 9, 13, 13, 9, 4, 1]
    assert len(extended.nodes()) == 54
    assert len(Lattice(Bounds(3, 3, 3), Kind.PLAIN).nodes()) == 27


def test_the_papers_examples() -> None:
    extended = Lattice(Bounds(3, 3, 3))
    above = {node(2, 1, 1, R), node(1, 2, 1, R), node(1, 1, 2, R), node(1, 1, 1, U)}
    assert set(extended.successors(node(1, 1, 1, R))) == above
    assert set(extended.predecessors(node(1, 2, 1, U))) == {node(1, 1, 1, U), node(1, 2, 1, R)}
    plain = Lattice(Bounds(2, 2, 2), Kind.PLAIN)
    assert node(2, 1, 1, U) in plain.successors(plain.bottom)
    assert node(2, 2, 1, U) not in plain.successors(plain.bottom)
    assert str(node(1, 2, 3, R)) == "(1,2,3,r)"
