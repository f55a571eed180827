"""A derivation comes in; another program within the bounds goes out, as text and choices.

Each mutator is one function of a parent, what it may draw on, and a source of randomness. It returns the child, or
None where it does not apply. `mutate` makes sure that the child differs. A mutator of the flat sequence has its
edited choices replayed; one of the tree puts the child together from parts of derivations, without a replay.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log

from bonsai.choices import REDRAW, Draws, other_than
from bonsai.derivation import Derivation, Node, Part
from bonsai.grammar.model import Reference, Repetition, Symbol, Token
from bonsai.sampler import Sampler

ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a mutator may draw on: the sampler at the node's bounds, and other members of the corpus."""

    sampler: Sampler
    donors: Sequence[Derivation] = ()

    def rendered(self, program: tuple[str, list[int]]) -> "Child":
        """The child of these tokens and choices."""
        tokens, choices = program
        return self.sampler.bounded.renderer.render(tokens), choices


Child = tuple[str, list[int]]  # text and choices
Mutator = Callable[[Derivation, Surroundings, Draws], Child | None]


def mutate(mutator: Mutator, parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """A child that is not the parent; None if the mutator finds none. The parent must be within the bounds."""
    grammar = surroundings.sampler.grammar
    if parent.grammar is not grammar and parent.grammar.terminals != grammar.terminals:
        raise ValueError("a parent whose terminals have other values than the grammar's")
    for _ in range(ATTEMPTS):
        child = mutator(parent, surroundings, draws)
        if child is None or child[0] != parent.text:
            return child
    return None


# --- on the flat sequence --------------------------------------------------------------------------


def _geometric(mean: float, steps: int) -> list[int]:
    """Quantiles of the geometric distribution on 1, 2, ... with a given mean: a uniform pick has its law."""
    return [ceil(log(1 - (i + 0.5) / steps) / log(1 - 1 / mean)) for i in range(steps)]


# Zest's figures: on average 8 mutations of 4 bytes each, anywhere; a choice of the original is made of 4 bytes. So
# a mutation touches as many choices as a run of bytes does that begins in one of the 4 bytes of a choice.
_MUTATIONS = _geometric(8, 1024)
_TOUCHED = [(first + size + 3) // 4 for size in _geometric(4, 256) for first in range(4)]
_ZERO_PROBABILITY = 0.1


def zest(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """The paper's mutator: runs of choices are drawn afresh, or now and then all set to 0; one does change."""
    size = len(parent.choices)
    if size == 0:
        return None
    edited = list(parent.choices)
    value = 0 if draws.random() < _ZERO_PROBABILITY else REDRAW
    bits, random = draws.getrandbits, draws.random
    place = 0
    for _ in range(_MUTATIONS[bits(10)]):
        place = int(random() * size)
        touched = _TOUCHED[bits(10)]
        edited[place] = value
        if touched > 1:
            end = min(place + touched, size)
            edited[place:end] = [value] * (end - place)
    if value == REDRAW or tuple(edited) == parent.choices:
        edited[place] = other_than(parent.choices[place])
    return surroundings.sampler.replay(edited, draws)


# --- on the tree -----------------------------------------------------------------------------------


# How many draws a fresh subtree takes at most before it is wound down. Most are small: a child that is much larger
# than its parent costs more to execute, and is seldom the smallest of anything.
_SUBTREE_DRAWS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256)


def _fresh(symbol: Symbol, node: Node, surroundings: Surroundings, draws: Draws) -> Part:
    return surroundings.sampler.continue_from(symbol, node.counts, (), draws, draws.choice(_SUBTREE_DRAWS))


def regenerate(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Draw a random subtree afresh."""
    if not parent.subtrees:
        return None
    node = draws.choice(parent.subtrees)
    return surroundings.rendered(parent.with_part(node, _fresh(node.symbol, node, surroundings, draws)))


def splice(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Replace a subtree by one of the same nonterminal from another member of the corpus."""
    if not surroundings.donors:
        return None
    donor = draws.choice(surroundings.donors)
    start = parent.grammar.start
    shared = [rule for rule in parent.by_rule if len(donor.by_rule.get(rule, ())) > (rule == start)]
    if not shared:
        return None
    rule = draws.choice(shared)
    grafts = donor.by_rule[rule][rule == start :]  # without the root: that would be the donor itself
    node, graft = draws.choice(parent.by_rule[rule]), draws.choice(grafts)
    # A graft that is too deep for its new place is fitted: replay maps what the bounds do not allow.
    choices = donor.choices[graft.start : graft.end]
    fitted = surroundings.sampler.continue_from(node.symbol, node.counts, choices, draws)
    return surroundings.rendered(parent.with_part(node, fitted))


def hoist(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Replace a subtree by one of the same nonterminal inside it: nearer to the root, the bounds allow no less."""
    if not parent.nested:
        return None
    node, inner = draws.choice(parent.nested)
    return surroundings.rendered(parent.with_part(node, parent.part(draws.choice(inner))))


def wrap(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Put a subtree inside a larger one of the same nonterminal, from another member: the opposite of `hoist`."""
    if not surroundings.donors or not parent.subtrees:
        return None
    donor = draws.choice(surroundings.donors)
    around = [(outer, inner) for outer, inside in donor.nested for inner in inside]
    shared = [
        pair for pair in around if isinstance(pair[0].symbol, Reference) and pair[0].symbol.rule in parent.by_rule
    ]
    if not shared:
        return None
    outer, inner = draws.choice(shared)
    assert isinstance(outer.symbol, Reference)
    node = draws.choice(parent.by_rule[outer.symbol.rule])
    choices = [
        *donor.choices[outer.start : inner.start],
        *parent.choices[node.start : node.end],
        *donor.choices[inner.end : outer.end],
    ]
    # What is now too deep is fitted: replay maps what the bounds do not allow.
    fitted = surroundings.sampler.continue_from(node.symbol, node.counts, choices, draws)
    return surroundings.rendered(parent.with_part(node, fitted))


def _with_items(
    parent: Derivation, node: Node, items: list[Part], surroundings: Surroundings, draws: Draws
) -> Child:
    """The parent with other items in one of its repetitions; separators that are missing are drawn."""
    assert isinstance(node.symbol, Repetition)
    separators = node.separators
    separator = node.symbol.separator
    parts: list[Part] = []
    for place, item in enumerate(items):
        if place and separator is not None:
            if place <= len(separators):
                parts.append(parent.part(separators[place - 1]))
            else:
                parts.append(surroundings.sampler.continue_from(separator, node.counts, (), draws))
        parts.append(item)
    choices = [len(items)]
    for _, made in parts:
        choices += made
    return surroundings.rendered(parent.with_part(node, ("".join([tokens for tokens, _ in parts]), choices)))


def _repetition(
    parent: Derivation, surroundings: Surroundings, draws: Draws, more: int, least: int = 0
) -> Node | None:
    """A repetition of at least `least` items that may have `more` than it has."""
    if not parent.repetitions:
        return None
    bounded = surroundings.sampler.bounded
    for _ in range(ATTEMPTS):
        node = draws.choice(parent.repetitions)
        assert node.choice is not None
        allowed = bounded.state(node.symbol, node.counts).weighted.allowed
        if node.choice >= least and node.choice + more in allowed:
            return node
    return None


def insert_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """One more item, drawn afresh, somewhere in a repetition."""
    node = _repetition(parent, surroundings, draws, more=1)
    if node is None:
        return None
    assert isinstance(node.symbol, Repetition)
    items = [parent.part(item) for item in node.items]
    fresh = _fresh(node.symbol.item, node, surroundings, draws)
    items.insert(draws.randrange(len(items) + 1), fresh)
    return _with_items(parent, node, items, surroundings, draws)


def _grafted(parent: Derivation, donor: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """One more item in a repetition, from any repetition of such items in a donor.

    In half of all cases one of its names is another: names mean other things here.
    """
    node = _repetition(parent, surroundings, draws, more=1)
    if node is None:
        return None
    assert isinstance(node.symbol, Repetition)
    wanted = node.symbol.item
    grafts = [item for other in donor.repetitions for item in other.items if item.symbol == wanted]
    if not grafts:
        return None
    graft = draws.choice(grafts)
    choices = list(donor.choices[graft.start : graft.end])
    names = [one.start for one in donor.identifiers if graft.start <= one.start < graft.end]
    if names and draws.random() < 0.5:
        place = draws.choice(names) - graft.start
        choices[place] = other_than(choices[place])
    fitted = surroundings.sampler.continue_from(wanted, node.counts, choices, draws)
    items = [parent.part(item) for item in node.items]
    items.insert(draws.randrange(len(items) + 1), fitted)
    return _with_items(parent, node, items, surroundings, draws)


def graft_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """One more item, from a repetition of the same kind in another member."""
    if not surroundings.donors:
        return None
    return _grafted(parent, draws.choice(surroundings.donors), surroundings, draws)


def cross(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Two more items from the same other member: what it declares, say, and a use of it."""
    if not surroundings.donors:
        return None
    donor = draws.choice(surroundings.donors)
    once = _grafted(parent, donor, surroundings, draws)
    if once is None:
        return None
    text, choices = once
    return _grafted(Derivation(parent.grammar, tuple(choices), text), donor, surroundings, draws)


def delete_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """One item less in a repetition."""
    node = _repetition(parent, surroundings, draws, more=-1)
    if node is None:
        return None
    items = [parent.part(item) for item in node.items]
    del items[draws.randrange(len(items))]
    return _with_items(parent, node, items, surroundings, draws)


def duplicate_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """One item of a repetition once more, right behind itself."""
    node = _repetition(parent, surroundings, draws, more=1, least=1)
    if node is None:
        return None
    items = [parent.part(item) for item in node.items]
    place = draws.randrange(len(items))
    items.insert(place, items[place])
    return _with_items(parent, node, items, surroundings, draws)


def swap_items(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Two items of a repetition that trade places."""
    several = [node for node in parent.repetitions if (node.choice or 0) > 1]
    if not several:
        return None
    node = draws.choice(several)
    items = [parent.part(item) for item in node.items]
    one, other = draws.sample(range(len(items)), 2)
    items[one], items[other] = items[other], items[one]
    return _with_items(parent, node, items, surroundings, draws)


def _renamed(
    parent: Derivation, chosen: Node, nodes: Iterable[Node], surroundings: Surroundings, draws: Draws
) -> Child | None:
    """The parent with another name, in all these places, than the chosen identifier has."""
    assert isinstance(chosen.symbol, Token)
    bounded = surroundings.sampler.bounded
    allowed = bounded.state(chosen.symbol, chosen.counts).weighted.allowed
    others = [name for name in allowed if name != chosen.choice]
    if not others:
        return None
    name = draws.choice(others)
    code = bounded.renderer.code(chosen.symbol.terminal, name)
    tokens, choices = list(parent.tokens), list(parent.choices)
    for node in nodes:
        tokens[node.first], choices[node.start] = code, name
    return surroundings.rendered(("".join(tokens), choices))


def change_identifier(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Another name in one place."""
    if not parent.identifiers:
        return None
    chosen = draws.choice(parent.identifiers)
    return _renamed(parent, chosen, [chosen], surroundings, draws)


def rename_identifier(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Another name for the same thing everywhere."""
    if not parent.identifiers:
        return None
    chosen = draws.choice(parent.identifiers)
    same = [n for n in parent.identifiers if n.symbol == chosen.symbol and n.choice == chosen.choice]
    return _renamed(parent, chosen, same, surroundings, draws)


def two_steps(parent: Derivation, surroundings: Surroundings, draws: Draws) -> Child | None:
    """Two edits of the tree, one after the other: the first alone may lead nowhere."""
    first, second = draws.choice(_STEPS), draws.choice(_STEPS)
    between = mutate(first, parent, surroundings, draws)
    if between is None:
        return None
    text, choices = between
    return second(Derivation(parent.grammar, tuple(choices), text), surroundings, draws)


_STEPS = (splice, insert_item, graft_item, delete_item, change_identifier, regenerate, wrap)

MUTATORS: dict[str, Mutator] = {
    "zest": zest,
    "regenerate": regenerate,
    "splice": splice,
    "insert-item": insert_item,
    "graft-item": graft_item,
    "cross": cross,
    "delete-item": delete_item,
    "duplicate-item": duplicate_item,
    "swap-items": swap_items,
    "hoist": hoist,
    "wrap": wrap,
    "change-identifier": change_identifier,
    "rename-identifier": rename_identifier,
    "two-steps": two_steps,
}
