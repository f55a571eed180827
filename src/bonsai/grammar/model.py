"""The grammar as data: what a reader makes of a grammar file, and what every other layer works on.

A `Grammar` maps rule names to rules and terminal names to terminals. The right-hand side of a rule is a
tree of symbols that keeps the EBNF structure, because repetitions are what bound `items` counts.
Everything is frozen: a run that needs other pools makes another grammar (`with_pools`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Token:
    """One terminal of the grammar, by name."""

    terminal: str


@dataclass(frozen=True, slots=True)
class Reference:
    """One nonterminal of the grammar, by name."""

    rule: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Symbols one after the other; the empty sequence derives the empty text."""

    symbols: "tuple[Symbol, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """An anonymous group with alternatives: `("+" | "-")` inside a rule."""

    alternatives: "tuple[Symbol, ...]"


@dataclass(frozen=True, slots=True)
class Option:
    """`x?` and `[x]`: absent (choice 0) or present (choice 1)."""

    item: "Symbol"


@dataclass(frozen=True, slots=True)
class Repetition:
    """`x*`, `x+`, `x~a..b` and the separated forms `x ("," x)*`, `[x ("," x)*]`.

    Between `least` and `most` items (no upper end if `most` is None), `separator` between any two.
    """

    item: "Symbol"
    least: int
    most: int | None
    separator: "Symbol | None" = None


Symbol = Token | Reference | Sequence | Choice | Option | Repetition

EMPTY = Sequence(())


@dataclass(frozen=True, slots=True)
class Rule:
    """A nonterminal and its alternatives, in the order of the grammar file."""

    name: str
    alternatives: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a terminal matches: a fixed string if `literal`, otherwise a regular expression."""

    value: str
    flags: frozenset[str]
    literal: bool


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal with the values that it may take, in order.

    `pattern` is None for a terminal that the grammar only declares. `identifier` marks the user-defined
    terminals, the set τ of the paper: bound m allows the first m of their values.
    """

    name: str
    pattern: Pattern | None
    values: tuple[str, ...]
    identifier: bool = False
    priority: int = 0

    @property
    def is_literal(self) -> bool:
        """Whether this is a keyword or a punctuation mark: one fixed string."""
        return self.pattern is not None and self.pattern.literal


@dataclass(frozen=True, slots=True)
class Layout:
    """The terminals of an indentation-sensitive language that are rendered as line ends and indentation."""

    newline: str
    indent: str | None = None
    dedent: str | None = None

    def __contains__(self, terminal: str) -> bool:
        return terminal in (self.newline, self.indent, self.dedent)


@dataclass(frozen=True, eq=False)
class Grammar:
    """A context-free grammar in EBNF with its terminals' values: the 𝒢 of the paper.

    `spacing` overrides how single tokens are spaced. `soft` names terminals whose values are identifiers, too: a
    parser accepts them wherever the grammar asks for an identifier, although none is drawn there.
    """

    start: str
    rules: Mapping[str, Rule]
    terminals: Mapping[str, Terminal]
    ignored: tuple[str, ...] = ()
    layout: Layout | None = None
    spacing: Mapping[str, str] = field(default_factory=dict)
    soft: tuple[str, ...] = ()
    source: str = "<grammar>"

    def with_pools(self, pools: Mapping[str, tuple[str, ...]]) -> "Grammar":
        """The same grammar with other values for some terminals."""
        terminals = {
            name: replace(terminal, values=pools[name]) if name in pools else terminal
            for name, terminal in self.terminals.items()
        }
        return replace(self, terminals=terminals)


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


def expansion(grammar: Grammar, symbol: Symbol, choice: int) -> tuple[Symbol, ...]:
    """What a choice makes of a symbol: the symbols that take its place, in order."""
    match symbol:
        case Token():
            return ()
        case Reference(rule):
            return flat(grammar.rules[rule].alternatives[choice])
        case Sequence(symbols):
            return symbols
        case Choice(alternatives):
            return flat(alternatives[choice])
        case Option(item):
            return flat(item) if choice else ()
        case Repetition(item, separator=separator):
            if separator is None:
                return (item,) * choice
            return (item, *(separator, item) * (choice - 1)) if choice else ()


def flat(symbol: Symbol) -> tuple[Symbol, ...]:
    """The symbols of a sequence; any other symbol by itself."""
    return symbol.symbols if isinstance(symbol, Sequence) else (symbol,)


def children(symbol: Symbol) -> tuple[Symbol, ...]:
    """The symbols directly inside a symbol."""
    match symbol:
        case Token() | Reference():
            return ()
        case Sequence(symbols):
            return symbols
        case Choice(alternatives):
            return alternatives
        case Option(item):
            return (item,)
        case Repetition(item, separator=None):
            return (item,)
        case Repetition(item, separator=separator):
            assert separator is not None
            return (item, separator)


def walk(symbol: Symbol) -> Iterator[Symbol]:
    """The symbol and all symbols inside it, in the order of the text."""
    todo = [symbol]
    while todo:
        symbol = todo.pop()
        yield symbol
        todo.extend(reversed(children(symbol)))


def walk_rule(rule: Rule) -> Iterator[Symbol]:
    """All symbols on the right-hand side of a rule."""
    for alternative in rule.alternatives:
        yield from walk(alternative)


def terminal_names(rule: Rule) -> Iterator[str]:
    """The terminals that a rule mentions, once per mention."""
    for symbol in walk_rule(rule):
        if isinstance(symbol, Token):
            yield symbol.terminal


def rule_names(rule: Rule) -> Iterator[str]:
    """The nonterminals that a rule mentions, once per mention."""
    for symbol in walk_rule(rule):
        if isinstance(symbol, Reference):
            yield symbol.rule


def fingerprint(grammar: Grammar) -> str:
    """A digest of everything in a grammar that decides what is derived; the same in every process."""
    terminals = [
        (
            t.name,
            t.pattern and (t.pattern.value, sorted(t.pattern.flags), t.pattern.literal),
            t.values,
            t.identifier,
        )
        for t in grammar.terminals.values()
    ]
    parts = (grammar.start, list(grammar.rules.values()), terminals, grammar.ignored, grammar.layout)
    spaced = sorted(grammar.spacing.items())
    return sha256(repr((parts, spaced)).encode()).hexdigest()[:16]
