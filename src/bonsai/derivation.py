"""Choices come in; the derivation tree that they describe goes out, with its measured bounds.

The fuzzing loop only needs text and choices. The tree is built when somebody asks for it: a mutator that wants to
know which choices belong to which subtree, or a person who wants to know how large a program is.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
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


def derive(grammar: Grammar, choices: Choices) -> Node:
    """The tree of a choice sequence that replays exactly."""
    analysis = structure(grammar)
    root = Node(Reference(grammar.start), analysis.no_counts, 0)
    position = 0
    stack: list[tuple[Node, bool]] = [(root, True)]
    while stack:
        node, entering = stack.pop()
        if not entering:
            node.end = position
            continue
        node.start = position
        if offers_choice(grammar, node.symbol):
            node.choice = choices[position]
            position += 1
        counts = node.counts
        if isinstance(node.symbol, Reference):
            counts = analysis.entered(node.symbol.rule, counts)
        node.children = [Node(part, counts, 0) for part in _expansion(grammar, node)]
        stack.append((node, False))
        stack.extend((child, True) for child in reversed(node.children))
    return root


def offers_choice(grammar: Grammar, symbol: Symbol) -> bool:
    """Whether the grammar offers more than one option at this symbol."""
    match symbol:
        case Token(terminal):
            return len(grammar.terminals[terminal].values) > 1
        case Reference(rule):
            return len(grammar.rules[rule].alternatives) > 1
        case Sequence():
            return False
        case _:
            return True


def _expansion(grammar: Grammar, node: Node) -> tuple[Symbol, ...]:
    match node.symbol:
        case Token():
            return ()
        case Reference(rule):
            return _flat(grammar.rules[rule].alternatives[node.choice or 0])
        case Sequence(symbols):
            return symbols
        case Choice(alternatives):
            return _flat(alternatives[node.choice or 0])
        case Option(item):
            return _flat(item) if node.choice else ()
        case Repetition(item, separator=separator):
            count = node.choice or 0
            if separator is None:
                return (item,) * count
            return (item, *(separator, item) * (count - 1)) if count else ()


def _flat(symbol: Symbol) -> tuple[Symbol, ...]:
    return symbol.symbols if isinstance(symbol, Sequence) else (symbol,)


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
