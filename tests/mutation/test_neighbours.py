"""Children and smaller programs, of many grammars."""

from hypothesis import given

from bonsai import Bounds, Derivation, Grammar, load_subject, measure, parse
from bonsai.choices import Draws
from bonsai.corpus import size_of
from bonsai.derivation import holding
from bonsai.mutation.neighbours import black_box, children, parsed, smaller
from strategies import bounds, grammars, sampler, seeds


def sampled(grammar: Grammar, within: Bounds, seed: int, number: int) -> list[Derivation]:
    draws = Draws(seed)
    programs = [sampler(grammar, within).sample(draws) for _ in range(number)]
    return [Derivation(grammar, tuple(choices), text) for text, choices in programs]


@given(grammars(), bounds(2), seeds())
def test_children_are_new_different_and_the_same_every_time(grammar: Grammar, within: Bounds, seed: int) -> None:
    parents = sampled(grammar, within, seed, 3)
    around = sampler(grammar, within)
    found = children(parents, around, 10, seed)
    texts = [child.text for child in found]
    assert len(texts) <= 10
    assert len(set(texts)) == len(texts)
    assert not {parent.text for parent in parents} & set(texts)
    assert texts == [child.text for child in children(parents, around, 10, seed)]
    assert all(around.replay(child.choices, Draws(0)) == (child.text, list(child.choices)) for child in found)


@given(grammars(), bounds(2), seeds())
def test_the_black_box_keeps_to_the_bounds_whatever_its_parents_are(
    grammar: Grammar, within: Bounds, seed: int
) -> None:
    parents = sampled(grammar, Bounds(within.idents + 1, within.items + 1, within.depth + 1), seed, 3)
    found = black_box(parents, within, 10, seed)
    assert [one.text for one in found] == [one.text for one in black_box(parents, within, 10, seed)]
    assert all(measure(one) <= within for one in found)
    assert not {one.text for one in parents} & {one.text for one in found}


@given(grammars(), bounds(2), seeds())
def test_smaller_programs_are_smaller_and_replay(grammar: Grammar, within: Bounds, seed: int) -> None:
    [program] = sampled(grammar, within, seed, 1)
    around = sampler(grammar, within)
    found = smaller(program, around)
    sizes = [size_of(one.text) for one in found]
    assert sizes == sorted(sizes)
    assert all(size < size_of(program.text) for size in sizes)
    assert all(around.replay(one.choices, Draws(0)) == (one.text, list(one.choices)) for one in found)


def test_the_steps_to_smaller_programs() -> None:
    subject = load_subject("json")
    program = parse(subject.grammar, "[1, [true, null], 0]")
    texts = {one.text for one in smaller(program, sampler(subject.grammar, holding(program)))}
    # One item less, first, middle and last; a list within; the smallest of all.
    assert {"[[true, null], 0]", "[1, 0]", "[1, [true, null]]", "[1, [null], 0]", "[true, null]"} <= texts


def test_what_the_grammar_does_not_derive_has_no_children() -> None:
    subject = load_subject("json")
    assert [one.text for one in parsed(subject, ["[1]", "[1", "null"])] == ["[1]", "null"]
