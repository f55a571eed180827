"""Hypothesis strategies: grammars of many shapes, bounds, and programs of both."""

from functools import lru_cache

from hypothesis import assume, settings
from hypothesis import strategies as st

from bonsai import BonsaiError, Bounds, Grammar, Lexicon, load_subject, read_lark_text
from bonsai.sampler import Sampler

BUNDLED = ("json", "calc", "blocks", "minilua", "chocopy")
LITERALS = ("a", "ab", "if", "+", "++", "-", "=", "==", ".", "(", ")", ",", "{", "}", ":")
TERMINALS = ("NAME", "NUMBER", "OPERATOR")
DEFINITIONS = r"""
NAME: /[a-z]+/
NUMBER: /[0-9]+(?:\.[0-9]+)?/
OPERATOR: "<" | "<<" | "not"
%ignore /[ \t\n]+/
%ignore /\/\/[^\n]*/
"""
LEXICON = Lexicon(identifiers={"NAME": ("x", "y", "z", "w")}, pools={"NUMBER": ("0", "1", "1.5")})
LARGEST = 3


def examples(number: int) -> settings:
    """So many examples when tests are thorough; when they are quick, fewer in proportion."""
    thorough = settings.get_profile("thorough").max_examples
    return settings(max_examples=max(3, number * settings().max_examples // thorough))


@st.composite
def grammar_texts(draw: st.DrawFn) -> str:
    """Grammars in Lark's format: recursive in any way, stratified or not, with all kinds of repetitions."""
    rules = ["start", *(f"r{i}" for i in range(draw(st.integers(0, 3))))]
    symbols = st.one_of(
        st.sampled_from(LITERALS).map('"{}"'.format),
        st.sampled_from(TERMINALS),
        st.sampled_from(rules),
        st.sampled_from(rules),
    )

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.lists(inner, min_size=1, max_size=2).map(" ".join)
        return st.one_of(
            st.lists(group, min_size=2, max_size=3).map(lambda parts: f"({' | '.join(parts)})"),
            group.map("({})?".format),
            group.map("[{}]".format),
            group.map("({})*".format),
            group.map("({})+".format),
            inner.map("({})~2".format),
            inner.map("({})~1..3".format),
            inner.map('{0} ("," {0})*'.format),
            inner.map('[{0} ("," {0})*]'.format),
        )

    parts = st.recursive(symbols, grown, max_leaves=3)
    alternative = st.lists(parts, min_size=0, max_size=3).map(" ".join)
    lines = []
    for rule in rules:
        alternatives = draw(st.lists(alternative, min_size=1, max_size=3, unique=True))
        lines.append(f"{rule}: {' | '.join(alternatives)}")
    used = [name for name in TERMINALS if name in " ".join(lines)]
    return "\n".join(lines) + _without_unused(used)


def _without_unused(used: list[str]) -> str:
    lines = DEFINITIONS.splitlines()
    return "\n".join(line for line in lines if line.split(":")[0] in used or not line[:1].isupper()) + "\n"


def read(text: str) -> Grammar:
    """The grammar of a generated text, with pools for the terminals that it mentions."""
    return read_lark_text(
        text,
        lexicon=Lexicon(
            identifiers={name: pool for name, pool in LEXICON.identifiers.items() if name in text},
            pools={name: pool for name, pool in LEXICON.pools.items() if name in text},
        ),
    )


@st.composite
def generated_grammars(draw: st.DrawFn) -> Grammar:
    """Generated grammars in which every rule derives some text."""
    text = draw(grammar_texts())
    try:
        return read(text)
    except BonsaiError:
        assume(False)
        raise


@lru_cache
def bundled(name: str) -> Grammar:
    """The grammar of a bundled subject."""
    return load_subject(name).grammar


def grammars() -> st.SearchStrategy[Grammar]:
    """Bundled grammars and generated ones."""
    return st.one_of(st.sampled_from(BUNDLED).map(bundled), generated_grammars(), generated_grammars())


def bounds(largest: int = LARGEST) -> st.SearchStrategy[Bounds]:
    """Small bounds, all of them feasible for the generated grammars."""
    return st.builds(Bounds, st.integers(1, largest), st.integers(1, largest), st.integers(1, largest))


@lru_cache(maxsize=256)
def sampler(grammar: Grammar, within: Bounds) -> Sampler:
    """A sampler, made once."""
    return Sampler(grammar, within)


def seeds() -> st.SearchStrategy[int]:
    """Seeds, 0 among them."""
    return st.integers(0, 2**32)
