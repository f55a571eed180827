"""A grammar without values comes in; one in which every terminal knows its values goes out.

Values come from `bonsai.toml` (identifiers, then other pools), otherwise from the pattern itself: a literal
is its own only value, a regular expression takes its shortest matches that a lexer reads as that terminal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bonsai.errors import BonsaiError
from bonsai.grammar.automata import matches, shortest_matches
from bonsai.grammar.lexing import lexes_as, token_lexer
from bonsai.grammar.model import Grammar, Layout, Terminal

MakeError = Callable[[str, str, str], BonsaiError]
# How a token is spaced: close on both sides, close to what it follows, apart on both sides, with a line end
# behind it, or, for a word, as the name of a function is: `print(x)`.
SPACINGS = ("none", "after", "both", "line", "name")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What a subject says about its grammar's terminals."""

    identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    layout: Layout | None = None
    spacing: Mapping[str, str] = field(default_factory=dict)
    soft: tuple[str, ...] = ()


def with_values(grammar: Grammar, lexicon: Lexicon, error: MakeError) -> Grammar:
    """The grammar with the values of every terminal filled in."""
    for name in [*lexicon.identifiers, *lexicon.pools, *lexicon.soft]:
        if name not in grammar.terminals or (grammar.layout and name in grammar.layout):
            names = ", ".join(t for t in grammar.terminals if not t.startswith("__"))
            raise error(f"{name} is no terminal of the grammar", f"its terminals are {names}", name)
    given = {**lexicon.pools, **lexicon.identifiers}
    terminals = {
        name: _with_given(terminal, given[name], name in lexicon.identifiers, error) if name in given else terminal
        for name, terminal in grammar.terminals.items()
    }
    grammar = replace(grammar, terminals=terminals)
    lexer = token_lexer(grammar)
    found = {}
    for name, terminal in terminals.items():
        needs_values = name not in given and not (grammar.layout and name in grammar.layout)
        if needs_values and name not in grammar.ignored:
            found[name] = _own_values(terminal, lambda t, v: lexes_as(lexer, t.name, v), error)
    return grammar.with_pools(found)


def _with_given(terminal: Terminal, values: tuple[str, ...], identifier: bool, error: MakeError) -> Terminal:
    if not values:
        raise error(f"the pool of {terminal.name} is empty", "give it at least one value", terminal.name)
    if len(set(values)) < len(values):
        raise error(f"the pool of {terminal.name} repeats a value", "give each value once", terminal.name)
    for value in values:
        if terminal.pattern is not None and not matches(terminal.pattern, value):
            raise error(
                f"the value {value!r} in the pool of {terminal.name} does not match its pattern",
                "correct the value or the terminal",
                terminal.name,
            )
    return replace(terminal, values=values, identifier=identifier)


def _own_values(terminal: Terminal, readable: Callable[[Terminal, str], bool], error: MakeError) -> tuple[str, ...]:
    if terminal.pattern is None:
        raise error(
            f"the terminal {terminal.name} is declared but has no values",
            f"give it a pool in [grammar.terminals], or name it in [grammar.layout]: {terminal.name} = [...]",
            terminal.name,
        )
    values = shortest_matches(terminal.pattern)
    if values is None:
        raise error(
            f"no text that matches the terminal {terminal.name} was found",
            f'give it a pool in bonsai.toml, [grammar.terminals]: {terminal.name} = ["..."]',
            terminal.name,
        )
    if terminal.is_literal:
        return values
    # A match that a lexer reads as something else (a keyword, say) would not parse back.
    return tuple(value for value in values if readable(terminal, value)) or values
