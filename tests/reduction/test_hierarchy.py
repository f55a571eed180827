"""Hierarchical delta debugging on derivations, of many grammars."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bonsai import Bounds, Derivation, Grammar, load_subject, parse, read_lark_text
from bonsai.choices import Draws
from bonsai.corpus import size_of
from bonsai.grammar.model import Reference, Token
from bonsai.reduction.hierarchy import Smallest, Transformations, reduce_tree
from strategies import bounds, grammars, sampler, seeds


def sampled(grammar: Grammar, within: Bounds, seed: int) -> Derivation:
    text, choices = sampler(grammar, within).sample(Draws(seed))
    assume(len(text) < 60)  # delta debugging takes quadratic time where nothing can go
    return Derivation(grammar, tuple(choices), text)


def tokens(derivation: Derivation) -> list[str]:
    terminals = derivation.grammar.terminals
    return [
        terminals[node.symbol.terminal].values[node.choice or 0]
        for node in derivation.tree.walk()
        if isinstance(node.symbol, Token) and terminals[node.symbol.terminal].values
    ]


@given(grammars(), bounds(2), seeds(), st.sampled_from(Transformations))
def test_a_program_that_nothing_can_be_taken_from_stays(
    grammar: Grammar, within: Bounds, seed: int, transformations: Transformations
) -> None:
    derivation = sampled(grammar, within, seed)
    assert reduce_tree(derivation, lambda text: text == derivation.text, transformations) == derivation.text


@given(grammars(), bounds(2), seeds(), st.sampled_from(Transformations))
def test_if_anything_goes_the_smallest_program_is_left(
    grammar: Grammar, within: Bounds, seed: int, transformations: Transformations
) -> None:
    derivation, smallest = sampled(grammar, within, seed), Smallest(grammar)
    run = smallest.of(Reference(grammar.start))
    assert run is not None
    text = smallest.text(run)
    assert reduce_tree(derivation, lambda candidate: True, transformations) == text
    assert len("".join(text.split())) <= sum(len("".join(token.split())) for token in tokens(derivation))


@given(grammars(), bounds(2), seeds(), st.sampled_from(Transformations), st.data())
def test_the_result_meets_the_predicate_and_is_no_larger(
    grammar: Grammar, within: Bounds, seed: int, transformations: Transformations, data: st.DataObject
) -> None:
    derivation = sampled(grammar, within, seed)
    wanted = data.draw(st.sampled_from(tokens(derivation) or [""]))
    found = reduce_tree(derivation, lambda text: wanted in text, transformations)
    assert wanted in found
    assert size_of(found)[0] <= size_of(derivation.text)[0]


PROGRAM = "if a:\n    if True:\n        while a > 1:\n            print(1 + (2 * a))\n    a = 0\nprint(2)\n"


@pytest.mark.parametrize(
    ("transformations", "left"),
    [
        (Transformations.PRUNE, "if a:\n    if a:\n        while a:\n            print()\n"),
        (Transformations.PRUNE_AND_HOIST, "while a:\n    print()\n"),
    ],
)
def test_indentation_is_right_after_every_step(transformations: Transformations, left: str) -> None:
    derivation = parse(load_subject("chocopy").grammar, PROGRAM)

    def prints_in_a_loop(text: str) -> bool:
        lines = text.splitlines()
        levels = [(len(line) - len(line.lstrip())) // 4 for line in lines]
        assert all(
            two <= one + line.endswith(":") for one, two, line in zip(levels, levels[1:], lines, strict=False)
        )
        return any("while" in one and "print" in two for one, two in pairwise(lines))

    assert reduce_tree(derivation, prints_in_a_loop, transformations) == left


def test_a_later_item_goes_with_its_separator() -> None:
    grammar = read_lark_text('start: "[" [A ("," A)*] "]"\nA: "x" | "yy"\n')
    derivation = parse(grammar, "[x,yy,x,yy]")
    assert reduce_tree(derivation, lambda text: text.count("x") == 2, Transformations.PRUNE) == "[x,x]"
