"""Tokens come in; text goes out that reads well and that a lexer takes apart into the same tokens again.

Every value of every terminal is one *token*, written as one character of a private alphabet, so that a run of
tokens is a string. Rendering is a transducer over these strings: a `Glue` state knows the last token and the
indentation, and maps a run to the text it adds and the state after it. Both are computed once and kept: in the
hot loop, rendering costs one dictionary look-up per run. The text depends on the tokens alone, not on
the derivation.

Two tokens that would merge (`return` and `a`, `-` and `-`) are always separated, if anything can separate them;
where nothing forces a space, `Style` decides by what people are used to: `f(a, b)`, `x[0]`, `-1`, `a - 1`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bonsai.grammar.automata import Prefixes
from bonsai.grammar.lexing import token_lexer, vanishes
from bonsai.grammar.model import Grammar, Pattern, Terminal
from bonsai.grammar.model import Token as TokenSymbol

INDENTATION = "    "
_SEPARATORS = (" ", "\n", "\t", "  ")
_MOST_RUNS = 200_000  # remembered with the text that they add
_FIRST_TOKEN = 0xE000  # the private-use area: a token is a character that no text contains


class Style(Enum):
    """What a token looks like to a reader; decides where a space is welcome."""

    OPERAND = auto()  # names, numbers, strings, and words that stand alone as True does
    KEYWORD = auto()
    OPEN = auto()
    CLOSE = auto()
    COMMA = auto()  # , ; : close to what they follow
    DOT = auto()  # close on both sides
    OPERATOR = auto()
    PREFIX = auto()  # an operator in front of its only operand
    BLANK = auto()  # carries its own white space


_SPACED = {"none": Style.DOT, "after": Style.COMMA, "both": Style.OPERATOR, "name": Style.OPERAND}


class Layout(Enum):
    """What a token does to lines; most do nothing."""

    NONE = auto()
    NEWLINE = auto()
    INDENT = auto()
    DEDENT = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One value of one terminal."""

    text: str
    style: Style
    layout: Layout
    breaks_line: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """What rendering has to remember: the last token, how it is seen, and the indentation."""

    last: Token | None
    style: Style
    level: int
    at_line_start: bool


# A state of the transducer: a run of tokens → the text it adds here, and the state after it. A plain dictionary,
# because it is indexed in the hot loop; `Renderer.extend` adds the entry that is missing.
Glue = dict[str, "tuple[str, Glue]"]


class Verbatim(dict[str, tuple[str, Glue]]):
    """The transducer of one state that leaves tokens as they are: with it, a walk gives tokens instead of text."""

    def __missing__(self, run: str) -> tuple[str, Glue]:
        if len(self) >= _MOST_RUNS:
            self.clear()
        self[run] = entry = (run, self)
        return entry


def token_codes(grammar: Grammar) -> dict[tuple[str, int], str]:
    """The character that stands for each value of each terminal; a layout terminal has one, whatever its values."""
    layout = grammar.layout or ()
    values = [
        (terminal.name, index)
        for terminal in grammar.terminals.values()
        for index in range(1 if terminal.name in layout else len(terminal.values))
    ]
    return {value: chr(_FIRST_TOKEN + place) for place, value in enumerate(values)}


