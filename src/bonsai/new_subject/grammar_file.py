"""A grammar file comes in; what its settings should be goes out: start symbol, identifiers, numbers, layout."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.grammar.lark_reader import read_lark
from bonsai.grammar.lexing import lexes_as, token_lexer
from bonsai.grammar.model import Grammar, Layout
from bonsai.grammar.pools import Lexicon

NAMES = ("a", "b", "c", "d", "e")
NUMBERS = ("0", "1")
_RULE = re.compile(r"^[?!]{0,2}([a-z_][a-z0-9_]*)(?:\{[^}]*\})?(?:\.-?\d+)?\s*:", re.MULTILINE)
_IMPORT = re.compile(r"^%import\s+\.(\w+(?:\.\w+)*?)(?:\.\w+|\s*\()", re.MULTILINE)
_NAME_LIKE = re.compile(r"(?:^|_|[A-Z])(?:ID|IDENT|IDENTIFIER|NAME|VAR|VARIABLE|WORD|SYMBOL)(?:$|_)")
_NUMBER_LIKE = re.compile(r"(?:^|_)(?:INT|INTEGER|NUM|NUMBER|DIGITS?)(?:$|_)")


@dataclass(frozen=True, slots=True)
class GrammarFile:
    """A grammar, the files that it consists of by name, and the settings that suit it."""

    name: str
    files: dict[str, bytes]
    start: str
    identifiers: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[str, ...]]
    layout: Layout | None


def read_grammar_file(path: Path) -> GrammarFile:
    """Read a grammar and the grammars beside it that it imports."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BonsaiError(f"{path}: cannot read it: {error.strerror}", "name a .lark file") from None
    except UnicodeDecodeError:
        raise BonsaiError(f"{path}: not UTF-8 text", "name a .lark file") from None
    rules = _RULE.findall(text)
    if not rules:
        raise BonsaiError(
            f"{path}: there is no rule in it", 'a grammar in Lark\'s format has lines like start: "a"'
        )
    start = "start" if "start" in rules else rules[0]
    layout = _layout(text)
    grammar = read_lark(path, start, Lexicon(layout=layout))
    identifiers, numbers = _pools(grammar, _NAME_LIKE, NAMES), _pools(grammar, _NUMBER_LIKE, NUMBERS)
    return GrammarFile(path.name, _files(path), start, identifiers, numbers, layout)


def _files(path: Path, seen: tuple[Path, ...] = ()) -> dict[str, bytes]:
    """The grammar and what it imports from beside it, by name."""
    content = path.read_bytes()
    files = {path.name: content}
    for module in _IMPORT.findall(content.decode("utf-8-sig")):
        imported = path.parent / f"{module.replace('.', '/')}.lark"
        if imported.is_file() and imported not in seen and "." not in module:
            files |= _files(imported, (*seen, path))
    return files


def _layout(text: str) -> Layout | None:
    """The layout of a grammar that declares terminals for indentation."""
    declared = " ".join(re.findall(r"^%declare\s+(.*)$", text, re.MULTILINE)).split()
    indent = next((name for name in declared if re.search(r"(?<!D)INDENT", name)), None)
    dedent = next((name for name in declared if "DEDENT" in name), None)
    newline = next(iter(re.findall(r"^(_?(?:NEWLINE|NL|EOL))\b", text, re.MULTILINE)), None)
    return Layout(newline, indent, dedent) if newline and indent and dedent else None


def _pools(grammar: Grammar, called: re.Pattern[str], values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The terminals that are called like that, with those of the values that they match, or a few of their own."""
    lexer = token_lexer(grammar)
    found = {}
    for terminal in grammar.terminals.values():
        if terminal.pattern is None or terminal.is_literal or not called.search(terminal.name):
            continue
        if terminal.name not in grammar.ignored:
            good = tuple(text for text in values if lexes_as(lexer, terminal.name, text))
            found[terminal.name] = good or terminal.values[: len(values)]
    return found
