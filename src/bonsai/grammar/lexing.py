"""A grammar's terminals come in; Lark's basic lexer for them goes out, to see how texts are read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from lark import Token, Tree
from lark.common import LexerConf
from lark.exceptions import LarkError
from lark.grammar import RuleOptions
from lark.lexer import BasicLexer, LexerThread, PatternRE, PatternStr, TerminalDef
from lark.lexer import Pattern as LarkPattern

from bonsai.grammar.model import Grammar, Terminal

RuleDef = tuple[str, tuple[str, ...], Tree[Token], RuleOptions]
TermDef = tuple[str, tuple[Any, int]]


def terminal_definitions(grammar: Grammar) -> list[TermDef]:
    """The terminals in the form that Lark's grammar objects hold them: trees around patterns."""
    patterns = {t.name: _lark_pattern(t) for t in grammar.terminals.values()}
    return [
        (name, (Tree("pattern", [pattern]) if pattern else None, grammar.terminals[name].priority))
        for name, pattern in patterns.items()
    ]


def _lark_pattern(terminal: Terminal) -> LarkPattern | None:
    """The terminal's pattern; a declared one with a pool is read as any of its values."""
    if terminal.pattern is None:
        if not terminal.values:
            return None
        longest_first = sorted(terminal.values, key=len, reverse=True)
        return PatternRE("|".join(PatternStr(value).to_regexp() for value in longest_first))
    flags = tuple(sorted(terminal.pattern.flags))
    kind = PatternStr if terminal.pattern.literal else PatternRE
    return kind(terminal.pattern.value, flags)


@dataclass(frozen=True, slots=True)
class Flaw:
    """What keeps a terminal out of a lexer, and what to do about it."""

    what: str
    remedy: str


def flaw(terminal: Terminal) -> Flaw | None:
    """Why no lexer can have this terminal, if none can."""
    pattern = _lark_pattern(terminal)
    if pattern is None or (terminal.is_literal and pattern.value):
        return None
    regex = pattern.to_regexp()
    try:
        # A lexer joins all patterns, each in a group of its own: global flags inside one are an error there.
        for each in (regex, f"(?P<{terminal.name}>{regex})"):
            re.compile(each)
    except re.error as error:
        return Flaw(f"is no regular expression: {error.msg}", "correct it; flags go behind it, as in /a/i")
    if pattern.min_width == 0:
        return Flaw("matches the empty text", "let it match at least one character: + in place of *, say")
    return None


def token_lexer(grammar: Grammar) -> BasicLexer:
    """A lexer for the grammar's terminals, made once for all grammars that have the same ones."""
    # A pool does not change what a terminal matches, unless the grammar only declares it.
    read = (t if t.pattern is None else replace(t, values=(), identifier=False) for t in grammar.terminals.values())
    return _token_lexer(tuple(read), tuple(name for name in grammar.ignored if name in grammar.terminals))


@lru_cache(maxsize=16)
def _token_lexer(terminals: tuple[Terminal, ...], ignored: tuple[str, ...]) -> BasicLexer:
    patterns = [(t, _lark_pattern(t)) for t in terminals]
    definitions = [TerminalDef(t.name, pattern, t.priority) for t, pattern in patterns if pattern]
    # Lark's own check for colliding patterns is slow, and collisions are no error here.
    return BasicLexer(LexerConf(definitions, re, [*ignored], skip_validation=True))


def lex(lexer: BasicLexer, text: str) -> Iterator[Token]:
    """The tokens of a text; raises Lark's errors."""
    yield from LexerThread.from_text(lexer, text).lex(None)


def lexes_as(lexer: BasicLexer, terminal: str, text: str) -> bool:
    """Whether the lexer reads the text as one token of this terminal."""
    try:
        tokens = list(lex(lexer, text))
    except LarkError:
        return False
    return len(tokens) == 1 and tokens[0].type == terminal and tokens[0].value == text


def vanishes(lexer: BasicLexer, text: str) -> bool:
    """Whether the lexer skips the whole text: it can stand between any two tokens."""
    try:
        return not list(lex(lexer, text))
    except LarkError:
        return False
