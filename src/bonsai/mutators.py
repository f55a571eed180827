"""A derivation comes in; another program within the bounds goes out, as text and choices.

Each mutator is one function of a parent, what it may draw on, and a source of randomness. It returns children: one,
none where it does not apply, or several that have a first step in common. `mutate` makes sure that they differ from
the parent. A mutator of the flat sequence has its edited choices replayed. One of the tree is made of *steps*,
functions that say which nodes are to derive what instead: the child is put together from parts, without a replay.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log
from operator import le

from bonsai.choices import REDRAW, Draws, other_than
from bonsai.derivation import Derivation, Edit, Node, Part
from bonsai.errors import BonsaiError
from bonsai.grammar.model import Repetition, Symbol, Token
from bonsai.sampler import Sampler

ATTEMPTS = 4
SIBLINGS = 3  # children with the same first step


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
Mutator = Callable[[Derivation, Surroundings, Draws], list[Child]]
Step = Callable[[Derivation, Surroundings, Draws], list[Edit] | None]  # nodes of the parent, none inside another


def mutate(mutator: Mutator, parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Child]:
    """Children that are not the parent; none if the mutator finds none. The parent must be within the bounds."""
    grammar = surroundings.sampler.grammar
    if parent.grammar is not grammar and parent.grammar.terminals != grammar.terminals:
        raise ValueError("a parent whose terminals have other values than the grammar's")
    for _ in range(ATTEMPTS):
        made = mutator(parent, surroundings, draws)
        children = [child for child in made if child[0] != parent.text]
        if children or not made:
            return children
    return []


# --- on the flat sequence --------------------------------------------------------------------------


def _geometric(mean: float, steps: int) -> list[int]:
    """Quantiles of the geometric distribution on 1, 2, ... with a given mean: a uniform pick has its law."""
    return [ceil(log(1 - (i + 0.5) / steps) / log(1 - 1 / mean)) for i in range(steps)]


# Zest's figures: on average 8 mutations of 4 bytes each, anywhere; a choice of the original is made of 4 bytes. So
# a mutation touches as many choices as a run of bytes does that begins in one of the 4 bytes of a choice.
_MUTATIONS = _geometric(8, 1024)
_TOUCHED = [(first + size + 3) // 4 for size in _geometric(4, 256) for first in range(4)]
_ZERO_PROBABILITY = 0.1


def zest(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Child]:
    """The paper's mutator: runs of choices are drawn afresh, or now and then all set to 0; one does change."""
    size = len(parent.choices)
    if size == 0:
        return []
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
    return [surroundings.sampler.replay(edited, draws)]


# --- on the tree -----------------------------------------------------------------------------------


# How many draws a fresh subtree takes at most before it is wound down. Most are small: a child that is much larger
# than its parent costs more to execute, and is seldom the smallest of anything.
_SUBTREE_DRAWS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256)


def _fresh(symbol: Symbol, node: Node, surroundings: Surroundings, draws: Draws) -> Part:
    return surroundings.sampler.continue_from(symbol, node.counts, (), draws, draws.pick(_SUBTREE_DRAWS))


