"""Tests and what is known of them come in; their captions, telling names and `INDEX.md` go out.

The paper's authors wrote such names and comments by hand. Here they follow from what tells a test from the others:
the error message of an invalid one, and for a valid one the parts of the grammar that few tests use.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from os.path import commonprefix
from token import EXACT_TOKEN_TYPES, tok_name

from bonsai.corpus import Input, bits
from bonsai.derivation import Derivation
from bonsai.errors import BonsaiError
from bonsai.grammar.model import Grammar, Reference, Terminal, Token
from bonsai.parse_back import parse

INDEX = "INDEX.md"
INDEX_MARK = "<!-- Written by Bonsai: what each test is there for. This file is no test. -->"
LONGEST_NAME = 40
WORDS_OF_A_MESSAGE = 6
WORDS_OF_A_NAME = 3
OFTEN = 0.35  # the share of tests beyond which a part is not worth a name
OPENING, CLOSING = {"(": "parentheses", "[": "brackets", "{": "braces"}, ")]}"
LONGEST_PARSED = 2000  # characters; parsing takes long, and large tests use everything anyway
SHOWN = 6  # branches of a test, in the index


@dataclass(frozen=True, slots=True)
class Caption:
    """What people are told of a test: a name, the nonterminals that it uses, and what the target says of it."""

    name: str = ""
    rules: tuple[str, ...] = ()
    message: str = ""
    output: str | None = None  # its beginning, if it is long


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A text that the grammar derives and the target does not parse: what the target says, and who may be wrong."""

    text: str
    message: str = ""
    suspects: tuple[str, ...] = ()  # rules that it uses and no test does


@dataclass(frozen=True, slots=True)
class Parts:
    """What a text is made of, in the order of the text: its nonterminals, and words for all its parts."""

    rules: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def parts_of(grammar: Grammar, one: Input) -> Parts:
    """The parts of an input, by its choices; or by parsing, as far as the grammar derives it."""
    if not one.choices and len(one.text) > LONGEST_PARSED:
        return Parts()
    try:
        derivation = Derivation(grammar, one.choices, one.text) if one.choices else parse(grammar, one.text)
    except BonsaiError:
        return Parts()
    rules, words = [], []
    for node in derivation.tree.walk():
        match node.symbol:
            case Reference(rule) if rule != grammar.start:
                rules.append(rule)
                words.append(rule)
            case Token(terminal):
                words.append(_word(derivation.grammar.terminals[terminal], node.choice or 0))
            case _:
                pass
    slugs = ("-".join(_words(word)) for word in words)
    return Parts(tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(word for word in slugs if word)))


def _word(terminal: Terminal, choice: int) -> str:
    """What to call a token: by itself, if it is a word, otherwise by its name. Users' own names say nothing."""
    value = terminal.values[choice] if terminal.values else ""
    if terminal.identifier or not value.strip() or value in CLOSING:
        return ""
    if value in OPENING:
        return OPENING[value]
    if value.isalpha():
        return value
    return tok_name.get(EXACT_TOKEN_TYPES.get(value, -1), "") if terminal.name.startswith("__") else terminal.name


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def names(corpus: Sequence[Input], parts: Sequence[Parts], messages: Sequence[str]) -> list[str]:
    """A telling name for each test: the words of its message, or those of its parts that are the rarest."""
    uses = Counter(word for one in parts for word in one.words)
    often = len(corpus) * OFTEN
    return [
        _cut(_words(message)[:WORDS_OF_A_MESSAGE] if message and not one.valid else [])
        or _cut(_rarest(made.words, uses, often))
        or ("" if one.text.strip() else "empty")
        for one, made, message in zip(corpus, parts, messages, strict=True)
    ]


def _rarest(words: Sequence[str], uses: Counter[str], often: float) -> list[str]:
    """The rarest few, in the order of the text, none of them within another. What most tests use says nothing."""
    chosen: list[str] = []
    for word in sorted(words, key=lambda word: uses[word]):
        said = set(word.split("-"))
        new = not any(said <= set(other.split("-")) or said >= set(other.split("-")) for other in chosen)
        if new and len(chosen) < WORDS_OF_A_NAME and (uses[word] <= often or not chosen):
            chosen.append(word)
    return [word for word in words if word in chosen]


def _cut(words: Sequence[str]) -> str:
    """As many words as fit, joined; at least the beginning of one."""
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:LONGEST_NAME]
        if len(longer) > LONGEST_NAME:
            break
        name = longer
    return name


def file_names(corpus: Sequence[Input], captions: Sequence[Caption], suffix: str) -> list[str]:
    """The path of each test within the corpus: numbered smallest first among its kind, then its telling name."""
    found, numbers = [], Counter[bool]()
    for place, one in enumerate(corpus):
        numbers[one.valid] += 1
        name = captions[place].name if captions else ""
        stem = f"{numbers[one.valid]:04}{'-' if name else ''}{name}"
        found.append(f"{'valid' if one.valid else 'invalid'}/{stem}{suffix}")
    return found


def witnessed(corpus: Sequence[Input]) -> list[int]:
    """For each test the features that it is the smallest to exercise: among the valid ones, or where no valid one
    does, among all. A test without any such feature may still be the smallest of both kinds for some."""
    found = [0] * len(corpus)
    covered = 0
    for place in sorted(range(len(corpus)), key=lambda place: (not corpus[place].valid, corpus[place].size)):
        found[place] = corpus[place].features & ~covered
        covered |= corpus[place].features
    smallest = 0
    for place in sorted(range(len(corpus)), key=lambda place: corpus[place].size):
        found[place] = found[place] or corpus[place].features & ~smallest
        smallest |= corpus[place].features
    return found


def index(corpus: Sequence[Input], captions: Sequence[Caption], features: Sequence[str], suffix: str) -> str:
    """`INDEX.md`: a line for each test."""
    files = file_names(corpus, captions, suffix)
    shared = _shared(features)
    lines = [INDEX_MARK, "", f"# {len(corpus)} tests, smallest first", ""]
    for file, one, caption, mask in zip(files, corpus, captions, witnessed(corpus), strict=True):
        said = "valid" if one.valid else f"invalid: {_code(caption.message)}" if caption.message else "invalid"
        uses = f"; uses {', '.join(map(_code, caption.rules))}" if caption.rules else ""
        names = [_code(features[feature].removeprefix(shared)) for feature in islice(bits(mask), SHOWN)]
        more = f" and {mask.bit_count() - SHOWN} more" if mask.bit_count() > SHOWN else ""
        witness = f"; smallest witness of {', '.join(names)}{more}" if names else ""
        lines.append(f"- [{file}]({file}): {said}{uses}{witness}")
    return "\n".join(lines) + "\n"


def _shared(features: Sequence[str]) -> str:
    """The packages that all branches of the target are in; what drivers report has no dots."""
    modules = [name for name in features if "." in name.partition(":")[0]]
    head, dot, _ = commonprefix(modules).rpartition(".")  # noqa: RUF071  # these are no paths
    return head + dot


def _code(text: str) -> str:
    """A text as code in Markdown, whatever is in it."""
    text = " ".join(text.split()) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
