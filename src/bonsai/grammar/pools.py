"""A grammar without values comes in; one in which every terminal knows its values goes out.

Values come from `bonsai.toml` (identifiers, then other pools), otherwise from the pattern itself: a literal
is its own only value, a regular expression takes its shortest matches that a lexer reads as that terminal.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lark.lexer import BasicLexer

from bonsai.grammar.automata import matches, shortest_matches
from bonsai.grammar.lexing import lexes_as, token_lexer, vanishes
from bonsai.grammar.model import Grammar, Layout, Terminal
from bonsai.grammar.source import Source

# How a token is spaced: close on both sides, close to what it follows, apart on both sides, with a line end
# behind it, or, for a word, as the name of a function is: `print(x)`.
SPACINGS = ("none", "after", "both", "line", "name")


def _nowhere(_name: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What a subject says about its grammar's terminals, and where it says so: "bonsai.toml:12" for a name."""

    identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    layout: Layout | None = None
    spacing: Mapping[str, str] = field(default_factory=dict)
    soft: tuple[str, ...] = ()
    place_of: Callable[[str], str | None] = _nowhere


def with_values(grammar: Grammar, lexicon: Lexicon, source: Source) -> Grammar:
    """The grammar with the values of every terminal filled in."""
    given = _given(grammar, lexicon, source)
    grammar = replace(grammar, terminals={**grammar.terminals, **given})
    lexer = _lexer(grammar, source)
    found = {}
    for name, terminal in grammar.terminals.items():
        written = name not in grammar.ignored and not (grammar.layout and name in grammar.layout)
        if written and name not in given:
            found[name] = _own_values(terminal, lexer, source)
    grammar = grammar.with_pools(found)
    _require_written(grammar, lexicon, source)
    _require_soft(grammar, source)
    return grammar


def _lexer(grammar: Grammar, source: Source) -> BasicLexer:
    try:
        lexer = token_lexer(grammar)
        vanishes(lexer, " ")  # Lark joins the patterns when it meets the first text
        return lexer
    except re.error as error:  # each pattern is sound by itself
        raise source.error(f"the terminals do not go together: {error.msg}", "write (?:...) for groups") from None


def _given(grammar: Grammar, lexicon: Lexicon, source: Source) -> dict[str, Terminal]:
    """The terminals whose values are given."""
    found = {}
    for name, values in {**lexicon.pools, **lexicon.identifiers}.items():
        terminal = grammar.terminals.get(name)
        if terminal is None or (grammar.layout and name in grammar.layout):
            names = ", ".join(t for t in grammar.terminals if not t.startswith("__"))
            raise source.setting_error(
                f"{name} is no terminal of the grammar", f"its terminals are {names or 'all anonymous'}", name
            )
        _require_pool(terminal, values, source)
        found[name] = replace(terminal, values=values, identifier=name in lexicon.identifiers)
    return found


def _require_pool(terminal: Terminal, values: tuple[str, ...], source: Source) -> None:
    name = terminal.name
    if not values:
        raise source.setting_error(f"the pool of {name} is empty", "give it at least one value", name)
    if len(set(values)) < len(values):
        raise source.setting_error(f"the pool of {name} repeats a value", "give each value once", name)
    for value in values:
        if not value or (terminal.pattern is not None and not matches(terminal.pattern, value)):
            raise source.setting_error(
                f"the value {value!r} in the pool of {name} does not match its pattern",
                "correct the value or the terminal",
                name,
            )


def _own_values(terminal: Terminal, lexer: BasicLexer, source: Source) -> tuple[str, ...]:
    name = terminal.name
    if terminal.pattern is None:
        raise source.error(
            f"the terminal {name} is declared but has no values",
            f"give it a pool in [grammar.terminals], or name it in [grammar.layout]: {name} = [...]",
            name,
        )
    if terminal.is_literal:
        return (terminal.pattern.value,)
    # A match that a lexer reads as something else (a keyword, say) would not parse back.
    values = shortest_matches(terminal.pattern, lambda text: lexes_as(lexer, name, text))
    values = values or shortest_matches(terminal.pattern)
    if not values:
        raise source.error(
            f"no text that matches the terminal {name} was found",
            f'give it a pool in bonsai.toml, [grammar.terminals]: {name} = ["..."]',
            name,
        )
    return values


def _require_written(grammar: Grammar, lexicon: Lexicon, source: Source) -> None:
    written = {value for terminal in grammar.terminals.values() for value in terminal.values}
    for text in lexicon.spacing:
        if text not in written:
            raise source.setting_error(
                f"no terminal is ever written {text!r}", "the keys of [grammar.spacing] are texts of tokens", text
            )


def _require_soft(grammar: Grammar, source: Source) -> None:
    for name in grammar.soft:
        if name not in grammar.terminals:
            raise source.setting_error(f"{name} is no terminal of the grammar", "correct `soft` in [grammar]", name)
