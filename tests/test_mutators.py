"""Every mutator: the child is within bounds, differs, replays exactly and is a program of the grammar."""

import subprocess
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bonsai import Bounds, Derivation, Grammar, measure, parse, read_lark_text
from bonsai.choices import Draws
from bonsai.derivation import derive
from bonsai.mutators import MUTATORS, Surroundings, mutate
from bonsai.sampler import Sampler
from strategies import bounds, bundled, examples, grammars, sampler, seeds


def some_programs(grammar: Grammar, within: Bounds, seed: int, number: int) -> list[Derivation]:
    draws = Draws(seed)
    found = (sampler(grammar, within).sample(draws) for _ in range(number))
    return [Derivation(grammar, tuple(choices), text) for text, choices in found]


@pytest.mark.parametrize("name", MUTATORS)
@given(grammar=grammars(), small=bounds(2), larger=bounds(), seed=seeds())
@examples(60)  # for each of many mutators
def test_a_child_is_another_program_within_bounds(
    name: str, grammar: Grammar, small: Bounds, larger: Bounds, seed: int
) -> None:
    parent, *donors = some_programs(grammar, small, seed, 4)
    at_node = sampler(grammar, small.join(larger))
    children = mutate(MUTATORS[name].mutator, parent, Surroundings(at_node, donors), Draws(seed))
    assume(children)
    for text, choices in children:
        assert text != parent.text
        assert measure(Derivation(grammar, tuple(choices), text)) <= at_node.bounds
        assert at_node.replay(choices, Draws("none needed")) == (text, choices)
        assert derive(grammar, tuple(choices)).end == len(choices)
        if len(text) <= 40:
            assert parse(grammar, text)


@pytest.mark.parametrize("name", MUTATORS)
def test_each_mutator_finds_a_child_of_most_parents(name: str) -> None:
    """Guards against a mutator that never applies: its property test would pass without a case."""
    at_node = Sampler(bundled("blocks"), Bounds(3, 3, 3))
    donors = [p for p in some_programs(bundled("blocks"), Bounds(3, 3, 3), 7, 200) if len(p.choices) > 20]
    draws = Draws(1)
    found = [mutate(MUTATORS[name].mutator, parent, Surroundings(at_node, donors), draws) for parent in donors]
    assert sum(bool(children) for children in found) > len(donors) / 2
    assert len({text for children in found for text, _ in children}) > len(donors) / 3


def child_of(
    name: str, text: str, seed: int = 0, within: Bounds | None = None, donors: list[str] | None = None
) -> str:
    grammar = bundled("blocks")
    parent = parse(grammar, text)
    at_node = Sampler(grammar, within or Bounds(3, 3, 3))
    others = [parse(grammar, donor) for donor in donors or []]
    (text, _), *_ = mutate(MUTATORS[name].mutator, parent, Surroundings(at_node, others), Draws(seed))
    return text


def test_delete_item() -> None:
    assert {child_of("delete-item", "pass\nreturn\n", seed) for seed in range(9)} == {"pass\n", "return\n"}


def test_duplicate_item() -> None:
    children = {child_of("duplicate-item", "pass\nreturn\n", seed) for seed in range(9)}
    assert children == {"pass\npass\nreturn\n", "pass\nreturn\nreturn\n"}


def test_swap_items() -> None:
    assert child_of("swap-items", "pass\nreturn\n") == "return\npass\n"


def test_insert_item() -> None:
    for seed in range(20):
        lines = child_of("insert-item", "return\nreturn\n", seed)
        assert lines.count("return\n") >= 2


def test_graft_item_takes_items_from_any_repetition_of_such_items() -> None:
    donors = ["while a:\n    return\n"]
    children = {child_of("graft-item", "if 0:\n    pass\n", seed, donors=donors) for seed in range(60)}
    assert {"if 0:\n    pass\n    return\n", "if 0:\n    return\n    pass\n"} <= children
    assert "if 0:\n    pass\nwhile a:\n    return\n" in children


def test_cross_takes_two_items_from_one_donor() -> None:
    children = {child_of("cross", "pass\n", seed, donors=["return\n", "a = a\n"]) for seed in range(40)}
    assert {"pass\nreturn\nreturn\n", "pass\na = a\na = a\n"} <= children
    assert not any("return" in child and "a" in child.replace("pass", "") for child in children)


def test_two_steps_reach_what_one_step_does_not() -> None:
    parent = parse(bundled("blocks"), "a = a\n")
    around = Surroundings(Sampler(bundled("blocks"), Bounds(2, 1, 1)), [parent])
    names = ("change-identifier", "two-steps")
    one, two = (
        {text for seed in range(300) for text, _ in mutate(MUTATORS[name].mutator, parent, around, Draws(seed))}
        for name in names
    )
    assert "b = b\n" in two - one


