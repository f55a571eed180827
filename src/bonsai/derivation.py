"""Choices come in; the derivation tree that they describe goes out, with its measured bounds.

The fuzzing loop only needs text and choices. The tree is built when somebody asks for it. Mutators, who ask all the
time, only want the places that they may edit: these can be had without the rest of the tree.
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
# A node, and what it derives instead.
Edit = tuple["Node", Part]
_MOST_ENTERED = 100_000  # counts that are remembered for one symbol


class Node:
    """One symbol of a derivation: its own choice (None if it had none) stands first in `choices[start:end]`.

    Its tokens are `tokens[first:last]`. `counts` is the path's before this symbol is entered. The children of a
    repetition are its items, with the separators in between; the children of anything else are the symbols of what
    it was expanded to.
    """

    __slots__ = ("children", "choice", "counts", "end", "first", "last", "shape", "start", "symbol")

    end: int
    last: int

    def __init__(self, shape: "_Shape", counts: Counts, choice: int | None, start: int, first: int) -> None:
        self.shape = shape
        self.symbol = shape.symbol
        self.counts = counts
        self.choice = choice
        self.start = start
        self.first = first
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
class Places:
    """What mutators edit: the tokens of a program, and nodes of its tree, each kind in the order of the text.

    Of these nodes, only repetitions have their children.
    """

    tokens: str
    by_rule: dict[str, list[Node]]
    repetitions: list[Node]
    options: list[Node]
    identifiers: list[Node]


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
    def _places(self) -> Places:
        return find_places(self.grammar, self.choices)

    @property
    def tokens(self) -> str:
        """The tokens of the text, one character each (render.py)."""
        return self._places.tokens

    @property
    def by_rule(self) -> dict[str, list[Node]]:
        """The expansions of each nonterminal, in the order of the text."""
        return self._places.by_rule

    @property
    def repetitions(self) -> list[Node]:
        """All repetitions, in the order of the text."""
        return self._places.repetitions

    @property
    def identifiers(self) -> list[Node]:
        """All tokens of user-defined terminals that could have been another, in the order of the text."""
        return self._places.identifiers

    @cached_property
    def subtrees(self) -> list[Node]:
        """All expansions of nonterminals that have a choice in them, rule by rule; then all options."""
        expansions = [node for nodes in self.by_rule.values() for node in nodes if node.end > node.start]
        return expansions + self._places.options

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
    def enclosing(self) -> dict[str, list[tuple[Node, Node]]]:
        """For each nonterminal, its expansions that have another inside: outer and inner."""
        found: dict[str, list[tuple[Node, Node]]] = defaultdict(list)
        for outer, inside in self.nested:
            found[outer.shape.rule] += [(outer, inner) for inner in inside]
        return found

    @cached_property
    def items(self) -> dict[Symbol, list[Node]]:
        """The items of all repetitions, by their symbols."""
        found: dict[Symbol, list[Node]] = defaultdict(list)
        for repetition in self.repetitions:
            for item in repetition.items:
                found[item.symbol].append(item)
        return found

    def part(self, node: Node) -> Part:
        """What a node derives."""
        return self.tokens[node.first : node.last], self.choices[node.start : node.end]

    def edited(self, edits: Sequence[Edit]) -> tuple[str, list[int]]:
        """The tokens and choices of the program in which some nodes, none inside another, derive something else.

        What may be chosen depends on the path from the root alone, so all that is around the nodes stays as it is.
        """
        own_tokens, own_choices = self.tokens, self.choices
        tokens, choices = "", []
        token = choice = 0
        for node, part in sorted(edits, key=_place) if len(edits) > 1 else edits:
            tokens += own_tokens[token : node.first] + part[0]
            choices += [*own_choices[choice : node.start], *part[1]]
            token, choice = node.last, node.end
        choices += own_choices[choice:]
        return tokens + own_tokens[token:], choices

    def __repr__(self) -> str:
        return f"Derivation({self.text!r})"


def _place(edit: Edit) -> int:
    return edit[0].start


@dataclass(slots=True, eq=False)
class _Shape:
    """A symbol with what follows from it alone; the dictionaries are filled in when first needed."""

    symbol: Symbol
    offers_choice: bool
    codes: tuple[str, ...] = ()  # of the values of a token
    is_identifier: bool = False  # a token that could have been another name
    rule: str = ""  # of a reference
    is_counted: bool = False  # a reference to a recursive rule
    is_repetition: bool = False
    is_option: bool = False
    is_place: bool = False  # what mutators edit
    expansions: dict[int, "tuple[_Shape, ...]"] = field(default_factory=dict)
    pieces: dict[int, "str | tuple[_Shape | str, ...]"] = field(default_factory=dict)
    entered: dict[Counts, Counts] = field(default_factory=dict)


class _Shapes:
    """What a grammar's symbols expand to, worked out once each; by identity, for the grammar keeps its symbols."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._analysis = structure(grammar)
        self._codes: dict[str, list[str]] = defaultdict(list)  # by terminal
        for (terminal, _), code in token_codes(grammar).items():
            self._codes[terminal].append(code)
        # Each entry holds all counts, so there may be fewer entries the more counts there are.
        self._most_entered = max(1, _MOST_ENTERED // (len(self._analysis.counted) or 1))
        self._known: dict[int, _Shape] = {}
        self._start = Reference(grammar.start)
        self.root = self._shape(self._start)
        self.no_counts = self._analysis.no_counts

    def _shape(self, symbol: Symbol) -> _Shape:
        found = self._known.get(id(symbol))
        if found is None:
            found = self._known[id(symbol)] = _Shape(symbol, offers_choice(self._grammar, symbol))
            match symbol:
                case Token(terminal):
                    found.codes = tuple(self._codes[terminal])
                    found.is_identifier = found.offers_choice and self._grammar.terminals[terminal].identifier
                case Reference(rule):
                    found.rule = rule
                    found.is_counted = rule in self._analysis.recursive
                case Repetition():
                    found.is_repetition = True
                case Option():
                    found.is_option = True
                case _:
                    pass
            kinds = (found.rule, found.is_repetition, found.is_option, found.is_identifier)
            found.is_place = any(kinds)
        return found

    def expand(self, shape: _Shape, choice: int) -> tuple[_Shape, ...]:
        """What a choice makes of a symbol."""
        parts = tuple(self._shape(part) for part in expansion(self._grammar, shape.symbol, choice))
        shape.expansions[choice] = parts
        return parts

    def piece(self, shape: _Shape, choice: int) -> "str | tuple[_Shape | str, ...]":
        """What a choice makes of a symbol, with tokens that could be no others joined: but not in a repetition."""
        pieces: list[_Shape | str] = [shape.codes[choice]] if shape.codes else []
        for part in self.expand(shape, choice):
            if not part.codes or part.offers_choice or shape.is_repetition:
                pieces.append(part)
            elif pieces and isinstance(pieces[-1], str):
                pieces[-1] += part.codes[0]
            else:
                pieces.append(part.codes[0])
        match pieces:
            case []:
                shape.pieces[choice] = ""
            case [str(only)]:
                shape.pieces[choice] = only
            case _:
                shape.pieces[choice] = tuple(pieces)
        return shape.pieces[choice]

    def enter(self, shape: _Shape, counts: Counts) -> Counts:
        """The counts inside of a nonterminal."""
        assert isinstance(shape.symbol, Reference)
        if len(shape.entered) >= self._most_entered:
            shape.entered.clear()  # what it holds can be computed again
        shape.entered[counts] = entered = self._analysis.entered(shape.symbol.rule, counts)
        return entered


_shapes = lru_cache(maxsize=64)(_Shapes)


def derive(grammar: Grammar, choices: Choices) -> Node:
    """The root of the tree of a choice sequence that replays exactly."""
    shapes = _shapes(grammar)
    position = token = 0
    counts, parts = shapes.no_counts, iter((shapes.root,))
    siblings: list[Node] = []
    entered = []  # the nodes around, each with what is still to be done beside it
    while True:
        for shape in parts:
            choice = choices[position] if shape.offers_choice else None
            node = Node(shape, counts, choice, position, token)
            siblings.append(node)
            position += shape.offers_choice
            if shape.codes:
                token += 1
                node.end, node.last = position, token
                continue
            entered.append((node, counts, siblings, parts))
            if shape.is_counted:
                counts = shape.entered.get(counts) or shapes.enter(shape, counts)
            below = shape.expansions.get(choice or 0)
            parts = iter(shapes.expand(shape, choice or 0) if below is None else below)
            node.children = siblings = []
            break
        else:
            if not entered:
                return siblings[0]
            node, counts, siblings, parts = entered.pop()
            node.end, node.last = position, token


def find_places(grammar: Grammar, choices: Choices) -> Places:
    """The places of a choice sequence that replays exactly: `derive`, without the nodes that nobody edits."""
    shapes = _shapes(grammar)
    tokens: list[str] = []
    by_rule: dict[str, list[Node]] = defaultdict(list)
    repetitions: list[Node] = []
    options: list[Node] = []
    identifiers: list[Node] = []
    position = token = 0
    counts = shapes.no_counts
    pieces: Iterator[_Shape | str] = iter((shapes.root,))
    items: list[Node] | None = None  # of the repetition, if that is directly around
    entered = []  # what is around, each with what is still to be done beside it
    while True:
        for piece in pieces:
            if isinstance(piece, str):
                tokens.append(piece)
                token += len(piece)
                continue
            node = choice = None
            if piece.offers_choice:
                choice = choices[position]
            if piece.is_place or items is not None:
                node = Node(piece, counts, choice, position, token)
                if piece.rule:
                    by_rule[piece.rule].append(node)
                elif piece.is_repetition:
                    repetitions.append(node)
                elif piece.is_identifier:
                    identifiers.append(node)
                elif piece.is_option:
                    options.append(node)
                if items is not None:
                    items.append(node)
            if choice is None:
                choice = 0
            else:
                position += 1
            below = piece.pieces.get(choice)
            if below is None:
                below = shapes.piece(piece, choice)
            if isinstance(below, str):
                tokens.append(below)
                token += len(below)
                if node is not None:
                    node.end, node.last = position, token
                continue
            entered.append((node, counts, items, pieces))
            items = None
            if piece.is_counted:
                counts = piece.entered.get(counts) or shapes.enter(piece, counts)
            elif piece.is_repetition:
                assert node is not None
                node.children = items = []
            pieces = iter(below)
            break
        else:
            if not entered:
                return Places("".join(tokens), by_rule, repetitions, options, identifiers)
            node, counts, items, pieces = entered.pop()
            if node is not None:
                node.end, node.last = position, token


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
