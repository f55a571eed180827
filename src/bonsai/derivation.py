"""Choices come in; the derivation tree that they describe goes out, with its measured bounds.

The fuzzing loop only needs text and choices. The tree is built when somebody asks for it: a mutator that wants to
know which choices belong to which subtree, or a person who wants to know how large a program is.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import takewhile

from bonsai.bounds import Bounds
from bonsai.choices import Choices
from bonsai.grammar.analysis import Counts, structure
from bonsai.grammar.model import (
    EMPTY,
    Grammar,
    Option,
    Reference,
    Repetition,
    Symbol,
    Token,
    expansion,
    offers_choice,
)
from bonsai.render import token_codes

# A part of a program, or all of it: its tokens and its choices.
Part = tuple[str, Sequence[int]]


class Node:
    """One symbol of a derivation: its own choice (None if it had none) stands first in `choices[start:end]`.

    Its tokens are `tokens[first:last]`. `counts` is the path's before this symbol is entered. The children of a
    repetition are its items, with the separators in between; the children of anything else are the symbols of what
    it was expanded to.
    """

    __slots__ = ("children", "choice", "counts", "end", "first", "last", "shape", "start", "symbol")

    start: int
    end: int
    first: int
    last: int

    def __init__(self, shape: "_Shape", counts: Counts) -> None:
        self.shape = shape
        self.symbol = shape.symbol
        self.counts = counts
        self.choice: int | None = None
        self.children: Sequence[Node] = ()

    @property
    def items(self) -> Sequence["Node"]:
        """The items of a repetition."""
        assert isinstance(self.symbol, Repetition)
        return self.children[::2] if self.symbol.separator else self.children

    @property
    def separators(self) -> Sequence["Node"]:
        """What stands between the items of a repetition."""
        assert isinstance(self.symbol, Repetition)
        return self.children[1::2] if self.symbol.separator else ()

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


@dataclass(frozen=True, slots=True)
class Tree:
    """A derivation tree, with its tokens and the nodes that are asked for most, all in the order of the text."""

    root: Node
    tokens: str
    by_rule: dict[str, list[Node]]
    repetitions: list[Node]
    identifiers: list[Node]


class Derivation:
    """A program of a grammar: its choices, its text, and on demand its tree."""

    def __init__(self, grammar: Grammar, choices: Choices, text: str) -> None:
        self.grammar = grammar
        self.choices = choices
        self.text = text

    @cached_property
    def _derived(self) -> Tree:
        return derive(self.grammar, self.choices)

    @cached_property
    def tree(self) -> Node:
        """The root of the derivation tree."""
        return self._derived.root

    @cached_property
    def tokens(self) -> str:
        """The tokens of the text, one character each (render.py)."""
        return self._derived.tokens

    @cached_property
    def by_rule(self) -> dict[str, list[Node]]:
        """The expansions of each nonterminal, in the order of the text."""
        return self._derived.by_rule

    @cached_property
    def repetitions(self) -> list[Node]:
        """All repetitions, in the order of the text."""
        return self._derived.repetitions

    @cached_property
    def identifiers(self) -> list[Node]:
        """All tokens of user-defined terminals that could have been another, in the order of the text."""
        return self._derived.identifiers

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

    def part(self, node: Node) -> Part:
        """What a node derives."""
        return self.tokens[node.first : node.last], self.choices[node.start : node.end]

    def with_part(self, node: Node, part: Part) -> tuple[str, list[int]]:
        """The tokens and choices of the program in which a node derives something else.

        What may be chosen depends on the path from the root alone, so all that is around the node stays as it is.
        """
        own_tokens, own_choices = self.tokens, self.choices
        tokens, choices = part
        return (
            own_tokens[: node.first] + tokens + own_tokens[node.last :],
            [*own_choices[: node.start], *choices, *own_choices[node.end :]],
        )

    def __repr__(self) -> str:
        return f"Derivation({self.text!r})"


@dataclass(slots=True, eq=False)
class _Shape:
    """A symbol with what follows from it alone; the two dictionaries are filled in when first needed."""

    symbol: Symbol
    offers_choice: bool
    is_identifier: bool  # one that could have been another
    codes: tuple[str, ...]  # of the values of a token
    expansions: dict[int, "tuple[_Shape, ...]"] = field(default_factory=dict)
    entered: dict[Counts, Counts] = field(default_factory=dict)


class _Shapes:
    """What a grammar's symbols expand to, worked out once each; by identity, for the grammar keeps its symbols."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._analysis = structure(grammar)
        self._codes = token_codes(grammar)
        self._known: dict[int, _Shape] = {}
        self._start = Reference(grammar.start)
        self.root = self._shape(self._start)
        self.no_counts = self._analysis.no_counts

    def _shape(self, symbol: Symbol) -> _Shape:
        found = self._known.get(id(symbol))
        if found is None:
            offers, identifier = offers_choice(self._grammar, symbol), False
            codes: tuple[str, ...] = ()
            if isinstance(symbol, Token):
                identifier = offers and self._grammar.terminals[symbol.terminal].identifier
                codes = tuple(code for (name, _), code in self._codes.items() if name == symbol.terminal)
            found = self._known[id(symbol)] = _Shape(symbol, offers, identifier, codes)
        return found

    def expand(self, shape: _Shape, choice: int) -> tuple[_Shape, ...]:
        """What a choice makes of a symbol."""
        parts = tuple(self._shape(part) for part in expansion(self._grammar, shape.symbol, choice))
        shape.expansions[choice] = parts
        return parts

    def enter(self, shape: _Shape, counts: Counts) -> Counts:
        """The counts inside of a nonterminal."""
        assert isinstance(shape.symbol, Reference)
        shape.entered[counts] = entered = self._analysis.entered(shape.symbol.rule, counts)
        return entered


_shapes = lru_cache(maxsize=64)(_Shapes)


def derive(grammar: Grammar, choices: Choices) -> Tree:
    """The tree of a choice sequence that replays exactly."""
    shapes = _shapes(grammar)
    root = Node(shapes.root, shapes.no_counts)
    tokens: list[str] = []
    by_rule: dict[str, list[Node]] = defaultdict(list)
    repetitions: list[Node] = []
    identifiers: list[Node] = []
    position = 0
    stack: list[Node | None] = [root]
    entered: list[Node] = []
    while stack:
        node = stack.pop()
        if node is None:  # all children of the last node that was entered are done
            node = entered.pop()
            node.end, node.last = position, len(tokens)
            continue
        node.start, node.first = position, len(tokens)
        shape, symbol, counts, choice = node.shape, node.symbol, node.counts, 0
        if shape.offers_choice:
            node.choice = choice = choices[position]
            position += 1
        if isinstance(symbol, Token):
            tokens.append(shape.codes[choice])
            if shape.is_identifier:
                identifiers.append(node)
        elif isinstance(symbol, Reference):
            by_rule[symbol.rule].append(node)
            counts = shape.entered.get(counts) or shapes.enter(shape, counts)
        elif isinstance(symbol, Repetition):
            repetitions.append(node)
        parts = shape.expansions.get(choice)
        if parts is None:
            parts = shapes.expand(shape, choice)
        if not parts:
            node.end, node.last = position, len(tokens)
            continue
        node.children = [Node(part, counts) for part in parts]
        entered.append(node)
        stack.append(None)
        stack.extend(reversed(node.children))
    return Tree(root, "".join(tokens), by_rule, repetitions, identifiers)


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
        case _:
            return "group" if node.symbol != EMPTY else "nothing"
