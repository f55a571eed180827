"""Choices come in; the derivation tree that they describe goes out, with its measured bounds.

The fuzzing loop only needs text and choices. The tree is built when somebody asks for it: a mutator that wants to
know which choices belong to which subtree, or a person who wants to know how large a program is.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import takewhile

from bonsai.bounds import Bounds
from bonsai.choices import Choices
from bonsai.grammar.analysis import Counts, structure
from bonsai.grammar.model import (
    EMPTY,
    Choice,
    Grammar,
    Option,
    Reference,
    Repetition,
    Sequence,
    Symbol,
    Token,
    expansion,
    offers_choice,
)


class Node:
    """One symbol of a derivation: its own choice (None if it had none) stands first in `choices[start:end]`.

    `counts` is the path's before this symbol is entered. The children of a repetition are its items, with the
    separators in between; the children of anything else are the symbols of what it was expanded to.
    """

    __slots__ = ("children", "choice", "counts", "end", "start", "symbol")

    def __init__(self, symbol: Symbol, counts: Counts, start: int) -> None:
        self.symbol = symbol
        self.counts = counts
        self.start = start
        self.end = start
        self.choice: int | None = None
        self.children: list[Node] = []

    @property
    def items(self) -> list["Node"]:
        """The items of a repetition."""
        assert isinstance(self.symbol, Repetition)
        return self.children[::2] if self.symbol.separator else self.children

    @property
    def separators(self) -> list["Node"]:
        """What stands between the items of a repetition."""
        assert isinstance(self.symbol, Repetition)
        return self.children[1::2] if self.symbol.separator else []

    def holds(self, other: "Node") -> bool:
        """Whether a node of the same rule that comes later in the text stands inside, and is not all there is."""
        inside = other.start < self.end and other.end <= self.end
        return inside and (other.start, other.end) != (self.start, self.end)

    def walk(self) -> Iterator["Node"]:
        """This node and all below it, in the order of the text."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class Derivation:
    """A program of a grammar: its choices, its text, and on demand its tree."""

    def __init__(self, grammar: Grammar, choices: Choices, text: str) -> None:
        self.grammar = grammar
        self.choices = choices
        self.text = text

    @cached_property
    def tree(self) -> Node:
        """The root of the derivation tree."""
        return derive(self.grammar, self.choices)

    @cached_property
    def by_rule(self) -> dict[str, list[Node]]:
        """The expansions of each nonterminal, in the order of the text."""
        found = defaultdict(list)
        for node in self.tree.walk():
            if isinstance(node.symbol, Reference):
                found[node.symbol.rule].append(node)
        return found

    @cached_property
    def subtrees(self) -> list[Node]:
        """All expansions of nonterminals that have a choice in them, rule by rule."""
        return [node for nodes in self.by_rule.values() for node in nodes if node.end > node.start]

    @cached_property
    def nested(self) -> list[tuple[Node, list[Node]]]:
        """All expansions of nonterminals that have others of the same inside, with these."""
        found = []
        for nodes in self.by_rule.values():
            for place, node in enumerate(nodes):
                inner = list(takewhile(node.holds, nodes[place + 1 :]))
                if inner:
                    found.append((node, inner))
        return found

    @cached_property
    def repetitions(self) -> list[Node]:
        """All repetitions, in the order of the text."""
        return [node for node in self.tree.walk() if isinstance(node.symbol, Repetition)]

    @cached_property
    def identifiers(self) -> list[Node]:
        """All tokens of user-defined terminals that could have been another, in the order of the text."""
        terminals = self.grammar.terminals
        return [
            node
            for node in self.tree.walk()
            if isinstance(node.symbol, Token)
            and terminals[node.symbol.terminal].identifier
            and node.choice is not None
        ]

    def __repr__(self) -> str:
        return f"Derivation({self.text!r})"


class _Shapes:
    """What a grammar's symbols expand to, worked out once each; by identity, for the grammar keeps its symbols."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._offers: dict[int, bool] = {}
        self._expansions: dict[tuple[int, int | None], tuple[Symbol, ...]] = {}
        self.root = Reference(grammar.start)

    def offers_choice(self, symbol: Symbol) -> bool:
        found = self._offers.get(id(symbol))
        if found is None:
            found = self._offers[id(symbol)] = offers_choice(self._grammar, symbol)
        return found

    def expansion(self, symbol: Symbol, choice: int | None) -> tuple[Symbol, ...]:
        found = self._expansions.get((id(symbol), choice))
        if found is None:
            found = self._expansions[id(symbol), choice] = expansion(self._grammar, symbol, choice or 0)
        return found


_shapes = lru_cache(maxsize=64)(_Shapes)


def derive(grammar: Grammar, choices: Choices) -> Node:
    """The tree of a choice sequence that replays exactly."""
    analysis, shapes = structure(grammar), _shapes(grammar)
    root = Node(shapes.root, analysis.no_counts, 0)
    position = 0
    stack: list[Node | None] = [root]
    entered: list[Node] = []
    while stack:
        node = stack.pop()
        if node is None:  # all children of the last node that was entered are done
            entered.pop().end = position
            continue
        node.start = position
        symbol = node.symbol
        if shapes.offers_choice(symbol):
            node.choice = choices[position]
            position += 1
        parts = shapes.expansion(symbol, node.choice)
        if not parts:
            node.end = position
            continue
        counts = analysis.entered(symbol.rule, node.counts) if isinstance(symbol, Reference) else node.counts
        node.children = [Node(part, counts, 0) for part in parts]
        entered.append(node)
        stack.append(None)
        stack.extend(reversed(node.children))
    return root


def measure(derivation: Derivation) -> Bounds:
    """The smallest bounds that hold a derivation; a bound of which it makes no use is 0."""
    grammar = derivation.grammar
    analysis = structure(grammar)
    items = depth = 0
    values: dict[str, set[int]] = defaultdict(set)
    for node in derivation.tree.walk():
        match node.symbol:
            case Reference(rule):
                depth = max(depth, analysis.expansions(rule, analysis.entered(rule, node.counts)))
            case Repetition():
                items = max(items, node.choice or 0)
            case Token(terminal) if grammar.terminals[terminal].identifier:
                values[terminal].add(node.choice or 0)
            case _:
                pass
    return Bounds(max((len(used) for used in values.values()), default=0), items, depth)


def holding(derivation: Derivation) -> Bounds:
    """The smallest bounds under which its choices replay: bound m allows the first m names, not any m of them."""
    used = (node.choice for node in derivation.identifiers if node.choice is not None)
    return measure(derivation).join(Bounds(max(used, default=0) + 1, 1, 1))


def outline(derivation: Derivation) -> str:
    """The tree as indented lines, for people."""
    lines = []
    stack = [(derivation.tree, 0)]
    while stack:
        node, level = stack.pop()
        lines.append("  " * level + _label(derivation.grammar, node))
        stack.extend((child, level + 1) for child in reversed(node.children))
    return "\n".join(lines)


def _label(grammar: Grammar, node: Node) -> str:
    match node.symbol:
        case Reference(rule):
            return rule
        case Token(terminal):
            values = grammar.terminals[terminal].values
            return f"{terminal} {values[node.choice or 0]!r}" if values else terminal
        case Repetition():
            return f"repetition of {node.choice}"
        case Option():
            return "option" if node.choice else "option, absent"
        case Choice() | Sequence():
            return "group" if node.symbol != EMPTY else "nothing"
