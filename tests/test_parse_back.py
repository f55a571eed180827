"""Rendered text parses back with the basic lexer; existing files become derivations."""

import pytest
from hypothesis import assume, given

from bonsai import BonsaiError, Bounds, Derivation, Grammar, Lexicon, measure, parse, read_lark_text
from bonsai.choices import Draws
from bonsai.derivation import holding
from bonsai.grammar.lexing import lex, token_lexer
from bonsai.grammar.model import Layout
from bonsai.parse_back import parse_all
from bonsai.sampler import Sampler
from strategies import BUNDLED, bounds, bundled, grammars, sampler, seeds

SHORT = 60  # ambiguous grammars make a parser slow on long texts


def tokens(grammar: Grammar, text: str) -> list[tuple[str, str]]:
    return [(token.type, str(token)) for token in lex(token_lexer(grammar), text)]


def assert_round_trip(grammar: Grammar, text: str) -> None:
    parsed = parse(grammar, text)
    assert parsed.grammar is grammar, "a sampled program needs no larger pools"
    replayed, choices = Sampler(grammar, holding(parsed)).replay(parsed.choices, Draws(0))
    assert tuple(choices) == parsed.choices
    assert replayed == parsed.text
    before, after = tokens(grammar, text), tokens(grammar, parsed.text)
    assert [kind for kind, _ in before] == [kind for kind, _ in after]
    renamed: dict[tuple[str, str], str] = {}
    for (kind, old), (_, new) in zip(before, after, strict=True):
        if grammar.terminals[kind].identifier:
            assert renamed.setdefault((kind, old), new) == new
        elif not (grammar.layout and kind in grammar.layout):
            assert old == new
    assert len({(kind, new) for (kind, _), new in renamed.items()}) == len(renamed)


@given(grammars(), bounds(2), seeds())
def test_sampled_programs_parse_back(grammar: Grammar, within: Bounds, seed: int) -> None:
    text, _ = sampler(grammar, within).sample(Draws(seed))
    assume(len(text) <= SHORT)
    assert_round_trip(grammar, text)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_a_thousand_programs_of_each_subject_parse_back(name: str) -> None:
    draws = Draws(name)
    for within in (Bounds(1, 1, 1), Bounds(2, 2, 1), Bounds(2, 2, 2)):
        texts = {sampler(bundled(name), within).sample(draws)[0] for _ in range(400)}
        for text in sorted(texts):
            if len(text) <= 4 * SHORT:
                assert_round_trip(bundled(name), text)


def test_identifiers_are_renamed_by_first_occurrence() -> None:
    assert parse(bundled("blocks"), "foo = bar(foo, 1)\n").text == "a = b(a, 1)\n"
    assert parse(bundled("blocks"), "b = a\n").text == "a = b\n"


def test_more_identifiers_than_the_pool_holds_keep_their_names() -> None:
    parsed = parse(bundled("blocks"), "u = v(w, x, y, z, a)\n")
    assert parsed.text == "a = b(c, d, e, z, aa)\n"
    assert parsed.grammar.terminals["NAME"].values == ("a", "b", "c", "d", "e", "z", "aa")
    assert measure(parsed).idents == 7


def test_other_values_extend_their_pool_for_that_run() -> None:
    grammar = bundled("json")
    parsed = parse(grammar, "[1, 42, 42]")
    assert parsed.text == "[1, 42, 42]"
    assert "42" in parsed.grammar.terminals["NUMBER"].values
    assert "42" not in grammar.terminals["NUMBER"].values


def test_several_texts_share_one_grammar() -> None:
    one, other = parse_all(bundled("json"), ["[7]", "[8]"])
    assert one.grammar is other.grammar
    assert {"7", "8"} <= set(one.grammar.terminals["NUMBER"].values)


def test_the_same_name_in_two_terminals_stays_the_same_name() -> None:
    grammar = read_lark_text(
        'start: ("class" NAME ":" QUOTED)*\nNAME: /[a-zA-Z]+/\nQUOTED: /\'[a-zA-Z]+\'/\n%ignore " "',
        lexicon=Lexicon(identifiers={"NAME": ("a", "b", "c"), "QUOTED": ("'a'", "'b'", "'c'")}),
    )
    assert parse(grammar, "class X: 'Y' class Y: 'X'").text == "class a: 'b' class b: 'a'"


def test_keywords_need_space_around_them() -> None:
    with pytest.raises(BonsaiError):
        parse(bundled("blocks"), "returna = 1 +\n")
    assert parse(bundled("blocks"), "returna = 1\n").text == "a = 1\n"


def test_layout_survives_comments_blank_lines_tabs_and_a_missing_last_newline() -> None:
    text = "def f():\n\n  # comment\n  if x:\n\t return 1 # why\n  pass\n\nprint()"
    assert parse(bundled("blocks"), text).text == ("def a():\n    if b:\n        return 1\n    pass\nprint()\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = = 1\n", "unexpected '=' at line 1, column 5"),
        ("a = 1 +", "unexpected"),
        ("a = $\n", "unexpected character at line 1, column 5"),
        ("if a:\n    pass\n  pass\n", "does not parse"),
        ("a = (1))\n", "does not parse"),
    ],
)
def test_what_does_not_parse_is_an_error_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(BonsaiError, match="does not parse") as caught:
        parse(bundled("blocks"), text)
    assert complaint in caught.value.message
    assert "\n" not in str(caught.value)


def test_a_text_that_ends_too_early_is_an_error() -> None:
    with pytest.raises(BonsaiError, match="ends too early"):
        parse(bundled("json"), '{"a": ')


def test_a_deeply_nested_text_parses() -> None:
    depth = 400
    parsed: Derivation = parse(bundled("json"), "[" * depth + "]" * depth)
    assert measure(parsed).depth == depth


def test_different_names_stay_different() -> None:
    assert parse(bundled("json"), '{"a b": 1, "ab": "n", "a-b": "\\n"}').text == (
        '{"a": 1, "b": "", "\\n": "\\u0041"}'
    )
    names = " ".join(f"{name} = 0\n" for name in ("v", "w", "x", "y", "z", "a", "aa")).replace("\n ", "\n")
    renamed = [line.split()[0] for line in parse(bundled("blocks"), names).text.splitlines()]
    assert len(set(renamed)) == 7


def test_predefined_names_are_not_identifiers_where_the_grammar_has_a_place_for_them() -> None:
    text = "class A(object):\n    def __init__(self:A):\n        print(len(self))\n"
    parsed = parse(bundled("chocopy"), text)
    assert measure(parsed).idents == 1
    assert parsed.grammar is bundled("chocopy")
    odd = parse(bundled("chocopy"), "print:int = 1\n")
    assert odd.text == "print:int = 1\n"
    assert measure(odd).idents == 1


def test_a_layout_grammar_may_ignore_a_literal() -> None:
    rules = (
        'start: _line+\n_line: "a" _NL | "if" "(" "b" ")" ":" _NL _INDENT _line+ _DEDENT\n'
        '_NL: /(\\n *)+/\n%declare _INDENT _DEDENT\n%ignore " "'
    )
    grammar = read_lark_text(rules, lexicon=Lexicon(layout=Layout("_NL", "_INDENT", "_DEDENT")))
    text = "if (b):\n    a\n    a\na\n"
    assert parse(grammar, text).text == text
