"""Trees on demand, and what they measure."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given

from bonsai import Bounds, Derivation, Grammar, measure, parse, read_lark_text
from bonsai.choices import Draws
from bonsai.derivation import Node, derive, outline
from bonsai.grammar.model import Option, Reference, Repetition, Token
from bonsai.sampler import Sampler
from strategies import bounds, bundled, grammars, sampler, seeds


@given(grammars(), bounds(), seeds())
def test_spans_nest_and_cover_all_choices(grammar: Grammar, within: Bounds, seed: int) -> None:
    text, choices = sampler(grammar, within).sample(Draws(seed))
    root = Derivation(grammar, tuple(choices), text).tree
    assert (root.start, root.end) == (0, len(choices))
    for node in root.walk():
        inside = sum(child.end - child.start for child in node.children)
        assert node.end - node.start == inside + (node.choice is not None)
        if node.choice is not None:
            assert choices[node.start] == node.choice
        if isinstance(node.symbol, Repetition):
            assert len(node.items) == node.choice


@given(grammars(), bounds(), seeds())
def test_the_tokens_of_a_node_are_those_of_its_part_of_the_text(
    grammar: Grammar, within: Bounds, seed: int
) -> None:
    at_node = sampler(grammar, within)
    text, choices = at_node.sample(Draws(seed))
    program = Derivation(grammar, tuple(choices), text)
    assert at_node.bounded.renderer.render(program.tokens) == text
    for node in program.tree.walk():
        if node.children:
            assert "".join(program.part(child)[0] for child in node.children) == program.part(node)[0]
        if node.end > node.start:
            own = choices[node.start : node.end]
            drawn = at_node.continue_from(node.symbol, node.counts, own, Draws("none needed"))
            assert drawn == (program.part(node)[0], own)


def spans(nodes: Iterable[Node]) -> list[tuple[object, ...]]:
    return [(n.symbol, n.counts, n.choice, n.start, n.end, n.first, n.last) for n in nodes]


@given(grammars(), bounds(), seeds())
def test_places_are_nodes_of_the_tree(grammar: Grammar, within: Bounds, seed: int) -> None:
    text, choices = sampler(grammar, within).sample(Draws(seed))
    program = Derivation(grammar, tuple(choices), text)
    nodes = list(program.tree.walk())
    rules: dict[str, list[Node]] = {}
    for node in nodes:
        if isinstance(node.symbol, Reference):
            rules.setdefault(node.symbol.rule, []).append(node)
    assert {rule: spans(found) for rule, found in program.by_rule.items()} == {
        rule: spans(found) for rule, found in rules.items()
    }
    repetitions = [node for node in nodes if isinstance(node.symbol, Repetition)]
    assert spans(program.repetitions) == spans(repetitions)
    for one, other in zip(program.repetitions, repetitions, strict=True):
        assert spans(one.children) == spans(other.children)
    expansions = [node for found in rules.values() for node in found if node.end > node.start]
    options = [node for node in nodes if isinstance(node.symbol, Option)]
    assert spans(program.subtrees) == spans([*expansions, *options])
    names = [n for n in nodes if isinstance(n.symbol, Token) and grammar.terminals[n.symbol.terminal].identifier]
    assert spans(program.identifiers) == spans(node for node in names if node.choice is not None)


@given(grammars(), bounds(), seeds())
def test_a_program_with_other_parts_is_what_its_choices_replay_to(
    grammar: Grammar, within: Bounds, seed: int
) -> None:
    at_node = sampler(grammar, within)
    draws = Draws(seed)
    text, choices = at_node.sample(draws)
    program = Derivation(grammar, tuple(choices), text)
    places = program.subtrees[:10]
    fresh = [(node, at_node.continue_from(node.symbol, node.counts, (), draws, most=20)) for node in places]
    apart = [[two, one] for one, two in combinations(fresh, 2) if one[0].end <= two[0].start]
    for edits in [*([one] for one in fresh), *apart]:
        tokens, edited = program.edited(edits)
        assert at_node.replay(edited, Draws("none needed")) == (at_node.bounded.renderer.render(tokens), edited)
        assert all(part in tokens for _, (part, _) in edits)


def test_items_are_the_elements_of_a_separated_list() -> None:
    assert measure(parse(bundled("json"), "[1, 0, 1, 0, 1]")).items == 5
    assert measure(parse(bundled("json"), "[]")).items == 0


def test_depth_counts_expansions_of_one_nonterminal_on_a_path() -> None:
    assert measure(parse(bundled("json"), "1")) == Bounds(0, 0, 1)
    assert measure(parse(bundled("json"), "[[1], 2]")).depth == 3
    assert measure(parse(bundled("blocks"), "if 0:\n    if 1:\n        pass\n")).depth == 3


def test_idents_count_distinct_values() -> None:
    assert measure(parse(bundled("blocks"), "a = b(a, b, c)\n")).idents == 3


def test_fixed_copies_are_no_repetition() -> None:
    grammar = read_lark_text('start: "a"~5 "b"*\n%ignore " "')
    assert measure(parse(grammar, "a a a a a b")) == Bounds(0, 1, 1)


def test_outline() -> None:
    assert outline(parse(bundled("json"), "[null]")).splitlines() == [
        "start",
        "  value",
        "    array",
        "      LSQB '['",
        "      repetition of 1",
        "        value",
        "          NULL 'null'",
        "      RSQB ']'",
    ]


def test_remembered_counts_are_bounded_and_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = bundled("blocks")
    sampler, draws = Sampler(grammar, Bounds(3, 3, 3)), Draws(4)
    programs = [tuple(sampler.sample(draws)[1]) for _ in range(100)]
    expected = [[(n.symbol, n.counts) for n in derive(grammar, choices).walk()] for choices in programs]
    monkeypatch.setattr("bonsai.derivation._MOST_ENTERED", 0)
    copy = replace(grammar)  # nothing is remembered of it yet
    found = [[*derive(copy, choices).walk()] for choices in programs]
    assert [[(n.symbol, n.counts) for n in nodes] for nodes in found] == expected
    assert max(len(node.shape.entered) for nodes in found for node in nodes) == 1