class Renderer:
    """The transducer of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._tokens: list[Token] = []
        self._codes = token_codes(grammar)
        self.verbatim: Glue = Verbatim()
        self._states: dict[Place, Glue] = {}
        self._runs = 0  # that are remembered, in all states together
        self._places: dict[int, Place] = {}
        self._gaps: dict[tuple[str, str, bool], str] = {}
        alone = _standing_alone(grammar)
        for terminal in grammar.terminals.values():
            self._add(terminal, alone)
        patterns = [terminal.pattern for terminal in grammar.terminals.values() if terminal.pattern]
        self._prefixes = [Prefixes(pattern) for pattern in patterns if not _is_plain(pattern)]
        # Most terminals are plain words or marks; to ask each of thousands of them would take long.
        self._beginnings = {
            pattern.value[:end]
            for pattern in patterns
            if _is_plain(pattern)
            for end in range(len(pattern.value) + 1)
        }
        lexer = token_lexer(grammar)
        self.separators = tuple(text for text in _SEPARATORS if vanishes(lexer, text))
        self.start = self._state(Place(None, Style.BLANK, 0, True))

    def _add(self, terminal: Terminal, alone: frozenset[str]) -> None:
        layout = self._grammar.layout
        if layout and terminal.name in layout:
            role = {layout.newline: Layout.NEWLINE, layout.indent: Layout.INDENT}.get(terminal.name, Layout.DEDENT)
            self._tokens.append(Token("", Style.BLANK, role))
            return
        for text in terminal.values:
            style = _style(text, terminal, alone)
            spacing = self._grammar.spacing.get(text)
            style = _SPACED.get(spacing or "", style)
            self._tokens.append(Token(text, style, Layout.NONE, spacing == "line"))

    def code(self, terminal: str, index: int = 0) -> str:
        """The character that stands for one value of a terminal."""
        return self._codes[terminal, index]

    def text_of(self, code: str) -> str:
        """The text of one token, without its surroundings."""
        return self._tokens[ord(code) - _FIRST_TOKEN].text

    def render(self, runs: Sequence[str]) -> str:
        """The text of some runs of tokens; a string of tokens is a sequence of runs of one."""
        texts = []
        state = self.start
        for run in runs:
            try:
                text, state = state[run]
            except KeyError:
                text, state = self.extend(state, run)
            texts.append(text)
        return "".join(texts)

    def extend(self, state: Glue, run: str) -> tuple[str, Glue]:
        """Work out what a run adds in a state, and keep it there."""
        place = self._places[id(state)]
        texts = []
        for code in run:
            text, place = self._step(place, self._tokens[ord(code) - _FIRST_TOKEN])
            texts.append(text)
        self._runs += 1
        if self._runs > _MOST_RUNS:  # states stay, since a derivation may be in one; their entries are made again
            self._runs = 1
            for known in self._states.values():
                known.clear()
        state[run] = entry = ("".join(texts), self._state(place))
        return entry

    def _step(self, place: Place, token: Token) -> tuple[str, Place]:
        match token.layout:
            case Layout.NEWLINE:
                return "\n", Place(None, Style.BLANK, place.level, True)
            case Layout.INDENT:
                return "", Place(None, Style.BLANK, place.level + 1, True)
            case Layout.DEDENT:
                return "", Place(None, Style.BLANK, max(place.level - 1, 0), True)
            case Layout.NONE:
                style = token.style
                if style is Style.OPERATOR and place.style not in (Style.OPERAND, Style.CLOSE):
                    style = Style.PREFIX
                return self._before(place, token) + token.text, Place(token, style, place.level, False)

    def _state(self, place: Place) -> Glue:
        if place not in self._states:
            state: Glue = {}
            self._states[place] = state
            self._places[id(state)] = place  # states live as long as their renderer, so ids stay theirs
        return self._states[place]

    def _before(self, place: Place, token: Token) -> str:
        if place.last is None or place.at_line_start:
            return INDENTATION * place.level
        return self._between(place.last, place.style, token)

    def _between(self, left: Token, left_style: Style, right: Token) -> str:
        if left.breaks_line and "\n" in self.separators:
            return "\n"
        key = (left.text, right.text[:1], _space_welcome(left_style, left, right))
        if key not in self._gaps:
            self._gaps[key] = self._gap(*key)
        return self._gaps[key]

    def _gap(self, left: str, following: str, welcome: bool) -> str:
        """The first gap with which two tokens do not merge; if a space is welcome, nothing is no gap."""
        gaps = self.separators if welcome else ("", *self.separators)
        apart = (gap for gap in gaps if not self._may_merge(left, gap + following))
        return next(apart, gaps[0] if gaps else "")

    def _may_merge(self, left: str, following: str) -> bool:
        """Whether a lexer that has read a token may read on into what follows."""
        if left + following in self._beginnings:
            return True
        return any(prefixes.goes_on(left, following) for prefixes in self._prefixes)


def _is_plain(pattern: Pattern) -> bool:
    return pattern.literal and not pattern.flags


def _standing_alone(grammar: Grammar) -> frozenset[str]:
    """The terminals that are a whole alternative of some rule, as `True` is; a rule of operators does not count."""
    found: set[str] = set()
    for rule in grammar.rules.values():
        alone = [part.terminal for part in rule.alternatives if isinstance(part, TokenSymbol)]
        values = [value for name in alone for value in grammar.terminals[name].values]
        if all(_is_word(value) for value in values):
            found.update(alone)
    return frozenset(found)


def _is_word(text: str) -> bool:
    return any(char.isalnum() or char in "_\"'`" for char in text)


def _style(text: str, terminal: Terminal, alone: frozenset[str]) -> Style:
    if text[:1].isspace() or text[-1:].isspace():
        return Style.BLANK
    if _is_word(text):
        return Style.OPERAND if not terminal.is_literal or terminal.name in alone else Style.KEYWORD
    if text[-1:] in "([{":
        return Style.OPEN
    if text[:1] in ")]}":
        return Style.CLOSE
    if text in (",", ";", ":"):
        return Style.COMMA
    return Style.DOT if text in (".", "::") else Style.OPERATOR


def _space_welcome(left_style: Style, left: Token, right: Token) -> bool:
    match (left_style, right.style):
        case (Style.BLANK, _) | (_, Style.BLANK) | (Style.DOT, _) | (_, Style.DOT):
            return False
        case (Style.OPEN, _) | (_, Style.CLOSE) | (_, Style.COMMA):
            return False
        case (Style.OPERAND | Style.CLOSE, Style.OPEN):
            return right.text[0] == "{" or left.text[-1] == "}"
        case (Style.PREFIX, _):
            return right.style is Style.KEYWORD  # `SELECT * FROM t`
        case _:
            return True
