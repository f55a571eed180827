"""Regular expressions as automata: shortest matches, readable first, and whether tokens would merge."""

import re

import pytest

from bonsai.grammar.automata import FINITE_POOL, INFINITE_POOL, Prefixes, matches, shortest_matches, to_regex
from bonsai.grammar.model import Pattern


def regex(value: str, flags: str = "") -> Pattern:
    return Pattern(value, frozenset(flags), literal=False)


def literal(value: str, flags: str = "") -> Pattern:
    return Pattern(value, frozenset(flags), literal=True)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (regex("[a-z]+"), ("a", "b", "c", "aa")),
        (regex("[A-Z_a-z0-9]"), ("a", "b", "c", "_")),
        (regex("[a-zA-Z_][a-zA-Z0-9_]*"), ("a", "b", "c", "_")),
        (regex("[0-9]+"), ("0", "1", "2", "00")),
        (regex("-?(?:0|[1-9][0-9]*)"), ("0", "1", "2", "3")),
        (regex('"[^"]*"'), ('""', '"a"', '"b"', '"c"')),
        (regex("[<>=!]=?"), ("=", "<", ">", "!", "==", "<=", ">=", "!=")),
        (regex(r"\+|-|\*|/|%|<|and|or"), ("-", "+", "*", "/", "<", "%", "or", "and")),
        (regex("ab", "i"), ("ab",)),
        (regex("(?i:ab|AB|c)"), ("c", "ab")),
        (regex("^ab$", "m"), ("ab",)),
        (regex("a b # why\n", "x"), ("ab",)),
        (regex(r"a\ [ ]", "x"), ("a  ",)),
        (regex("é+", "u"), ("é", "éé", "ééé", "éééé")),
        (regex(r"\bif\b"), ("if",)),
        (regex(r"if(?!\w)"), ("if",)),
        (regex("(?!if)[fi]+"), ("f", "i", "ff", "fi")),
        (regex(r'".*?(?<!\\)(\\\\)*?"'), ('""', '"a"', '"b"', '"c"')),
        (regex(r"(?:(?!ab)[a-c])+"), ("a", "b", "c", "aa")),
        (literal("a+"), ("a+",)),
    ],
)
def test_the_shortest_matches_come_first_and_read_well(pattern: Pattern, expected: tuple[str, ...]) -> None:
    assert shortest_matches(pattern)[: len(expected)] == expected


@pytest.mark.parametrize(
    "value",
    [
        "[a-z]+",
        "a|bb|ccc",
        r'".*?(?<!\\)(\\\\)*?"',
        r"\d+(\.\d+)?([eE][+-]?\d+)?",
        "[^a]",
        r"/\*(.|\n)*?\*/",
        "x{2,5}",
    ],
)
def test_matches_are_distinct_and_real_and_in_order_of_length(value: str) -> None:
    found = shortest_matches(regex(value))
    assert found
    assert len(set(found)) == len(found)
    assert [len(text) for text in found] == sorted(len(text) for text in found)
    assert all(re.fullmatch(value, text) for text in found)


def test_a_small_finite_set_is_given_whole_and_a_large_one_in_part() -> None:
    words = [f"w{'x' * n}" for n in range(FINITE_POOL)]
    assert set(shortest_matches(regex("|".join(words)))) == set(words)
    assert len(shortest_matches(regex("|".join([*words, "one", "more"])))) == INFINITE_POOL


def test_unwanted_matches_make_room_for_longer_ones() -> None:
    keywords = {"a", "b", "c", "aa", "ab"}
    assert shortest_matches(regex("[a-z]+"), lambda text: text not in keywords) == ("ac", "ba", "bb", "bc")


def test_nothing_wanted_gives_nothing_in_reasonable_time() -> None:
    assert shortest_matches(regex(".+"), lambda text: False) == ()


@pytest.mark.parametrize("value", [r"(a|b)\1", "[^\\s\\S]", "a(?=b)"])
def test_a_pattern_without_findable_matches_gives_none(value: str) -> None:
    assert shortest_matches(regex(value)) == ()


def test_flags_are_part_of_the_regular_expression() -> None:
    assert to_regex(regex("a.b", "si")) == "(?is:a.b)"
    assert to_regex(literal("a.b")) == r"a\.b"
    assert re.fullmatch(to_regex(literal("a.b", "i")), "A.B")


def test_a_text_matches_as_a_whole() -> None:
    assert matches(regex("[a-z]"), "a")
    assert not matches(regex("[a-z]"), "ab")
    assert matches(literal("Set", "i"), "sET")
    assert not matches(literal("a.c"), "abc")


def test_what_look_around_sees_outside_a_value_does_not_matter() -> None:
    assert matches(regex("a(?=b)"), "a")
    assert matches(regex("(?<=x)a"), "a")


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (literal("return"), ["", "r", "ret", "return"], ["x", "return ", "RET"]),
        (literal("return", "i"), ["RET", "rEturn"], ["returns"]),
        (regex("[a-z]+"), ["a", "returna"], ["a ", "1"]),
        (regex("[0-9]+(?:\\.[0-9]+)?"), ["1", "1.", "1.5"], ["1.5.", "."]),
        (regex('"[^"]*"'), ['"', '"a', '"a"'], ['"a" ', "a"]),
        (regex(r"if(?!\w)"), ["i", "if"], ["ifx", "a"]),
        (regex("(?!if)[a-z]+"), ["a", "x"], ["1"]),
        (regex("a b", "x"), ["a", "ab"], ["a b"]),
        (regex("AB", "i"), ["a", "aB"], ["b"]),
        (regex("[^\n]+"), ["λ", "a λ"], ["\n", "a\n"]),
    ],
)
def test_prefixes_are_the_texts_after_which_a_lexer_may_read_on(
    pattern: Pattern, inside: list[str], outside: list[str]
) -> None:
    prefixes = Prefixes(pattern)
    assert [text for text in inside if text not in prefixes] == []
    assert [text for text in outside if text in prefixes] == []


def test_a_pattern_without_an_automaton_knows_its_whole_matches_at_least() -> None:
    assert "aa" in Prefixes(regex(r"(a|b)\1"))