def test_hoist() -> None:
    assert child_of("hoist", "if 0:\n    pass\n") == "pass\n"


def test_splice() -> None:
    children = {child_of("splice", "return 0\n", seed, donors=["return 1 + 1\n"]) for seed in range(30)}
    assert {"return 1\n", "return 1 + 1\n"} <= children


def test_change_and_rename_identifier() -> None:
    within = Bounds(2, 3, 3)
    changed = {child_of("change-identifier", "a = a\n", seed, within) for seed in range(20)}
    assert changed == {"a = b\n", "b = a\n"}
    assert child_of("rename-identifier", "a = a\n", within=within) == "b = b\n"


def test_regenerate_keeps_what_is_around() -> None:
    children = {child_of("regenerate", "while a:\n    pass\nreturn a\n", seed) for seed in range(60)}
    assert any(child.startswith("while a:\n    pass\n") for child in children)
    assert any(child.endswith("return a\n") for child in children)
    assert len(children) > 20


def test_a_parent_of_another_grammar_is_refused() -> None:
    parent = parse(bundled("blocks"), "return 77\n")
    with pytest.raises(ValueError, match="other values"):
        mutate(
            MUTATORS["regenerate"].mutator,
            parent,
            Surroundings(Sampler(bundled("blocks"), Bounds(1, 1, 1))),
            Draws(0),
        )


@pytest.mark.parametrize("name", MUTATORS)
def test_a_program_without_choices_has_no_children(name: str) -> None:
    grammar = read_lark_text('start: "a" group\ngroup: "(" ")"\n')
    parent = parse(grammar, "a()")
    assert parent.choices == ()
    around = Surroundings(Sampler(grammar, Bounds(1, 1, 1)), [parent])
    for seed in range(20):
        assert mutate(MUTATORS[name].mutator, parent, around, Draws(seed)) == []


@given(st.integers(0, 5000))
def test_zest_leaves_an_empty_sequence_alone_and_changes_a_sequence_of_one_choice(seed: int) -> None:
    grammar = read_lark_text('start: "a" | "b"\n')
    around = Surroundings(Sampler(grammar, Bounds(1, 1, 1)))
    draws = Draws(seed)
    before = draws.getstate()
    assert MUTATORS["zest"].mutator(Derivation(grammar, (), ""), around, draws) == []
    assert draws.getstate() == before  # what is drawn next does not depend on it
    assert MUTATORS["zest"].mutator(parse(grammar, "a"), around, draws) == [("b", [1])]


def test_a_child_of_zest_is_never_its_parent() -> None:
    """Blind overwriting returns the parent itself in a fifth of all cases."""
    parents = [p for p in some_programs(bundled("calc"), Bounds(2, 2, 2), 3, 300) if len(p.choices) > 8]
    around = Surroundings(sampler(bundled("calc"), Bounds(2, 2, 2)))
    draws = Draws(5)
    for parent in parents:
        [(_, choices)] = mutate(MUTATORS["zest"].mutator, parent, around, draws)
        assert tuple(choices) != parent.choices


# What CONTRIBUTING says of a new mutator, done by a program that adds one before anything else is imported.
ONE_MORE_MUTATOR = """
from bonsai import mutators

calls = []

def mine(parent, surroundings, draws):
    calls.append(parent.text)
    return mutators.regenerate(parent, surroundings, draws)

mutators.MUTATORS["mine"] = mutators.Registered(mutators.one(mine), weight=7)

import bonsai
from bonsai.budget import Executions
from bonsai.corpus import Policy
from bonsai.grow_settings import GrowSettings

bounds = bonsai.Bounds(2, 2, 2)
assert GrowSettings(bounds).method().mutators["mine"] == 7
assert GrowSettings(bounds, mutators=("mine", "splice")).method().mutators == {"mine": 7, "splice": 3}
assert GrowSettings(bounds, policy=Policy.PAPER).method().mutators == {"zest": 1}
chocopy = bonsai.load_subject("chocopy")
for names in ((), ("mine",)):
    calls.clear()
    run = bonsai.fuzz(chocopy, bounds, Executions(300), mutators=names)
    assert "mine" in run.asked["mutators"]
    assert calls
"""


def test_a_new_mutator_takes_a_function_and_one_entry_in_the_registry() -> None:
    subprocess.run([sys.executable, "-c", ONE_MORE_MUTATOR], check=True)
