"""The text of a ChocoPy program comes in; its tokens, with INDENT, DEDENT and NEWLINE, go out.

One regular expression does the work. A match is a token and the blanks before it; the match of a line end
also takes the comment before it, the blank lines after it, and the indentation of the next line with a token.
Lines and columns count from 1, and a tab is one column wide, except in the width of an indentation, where
it reaches to the next multiple of 8.
"""

import re
from functools import partial
from typing import NamedTuple

ID = "identifier"
INTEGER = "integer"
IDSTRING = "identifier in quotes"
STRING = "string"
NEWLINE = "end of line"
INDENT = "indentation"
DEDENT = "end of block"
EOF = "end of program"
UNRECOGNISED = "unrecognised text"

_USED = "False None True and class def elif else for global if in is nonlocal not or pass return while"
_UNUSED = "as assert async await break continue del except finally from import lambda raise try with yield"
KEYWORDS = frozenset(f"{_USED} {_UNUSED}".split())
"""Reserved words; the unused ones are reserved because Python reserves them."""

LARGEST_INTEGER = 2**31 - 1
TAB_WIDTH = 8

_BLANK_LINES = r"(?:[ \t]*(?:#[^\n]*)?\n)*"
_INDENTATION = re.compile(_BLANK_LINES + r"([ \t]*)")
_TOKEN = re.compile(
    r"[ \t]*(?:"
    r"([A-Za-z_][A-Za-z0-9_]*)"
    r"|(->|//|[=!<>]=|[-+*%<>=()\[\]:,.])"
    r"|(?:#[^\n]*)?(\n)" + _BLANK_LINES + r"([ \t]*)"
    r"|(0|[1-9][0-9]*)"
    r'|"([A-Za-z_][A-Za-z0-9_]*)"'
    r'|"((?:[ !#-\[\]-~]|\\["\\nt])*)"'
    r"|(\Z)"
    r"|(.))",
    re.DOTALL,
)
_WORD, _SYMBOL, _LINE_END, _MARGIN, _DIGITS, _QUOTED_WORD, _QUOTED, _END, _UNKNOWN = range(1, 10)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class Token(NamedTuple):
    """A token. A keyword's or symbol's kind is its own text; `last` is its last column."""

    kind: str
    text: str
    line: int
    first: int
    last: int


_token = partial(tuple.__new__, Token)  # Takes two thirds of the time of Token itself.


class ChocoPySyntaxError(Exception):
    """The text is not a ChocoPy program; `location` is that of the token where this shows."""

    def __init__(self, message: str, location: list[int]) -> None:
        super().__init__(message)
        self.message = message
        self.location = location


def tokenise(text: str) -> list[Token]:
    """All tokens of `text`, ending with EOF; those up to a lexical error, then UNRECOGNISED and EOF."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.endswith("\n"):
        text += "\n"  # The end of the text ends its last line too.
    lexer = _Lexer(text)
    try:
        lexer.read()
    except ChocoPySyntaxError as error:
        line, first, _, last = error.location
        lexer.tokens += (
            Token(UNRECOGNISED, error.message, line, first, last),
            Token(EOF, "", line, last + 1, last),
        )
    return lexer.tokens


class _Lexer:
    __slots__ = ("_indents", "_text", "tokens")

    def __init__(self, text: str) -> None:
        self._text = text
        self.tokens: list[Token] = []
        self._indents = [0]

    def read(self) -> None:
        text = self._text
        tokens = self.tokens
        append = tokens.append
        opening = _INDENTATION.match(text)
        assert opening is not None  # the pattern matches the empty text too
        position = opening.end()
        line = 1 + text.count("\n", 0, position)
        start = opening.start(1)
        self._margin(opening[1], line, position)
        for match in _TOKEN.finditer(text, position):
            group = match.lastindex
            if group == _WORD:
                word = match[1]
                last = match.end() - start
                append(_token((word if word in KEYWORDS else ID, word, line, last - len(word) + 1, last)))
            elif group == _SYMBOL:
                symbol = match[2]
                last = match.end() - start
                append(_token((symbol, symbol, line, last - len(symbol) + 1, last)))
            elif group == _MARGIN:
                column = match.start(3) - start + 1
                append(_token((NEWLINE, "\n", line, column, column)))
                line += text.count("\n", match.start(3), match.end())
                start = match.start(4)
                self._margin(match[4], line, match.end())
            elif group == _END:
                self._end(line)
                break
            else:
                append(self._literal(match, line, start))

    def _literal(self, match: re.Match[str], line: int, start: int) -> Token:
        group = match.lastindex
        last = match.end() - start
        if group == _DIGITS:
            digits = match[group]
            first = match.start(group) - start + 1
            # Compare lengths first: Python refuses to convert very long numbers.
            if len(digits) > 10 or int(digits) > LARGEST_INTEGER:
                raise ChocoPySyntaxError("Integer literal too large", [line, first, line, last])
            return Token(INTEGER, digits, line, first, last)
        if group == _QUOTED_WORD:
            return Token(IDSTRING, match[group], line, match.start(group) - start, last)
        if group == _QUOTED:
            value = match[group]
            if "\\" in value:
                value = _ESCAPE.sub(_unescaped, value)
            return Token(STRING, value, line, match.start(group) - start, last)
        what = "string literal" if match[_UNKNOWN] == '"' else f"character {match[_UNKNOWN]!r}"
        raise ChocoPySyntaxError(f"Unrecognized {what}", [line, last, line, last])

    def _margin(self, margin: str, line: int, position: int) -> None:
        """Open or close blocks as the indentation of the line says that goes on at `position`."""
        if position == len(self._text):
            return
        indents = self._indents
        width = len(margin)
        last = width
        if "\t" in margin:
            width = len(margin.expandtabs(TAB_WIDTH))
        if width == indents[-1]:
            return
        if width > indents[-1]:
            indents.append(width)
            self.tokens.append(Token(INDENT, margin, line, 1, last))
            return
        while width < indents[-1]:
            indents.pop()
            self.tokens.append(Token(DEDENT, margin, line, 1, last))
        if width != indents[-1]:
            raise ChocoPySyntaxError("Indentation matches no enclosing block", [line, 1, line, last])

    def _end(self, line: int) -> None:
        """Close all blocks; at the end of the text each DEDENT has a column of its own."""
        tokens = self.tokens
        blocks = len(self._indents) - 1
        for place in range(1, blocks + 1):
            tokens.append(Token(DEDENT, "", line, place, place))
        tokens.append(Token(EOF, "", line, blocks + 1, blocks))


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED[match[1]]
