"""Where the values of terminals come from: bonsai.toml first, otherwise the shortest matches that lex as such."""

import re
from pathlib import Path

import lark
import pytest

from bonsai.errors import BonsaiError
from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.lexing import lexes_as, token_lexer
from bonsai.grammar.model import Layout
from bonsai.grammar.pools import Lexicon

COMMON = (Path(lark.__file__).parent / "grammars" / "common.lark").read_text("utf-8")
COMMON_TERMINALS = re.findall(r"^(\w+) ?:", COMMON, re.MULTILINE)
# Lark lets no lexer have these: they are for building other terminals with.
ZERO_WIDTH = ["_STRING_INNER", "_STRING_ESC_INNER"]
NAMES = "start: NAME+\nNAME: /[a-z]+/\n"


def test_a_pool_from_the_settings_is_taken_as_it_is_in_its_order() -> None:
    lexicon = Lexicon(identifiers={"NAME": ("zeta", "beta")}, pools={"NUMBER": ("7", "07")})
    grammar = read_lark_text("start: NAME NUMBER\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n", lexicon=lexicon)
    name, number = grammar.terminals["NAME"], grammar.terminals["NUMBER"]
    assert (name.values, name.identifier) == (("zeta", "beta"), True)
    assert (number.values, number.identifier) == (("7", "07"), False)


def test_without_a_pool_the_shortest_distinct_matches_are_taken() -> None:
    assert read_lark_text(NAMES).terminals["NAME"].values == ("a", "b", "c", "aa")


def test_matches_that_collide_with_keywords_are_skipped_and_replaced_by_the_next() -> None:
    grammar = read_lark_text('start: NAME | "a" | "b" | "c" | "aa" | "ab"\nNAME: /[a-z]+/\n')
    assert grammar.terminals["NAME"].values == ("ac", "ba", "bb", "bc")


def test_matches_that_another_terminal_takes_are_skipped() -> None:
    grammar = read_lark_text("start: NAME | FLAG\nNAME: /[a-c]/\nFLAG.1: /[ad]/\n")
    assert grammar.terminals["NAME"].values == ("b", "c")
    assert grammar.terminals["FLAG"].values == ("a", "d")


def test_matches_that_are_ignored_are_skipped() -> None:
    grammar = read_lark_text("start: NAME\nNAME: /[ab]/\n%ignore A\nA.2: /a/\n")
    assert grammar.terminals["NAME"].values == ("b",)


def test_where_every_match_collides_the_matches_are_taken_all_the_same() -> None:
    grammar = read_lark_text('start: NAME | "a" | "b"\nNAME: /[ab]/\n')
    assert grammar.terminals["NAME"].values == ("a", "b")


@pytest.mark.parametrize("name", [name for name in COMMON_TERMINALS if name not in ZERO_WIDTH])
def test_every_terminal_of_lark_s_common_grammar_has_a_usable_pool(name: str) -> None:
    grammar = read_lark_text(f"start: {name}\n%import common.{name}\n")
    values = grammar.terminals[name].values
    assert values
    assert len(set(values)) == len(values)
    lexer = token_lexer(grammar)
    assert [value for value in values if not lexes_as(lexer, name, value)] == []


def test_the_terminals_of_the_common_grammar_were_found() -> None:
    assert {"INT", "ESCAPED_STRING", "CNAME", "WS", "C_COMMENT", "CR"} <= set(COMMON_TERMINALS)


@pytest.mark.parametrize("name", ZERO_WIDTH)
def test_a_terminal_that_matches_the_empty_text_is_an_error_with_its_line(name: str) -> None:
    with pytest.raises(BonsaiError, match=rf"grammar\.lark:2: the terminal {name} matches the empty text"):
        read_lark_text(f"start: {name}\n%import common.{name}\n")


def test_values_of_escaped_strings_keep_their_quotes_balanced() -> None:
    values = read_lark_text("start: S\n%import common.ESCAPED_STRING -> S\n").terminals["S"].values
    assert values == ('""', '"a"', '"b"', '"c"')


def test_a_value_may_rely_on_look_around() -> None:
    lexicon = Lexicon(pools={"S": ('"\\""', '"\\\\"')})
    assert read_lark_text("start: S\n%import common.ESCAPED_STRING -> S\n", lexicon=lexicon).terminals["S"].values


@pytest.mark.parametrize(
    ("lexicon", "words"),
    [
        (Lexicon(identifiers={"ID": ("a",)}), "ID is no terminal"),
        (Lexicon(pools={"start": ("a",)}), "start is no terminal"),
        (Lexicon(identifiers={"NAME": ()}), "the pool of NAME is empty"),
        (Lexicon(identifiers={"NAME": ("a", "b", "a")}), "repeats a value"),
        (Lexicon(identifiers={"NAME": ("a", "1")}), "'1' in the pool of NAME does not match"),
        (Lexicon(identifiers={"NAME": ("",)}), "'' in the pool of NAME does not match"),
        (Lexicon(pools={"NAME": ("a",)}, layout=Layout("NAME")), "NAME is no terminal"),
        (Lexicon(spacing={"if": "name"}), "no terminal is ever written 'if'"),
    ],
)
def test_a_pool_that_cannot_be_is_an_error_with_a_hint(lexicon: Lexicon, words: str) -> None:
    with pytest.raises(BonsaiError) as caught:
        read_lark_text(NAMES, lexicon=lexicon)
    assert words in caught.value.message
    assert caught.value.hint


def test_errors_about_pools_point_into_the_settings_if_those_say_where() -> None:
    lexicon = Lexicon(identifiers={"ID": ("a",)}, place_of=lambda name: f"settings:{name}")
    with pytest.raises(BonsaiError, match=r"^settings:ID: ID is no terminal"):
        read_lark_text(NAMES, lexicon=lexicon)


def test_an_empty_value_is_no_value_even_of_a_declared_terminal() -> None:
    with pytest.raises(BonsaiError, match="''"):
        read_lark_text("start: A\n%declare A\n", lexicon=Lexicon(pools={"A": ("",)}))
