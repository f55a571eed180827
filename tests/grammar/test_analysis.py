"""What follows from a grammar: who reaches whom, who is recursive, what can still be completed."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.grammar.analysis import Analysis, largest_minimum, least_items, unproductive_rules, unused_rules
from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.model import (
    Grammar,
    Reference,
    Repetition,
    Rule,
    Sequence,
    Symbol,
    Terminal,
    Token,
    rule_names,
)

STRATIFIED = read_lark_text(
    'start: sum\nsum: product | sum "+" product\nproduct: atom | product "*" atom\natom: "x" | "(" sum ")"\n'
)


def test_counts_that_matter_are_those_of_the_nonterminals_inside_a_symbol() -> None:
    analysis = Analysis(read_lark_text('start: a b\na: "x" a?\nb: "(" b ")" | c\nc: "y" | "z" c\n'), 1)
    assert analysis.counted == ("a", "b", "c")
    assert [*map(analysis.counted_in, map(Reference, ["start", "a", "b", "c"]))] == [
        b"\1\1\1",
        b"\1\0\0",
        b"\0\1\1",
        b"\0\0\1",
    ]


def test_recursive_are_those_that_can_occur_inside_themselves() -> None:
    assert Analysis(STRATIFIED, 1).recursive == {"sum", "product", "atom"}
    assert Analysis(read_lark_text('start: a b\na: "x"\nb: a b?\n'), 1).recursive == {"b"}


def test_counts_speak_of_the_recursive_nonterminals_in_grammar_order() -> None:
    analysis = Analysis(STRATIFIED, 1)
    assert analysis.counted == ("sum", "product", "atom")
    once = analysis.entered("product", analysis.no_counts)
    assert once == (0, 1, 0)
    assert analysis.entered("start", once) == once
    assert (analysis.expansions("product", once), analysis.expansions("start", once)) == (1, 1)


def test_productive_without_blocked_nonterminals() -> None:
    analysis = Analysis(STRATIFIED, 1)
    assert analysis.productive(frozenset()) == {"start", "sum", "product", "atom"}
    assert analysis.productive(frozenset({"sum"})) == {"product", "atom"}
    assert analysis.productive(frozenset({"atom"})) == frozenset()


def test_an_option_and_a_star_can_always_be_completed_and_a_plus_only_with_its_item() -> None:
    grammar = read_lark_text('start: a? a* [a] ("x" | a)\nplus: a+\na: "y" | "z" a\n')
    analysis = Analysis(grammar, 1)
    blocked = frozenset({"a"})
    assert analysis.completable(grammar.rules["start"].alternatives[0], blocked)
    assert not analysis.completable(grammar.rules["plus"].alternatives[0], blocked)
    assert analysis.completable(grammar.rules["plus"].alternatives[0], frozenset())


def test_a_repetition_that_asks_for_more_than_the_bound_cannot_be_completed() -> None:
    repetition = read_lark_text('start: "x"~3..5').rules["start"].alternatives[0]
    grammar = read_lark_text('start: "x"~3..5')
    assert not Analysis(grammar, 2).completable(repetition, frozenset())
    assert Analysis(grammar, 3).completable(repetition, frozenset())


def test_the_smallest_bound_on_items_that_gives_a_program() -> None:
    assert least_items(STRATIFIED) == 1
    assert least_items(read_lark_text('start: "x"~3..5 | "y"~2..4')) == 2
    assert least_items(read_lark_text('start: a "y"~4..9\na: "x"~2..3\n')) == 4
    assert largest_minimum(read_lark_text('start: a "y"~4..9\na: "x"~2..3\n')) == 4
    assert largest_minimum(read_lark_text('start: "y"*')) == 1


def test_the_fewest_tokens_of_a_symbol() -> None:
    analysis = Analysis(STRATIFIED, 1)
    assert [analysis.least_tokens(symbol) for symbol in STRATIFIED.rules["atom"].alternatives] == [1, 3]
    grammar = read_lark_text('start: "x"~2..3 ("y" | "z" "z") ["w"] "v"*')
    assert Analysis(grammar, 3).least_tokens(Reference("start")) == 3


def test_unused_rules_are_those_that_the_start_symbol_never_reaches() -> None:
    assert unused_rules(read_lark_text('start: a\na: "x"\nb: c\nc: "y"\n')) == ["b", "c"]
    assert unused_rules(STRATIFIED) == []


def _grammar(rules: dict[str, list[Symbol]]) -> Grammar:
    return Grammar(
        start="a",
        rules={name: Rule(name, tuple(alternatives)) for name, alternatives in rules.items()},
        terminals={"T": Terminal("T", None, ("t",))},
    )


def test_unproductive_rules_in_grammar_order() -> None:
    a, b, t = Reference("a"), Reference("b"), Token("T")
    assert unproductive_rules(_grammar({"a": [b], "b": [a]})) == ["a", "b"]
    assert unproductive_rules(_grammar({"a": [Sequence((a, t))]})) == ["a"]
    assert unproductive_rules(_grammar({"a": [t, b], "b": [Repetition(b, 1, None)]})) == ["b"]
    assert unproductive_rules(_grammar({"a": [Repetition(a, 0, None)]})) == []
    assert unproductive_rules(_grammar({"a": [Repetition(t, 7, 9)]})) == []


SYMBOLS: st.SearchStrategy[Symbol] = st.sampled_from([Token("T"), *(Reference(name) for name in "abcd")])
RULES = st.fixed_dictionaries(
    {
        name: st.lists(st.lists(SYMBOLS, max_size=3).map(lambda s: Sequence(tuple(s))), min_size=1, max_size=3)
        for name in "abcd"
    }
)


@given(RULES, st.frozensets(st.sampled_from("abcd")))
def test_blocking_more_never_makes_more_productive(rules: dict[str, list[Symbol]], blocked: frozenset[str]) -> None:
    analysis = Analysis(_grammar(rules), 1)
    assert analysis.productive(blocked) <= analysis.productive(frozenset()) - blocked


@given(RULES, st.frozensets(st.sampled_from("abcd")))
def test_productive_is_exactly_having_a_derivation_that_repeats_nothing_on_a_path(
    rules: dict[str, list[Symbol]], blocked: frozenset[str]
) -> None:
    def derives(name: str, path: frozenset[str]) -> bool:
        return name not in path and any(
            all(derives(part.rule, path | {name}) for part in alternative.symbols if isinstance(part, Reference))
            for alternative in rules[name]
            if isinstance(alternative, Sequence)
        )

    analysis = Analysis(_grammar(rules), 1)
    assert analysis.productive(frozenset()) == {n for n in rules if derives(n, frozenset())}
    assert analysis.productive(blocked) == {n for n in rules if derives(n, blocked)}


@given(RULES)
def test_recursion_and_counts_follow_from_who_mentions_whom(rules: dict[str, list[Symbol]]) -> None:
    analysis = Analysis(_grammar(rules), 1)
    inside = {name: {*rule_names(rule)} for name, rule in analysis.grammar.rules.items()}
    for _ in rules:
        inside = {name: names.union(*(inside[other] for other in names)) for name, names in inside.items()}
    assert analysis.recursive == {name for name in rules if name in inside[name]}
    for name in rules:
        reached = inside[name] | {name}
        assert analysis.counted_in(Reference(name)) == bytes(other in reached for other in analysis.counted)


@given(RULES)
def test_the_fewest_tokens_are_those_of_a_shortest_derivation(rules: dict[str, list[Symbol]]) -> None:
    least = dict.fromkeys(rules, inf)
    for _ in rules:  # the path of a shortest derivation repeats nothing
        least = {
            name: min(
                sum(least[part.rule] if isinstance(part, Reference) else 1 for part in alternative.symbols)
                for alternative in alternatives
                if isinstance(alternative, Sequence)
            )
            for name, alternatives in rules.items()
        }
    analysis = Analysis(_grammar(rules), 1)
    assert {name: analysis.least_tokens(Reference(name)) for name in rules} == least


def test_remembered_sets_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bonsai.grammar.analysis._MOST_KEPT", 20)
    grammar = read_lark_text("start: " + " | ".join(f'"x{i}" start' for i in range(6)) + ' | "x"\n')
    analysis = Analysis(grammar, 1)
    for number in range(100):
        analysis.productive(frozenset({f"r{number}"}))
    assert len(analysis._known_unproductive) <= 21