def regenerate(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Draw a random subtree afresh, or whether an option is taken and what is in it."""
    if not parent.subtrees:
        return None
    node = draws.pick(parent.subtrees)
    return [(node, _fresh(node.symbol, node, surroundings, draws))]


def _fitted(donor: Derivation, graft: Node, node: Node, surroundings: Surroundings, draws: Draws) -> Part:
    """What a graft derives where a node is; if that is deeper, replay maps what the bounds do not allow."""
    tokens, choices = donor.part(graft)
    if all(map(le, node.counts, graft.counts)):
        return tokens, choices
    return surroundings.sampler.continue_from(graft.symbol, node.counts, choices, draws)


def splice(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Replace a subtree by one of the same nonterminal from another member of the corpus."""
    if not surroundings.donors:
        return None
    donor = draws.pick(surroundings.donors)
    start = parent.grammar.start
    shared = [rule for rule in parent.by_rule if len(donor.by_rule.get(rule, ())) > (rule == start)]
    if not shared:
        return None
    rule = draws.pick(shared)
    grafts = donor.by_rule[rule][rule == start :]  # without the root: that would be the donor itself
    node, graft = draws.pick(parent.by_rule[rule]), draws.pick(grafts)
    return [(node, _fitted(donor, graft, node, surroundings, draws))]


def hoist(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Replace a subtree by one of the same nonterminal inside it: nearer to the root, the bounds allow no less."""
    if not parent.nested:
        return None
    node, inner = draws.pick(parent.nested)
    return [(node, parent.part(draws.pick(inner)))]


def wrap(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Put a subtree inside a larger one of the same nonterminal, from another member: the opposite of `hoist`."""
    if not surroundings.donors or not parent.subtrees:
        return None
    donor = draws.pick(surroundings.donors)
    shared = [(rule, pair) for rule, pairs in donor.enclosing.items() if rule in parent.by_rule for pair in pairs]
    if not shared:
        return None
    rule, (outer, inner) = draws.pick(shared)
    node = draws.pick(parent.by_rule[rule])
    choices = [
        *donor.choices[outer.start : inner.start],
        *parent.choices[node.start : node.end],
        *donor.choices[inner.end : outer.end],
    ]
    # What is now too deep is fitted: replay maps what the bounds do not allow.
    fitted = surroundings.sampler.continue_from(node.symbol, node.counts, choices, draws)
    return [(node, fitted)]


def _with_items(
    parent: Derivation, node: Node, items: list[Part], surroundings: Surroundings, draws: Draws
) -> list[Edit]:
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
    return [(node, ("".join([tokens for tokens, _ in parts]), choices))]


def _repetition(
    parent: Derivation, surroundings: Surroundings, draws: Draws, more: int, least: int = 0
) -> Node | None:
    """A repetition of at least `least` items that may have `more` than it has."""
    if not parent.repetitions:
        return None
    bounded = surroundings.sampler.bounded
    for _ in range(ATTEMPTS):
        node = draws.pick(parent.repetitions)
        assert node.choice is not None
        allowed = bounded.allowed(node.symbol, node.counts)
        if node.choice >= least and node.choice + more in allowed:
            return node
    return None


def insert_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """One more item, drawn afresh, somewhere in a repetition."""
    node = _repetition(parent, surroundings, draws, more=1)
    if node is None:
        return None
    assert isinstance(node.symbol, Repetition)
    items = [parent.part(item) for item in node.items]
    fresh = _fresh(node.symbol.item, node, surroundings, draws)
    items.insert(draws.randrange(len(items) + 1), fresh)
    return _with_items(parent, node, items, surroundings, draws)


def _grafted(parent: Derivation, donor: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """One more item in a repetition, from any repetition of such items in a donor.

    In half of all cases one of its names is another: names mean other things here.
    """
    node = _repetition(parent, surroundings, draws, more=1)
    if node is None:
        return None
    assert isinstance(node.symbol, Repetition)
    wanted = node.symbol.item
    grafts = donor.items.get(wanted)
    if not grafts:
        return None
    graft = draws.pick(grafts)
    names = [one.start for one in donor.identifiers if graft.start <= one.start < graft.end]
    if names and draws.random() < 0.5:
        choices = list(donor.choices[graft.start : graft.end])
        place = draws.pick(names) - graft.start
        choices[place] = other_than(choices[place])
        fitted: Part = surroundings.sampler.continue_from(wanted, node.counts, choices, draws)
    else:
        fitted = _fitted(donor, graft, node, surroundings, draws)
    items = [parent.part(item) for item in node.items]
    items.insert(draws.randrange(len(items) + 1), fitted)
    return _with_items(parent, node, items, surroundings, draws)


def graft_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """One more item, from a repetition of the same kind in another member."""
    if not surroundings.donors:
        return None
    return _grafted(parent, draws.pick(surroundings.donors), surroundings, draws)


def delete_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """One item less in a repetition."""
    node = _repetition(parent, surroundings, draws, more=-1)
    if node is None:
        return None
    items = [parent.part(item) for item in node.items]
    del items[draws.randrange(len(items))]
    return _with_items(parent, node, items, surroundings, draws)


def duplicate_item(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """One item of a repetition once more, right behind itself."""
    node = _repetition(parent, surroundings, draws, more=1, least=1)
    if node is None:
        return None
    items = [parent.part(item) for item in node.items]
    place = draws.randrange(len(items))
    items.insert(place, items[place])
    return _with_items(parent, node, items, surroundings, draws)


def swap_items(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Two items of a repetition that trade places."""
    several = [node for node in parent.repetitions if (node.choice or 0) > 1]
    if not several:
        return None
    node = draws.pick(several)
    items = [parent.part(item) for item in node.items]
    one, other = draws.sample(range(len(items)), 2)
    items[one], items[other] = items[other], items[one]
    return _with_items(parent, node, items, surroundings, draws)


def _renamed(
    parent: Derivation, chosen: Node, nodes: Iterable[Node], surroundings: Surroundings, draws: Draws
) -> list[Edit] | None:
    """The parent with another name, in all these places, than the chosen identifier has."""
    assert isinstance(chosen.symbol, Token)
    bounded = surroundings.sampler.bounded
    allowed = bounded.allowed(chosen.symbol, chosen.counts)
    others = [name for name in allowed if name != chosen.choice]
    if not others:
        return None
    name = draws.pick(others)
    code = bounded.renderer.code(chosen.symbol.terminal, name)
    return [(node, (code, (name,))) for node in nodes]


def change_identifier(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Another name in one place."""
    if not parent.identifiers:
        return None
    chosen = draws.pick(parent.identifiers)
    return _renamed(parent, chosen, [chosen], surroundings, draws)


def rename_identifier(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
    """Another name for the same thing everywhere."""
    if not parent.identifiers:
        return None
    chosen = draws.pick(parent.identifiers)
    same = [n for n in parent.identifiers if n.symbol == chosen.symbol and n.choice == chosen.choice]
    return _renamed(parent, chosen, same, surroundings, draws)


# --- one step, or two ------------------------------------------------------------------------------


def one(step: Step) -> Mutator:
    """The mutator of a step."""

    def mutator(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Child]:
        edits = step(parent, surroundings, draws)
        return [] if edits is None else [surroundings.rendered(parent.edited(edits))]

    return mutator


def _siblings(
    step: Step, then: Iterable[Step], parent: Derivation, surroundings: Surroundings, draws: Draws
) -> list[Child]:
    """Children that are two steps away, the first of which they have in common: it takes most of the time."""
    edits = step(parent, surroundings, draws)
    if edits is None:
        return []
    _, choices = parent.edited(edits)
    between = Derivation(parent.grammar, tuple(choices), "")  # of which nobody needs the text
    found = (following(between, surroundings, draws) for following in then)
    return [surroundings.rendered(between.edited(more)) for more in found if more is not None]


def two_steps(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Child]:
    """Two edits of the tree, one after the other: the first alone may lead nowhere."""
    return _siblings(draws.pick(_STEPS), draws.choices(_STEPS, k=SIBLINGS), parent, surroundings, draws)


def cross(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Child]:
    """Two more items from the same other member: what it declares, say, and a use of it."""
    if not surroundings.donors:
        return []
    donor = draws.pick(surroundings.donors)

    def graft(parent: Derivation, surroundings: Surroundings, draws: Draws) -> list[Edit] | None:
        return _grafted(parent, donor, surroundings, draws)

    return _siblings(graft, [graft] * SIBLINGS, parent, surroundings, draws)


_STEPS: tuple[Step, ...] = (splice, insert_item, graft_item, delete_item, change_identifier, regenerate, wrap)


@dataclass(frozen=True, slots=True)
class Registered:
    """A mutator, and how often it is picked in comparison with the others."""

    mutator: Mutator
    weight: int


# Every mutator is an entry here, and nowhere else. A run that names no mutators uses all of them, in this order;
# the paper's policy uses `zest` alone.
MUTATORS: dict[str, Registered] = {
    "zest": Registered(zest, weight=1),
    "regenerate": Registered(one(regenerate), weight=4),
    "splice": Registered(one(splice), weight=3),
    "insert-item": Registered(one(insert_item), weight=3),
    "graft-item": Registered(one(graft_item), weight=3),
    "cross": Registered(cross, weight=3),
    "delete-item": Registered(one(delete_item), weight=3),
    "duplicate-item": Registered(one(duplicate_item), weight=1),
    "swap-items": Registered(one(swap_items), weight=1),
    "hoist": Registered(one(hoist), weight=2),
    "wrap": Registered(one(wrap), weight=2),
    "change-identifier": Registered(one(change_identifier), weight=3),
    "rename-identifier": Registered(one(rename_identifier), weight=1),
    "two-steps": Registered(two_steps, weight=10),
}


def require_mutator(name: str) -> str:
    """Returns the name of a mutator. Raises an error if there is no mutator of that name."""
    if name not in MUTATORS:
        raise BonsaiError(f"there is no mutator {name!r}", f"the mutators are {', '.join(MUTATORS)}")
    return name
