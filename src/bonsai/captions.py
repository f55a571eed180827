"""Tests and what is known of them come in; their captions, telling names and `INDEX.md` go out.

The paper's authors wrote such names and comments by hand. Here they follow from what tells a test from the others:
the error message of an invalid one, and for a valid one the parts of the grammar that few tests use.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os.path import commonprefix
from token import EXACT_TOKEN_TYPES, tok_name
from types import MappingProxyType

from bonsai.corpus import Input, bits, size_of
from bonsai.derivation import Derivation
from bonsai.errors import BonsaiError
from bonsai.grammar.model import Grammar, Reference, Terminal, Token
from bonsai.parse_back import parse
from bonsai.wording import counted, visible

INDEX = "INDEX.md"
INDEX_MARK = "<!-- Written by Bonsai: what each test is there for. This file is no test. -->"
LONGEST_NAME = 50
LONGEST_TEXT = 60  # shown of a test, in the index
WORDS_OF_A_NAME = 3
OFTEN = 0.35  # the share of tests beyond which a part is not worth a name
NEARLY_ALL = 0.8  # the share of tests beyond which a rule is not worth a mention
NO_END = re.compile(
    r"an?|and|are|as|at|be|by|cannot|for|from|has|have|in|is|must|no|not|of|on|or|than|that|the|this|to|with"
)
OPENING, CLOSING = {"(": "parentheses", "[": "brackets", "{": "braces"}, ")]}"
LONGEST_PARSED = 2000  # characters; parsing takes long, and large tests use everything anyway
SHOWN = 6  # branches of a test, in the index
EXAMPLES = 10  # of texts that the target does not parse


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


def smallest_unparsed(texts: Iterable[str]) -> list[Unparsed]:
    """The smallest few of the texts that the target does not parse."""
    return [Unparsed(text) for text in sorted(texts, key=size_of)[:EXAMPLES]]


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


def names(
    corpus: Sequence[Input],
    parts: Sequence[Parts],
    messages: Sequence[str],
    features: Sequence[str] = (),
    spelling: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """A telling name for each test: the words of its message, or those of its parts that are the rarest. Where a
    smaller test has the same message, it is named after what smaller ones have not: parts, or else a feature."""
    uses = Counter(word for one in parts for word in one.words)
    often, shared = len(corpus) * OFTEN, _shared(features)
    before: dict[str, set[str]] = {}  # by what a message says, the words of the tests that have it
    covered, found = 0, []
    for one, made, message in zip(corpus, parts, messages, strict=True):
        said = name = "" if one.valid else _said(message, spelling)
        if said in before:
            unseen = [word for word in made.words if word not in before[said]]
            new = [features[feature].removeprefix(shared) for feature in bits(one.features & ~covered) if features]
            name = _cut(_rarest(unseen, uses, often))
            name = name or _cut(_spelled(min(new, key=_digits, default=""), spelling)) or said
        if said:
            before.setdefault(said, set()).update(made.words)
        covered |= one.features
        rarest = _cut(_rarest(made.words, uses, often))
        found.append(name or rarest or ("" if one.text.strip() else "empty"))
    return found


def spelling_of(grammar: Grammar) -> dict[str, str]:
    """What its operators are called."""
    tokens = (
        (value, _word(one, place)) for one in grammar.terminals.values() for place, value in enumerate(one.values)
    )
    return {value: "-".join(_words(word)) for value, word in tokens if word and not re.search(r"[\w\s]", value)}


def _said(message: str, spelling: Mapping[str, str]) -> str:
    """As many phrases of a message as fit, none of them cut; but of a first one that is too long, what fits."""
    phrases = [_spelled(phrase, spelling) for phrase in re.split(r"[;:,.!?]+(?:\s|$)|\n", message)]
    name = ""
    for words in filter(None, phrases):
        longer = "-".join([name, *words] if name else words)
        if len(longer) > LONGEST_NAME:
            return name or _cut(words)
        name = longer
    return name


def _spelled(text: str, spelling: Mapping[str, str]) -> list[str]:
    """Its words; and operators, which stand alone or in quotes, as they are called in the names of valid tests."""
    found = re.findall(r"[a-z0-9]+|(?<![^\s`'\"])[^\w\s`'\"]+(?![^\s`'\"])", text.lower())
    return [spelling.get(one, one) for one in found if one in spelling or one.isalnum()]


def _digits(name: str) -> int:
    """Names with few of them tell more than places in the source."""
    return sum(map(str.isdigit, name))


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
    """As many words as fit, joined; at least the beginning of one. The last is none that waits for another."""
    kept = list(words)
    while len("-".join(kept)) > LONGEST_NAME and len(kept) > 1:
        kept.pop()
    while len(words) > len(kept) > 1 and NO_END.fullmatch(kept[-1]):
        kept.pop()
    return "-".join(kept)[:LONGEST_NAME]


def file_names(corpus: Sequence[Input], captions: Sequence[Caption], suffix: str) -> list[str]:
    """The path of each test within the corpus: numbered smallest first among its kind, then its telling name."""
    found, numbers = [], Counter[bool]()
    for place, one in enumerate(corpus):
        numbers[one.valid] += 1
        name = captions[place].name if captions else ""
        stem = f"{numbers[one.valid]:04}{'-' if name else ''}{name}"
        found.append(f"{'valid' if one.valid else 'invalid'}/{stem}{suffix}")
    return found


def first_witnessed(corpus: Sequence[Input]) -> list[int]:
    """For each test the features that none before it exercises, from the smallest valid to the largest invalid."""
    found = [0] * len(corpus)
    covered = 0
    for place in sorted(range(len(corpus)), key=lambda place: (not corpus[place].valid, corpus[place].size)):
        found[place] = corpus[place].features & ~covered
        covered |= corpus[place].features
    return found


def witnessed(corpus: Sequence[Input]) -> list[int]:
    """For each test the features that it is the smallest to exercise: among the valid ones, or where no valid one
    does, among all. A test without any such feature may still be the smallest of both kinds for some."""
    found = first_witnessed(corpus)
    smallest = 0
    for place in sorted(range(len(corpus)), key=lambda place: corpus[place].size):
        found[place] = found[place] or corpus[place].features & ~smallest
        smallest |= corpus[place].features
    return found


def index(corpus: Sequence[Input], captions: Sequence[Caption], features: Sequence[str], suffix: str) -> str:
    """`INDEX.md`: a line for each test."""
    files = file_names(corpus, captions, suffix)
    shared = _shared(features)
    uses_of = Counter(rule for caption in captions for rule in caption.rules)
    common = {rule for rule, tests in uses_of.items() if tests > NEARLY_ALL * len(corpus) or rule.startswith("_")}
    lines = [INDEX_MARK, "", f"# {counted(len(corpus), 'test')}, smallest first", ""]
    for file, one, caption, mask in zip(files, corpus, captions, witnessed(corpus), strict=True):
        message = " ".join(caption.message.split())
        said = "valid" if one.valid else f"invalid: {_code(message)}" if message else "invalid"
        rules = [_code(rule) for rule in caption.rules if rule not in common]
        uses = f"; uses {', '.join(rules)}" if rules else ""
        names = [_code(features[feature].removeprefix(shared)) for feature in islice(bits(mask), SHOWN)]
        more = f" and {mask.bit_count() - SHOWN} more" if mask.bit_count() > SHOWN else ""
        witness = f"; smallest witness of {', '.join(names)}{more}" if names else ""
        lines.append(f"- [{file}]({file}) {_shown(one.text)}: {said}{uses}{witness}")
    return "\n".join(lines) + "\n"


def _shared(features: Sequence[str]) -> str:
    """The packages that all branches of the target are in; what drivers report has no dots."""
    modules = [name for name in features if "." in name.partition(":")[0]]
    head, dot, _ = commonprefix(modules).rpartition(".")  # noqa: RUF071  # these are no paths
    return head + dot


def _shown(text: str) -> str:
    """A test in one line, not too long."""
    line = visible(text.rstrip("\n")[: LONGEST_TEXT + 1])
    return _code(line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…") if line else "(empty)"


def _code(text: str) -> str:
    """A line as code in Markdown, whatever is in it."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
