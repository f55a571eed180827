"""BasicLexer's basic lexer for a grammar's terminals: how a text is read, and which terminals no lexer can have."""

import pytest
from lark.exceptions import LarkError
from lark.lexer import BasicLexer

from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.lexing import flaw, lex, lexes_as, token_lexer, vanishes
from bonsai.grammar.model import Pattern, Terminal
from bonsai.grammar.pools import Lexicon


@pytest.fixture
def lexer() -> BasicLexer:
    grammar = read_lark_text(
        'start: NAME | "if" | "SET"i | NUMBER | HASH | ">" | ">>" | MARK\n'
        "NAME: /[a-z]+/\nNUMBER: /[0-9]+/\nHASH.2: /#[a-z]/\n%declare MARK\n%ignore /[ ]+/\n%ignore /#.*/\n",
        lexicon=Lexicon(pools={"MARK": ("@", "@@")}),
    )
    return token_lexer(grammar)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("a if iff 1", ["NAME", "IF", "NAME", "NUMBER"]),
        ("SEt", ["SET"]),
        (">>>", ["__ANON_0", "MORETHAN"]),
        ("#a", ["HASH"]),
        ("#1 a", []),
        ("@@ @", ["MARK", "MARK"]),
        ("returna", ["NAME"]),
        ("", []),
    ],
)
def test_a_text_is_read_token_by_token_longest_keyword_and_priority_first(
    lexer: BasicLexer, text: str, types: list[str]
) -> None:
    assert [token.type for token in lex(lexer, text)] == types


def test_a_text_that_is_no_token_is_an_error_of_lark_s(lexer: BasicLexer) -> None:
    with pytest.raises(LarkError):
        list(lex(lexer, "!"))


def test_a_value_lexes_as_its_terminal_only_if_it_is_one_token_of_it(lexer: BasicLexer) -> None:
    assert lexes_as(lexer, "NAME", "iff")
    assert not lexes_as(lexer, "NAME", "if")
    assert not lexes_as(lexer, "NAME", "a b")
    assert not lexes_as(lexer, "NAME", " a")
    assert not lexes_as(lexer, "NAME", "!")
    assert not lexes_as(lexer, "NAME", "")


def test_only_what_is_ignored_vanishes(lexer: BasicLexer) -> None:
    assert vanishes(lexer, "  ")
    assert vanishes(lexer, "#1")
    assert not vanishes(lexer, "#a")
    assert not vanishes(lexer, "\n")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("(a", "missing )"),
        ("a**", "multiple repeat"),
        ("a(?i)b", "global flags"),
        ("(?i)b", "global flags"),
        ("a*", "empty text"),
        ("a|", "empty text"),
        ("(?=a)", "empty text"),
        (r"(a)\1", "open group"),
        (r"(a)\2", "invalid group"),
    ],
)
def test_a_terminal_that_no_lexer_can_have_is_told_why(value: str, words: str) -> None:
    found = flaw(Terminal("T", Pattern(value, frozenset(), literal=False), ()))
    assert found is not None
    assert words in found.what
    assert found.remedy


@pytest.mark.parametrize("value", ["a+", "(?i:a)", "(?P<q>a)", "a b", "é"])
def test_a_sound_terminal_has_no_flaw(value: str) -> None:
    assert flaw(Terminal("T", Pattern(value, frozenset("x"), literal=False), ())) is None
    assert flaw(Terminal("T", None, ())) is None
