"""Algorithm 1: bounds hold, replay is exact, the same seed gives the same programs."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import BonsaiError, Bounds, Derivation, Grammar, measure, read_lark_text
from bonsai.choices import Draws
from bonsai.sampler import MOST_DRAWS, Sampler
from strategies import BUNDLED, bounds, bundled, grammars, sampler, seeds


def derivation(grammar: Grammar, within: Bounds, seed: int) -> Derivation:
    text, choices = sampler(grammar, within).sample(Draws(seed))
    return Derivation(grammar, tuple(choices), text)


@given(grammars(), bounds(), seeds())
def test_bounds_are_never_exceeded(grammar: Grammar, within: Bounds, seed: int) -> None:
    assert measure(derivation(grammar, within, seed)) <= within


@pytest.mark.parametrize("name", BUNDLED)
def test_bounds_are_never_exceeded_in_thousands_of_programs(name: str) -> None:
    for within in (Bounds(1, 1, 1), Bounds(2, 1, 2), Bounds(1, 2, 1), Bounds(3, 2, 2)):
        draws = Draws(("many", name))
        for _ in range(400):
            text, choices = sampler(bundled(name), within).sample(draws)
            assert measure(Derivation(bundled(name), tuple(choices), text)) <= within


@given(grammars(), bounds(), bounds(), seeds())
def test_choices_replay_to_the_same_text_under_every_larger_bound(
    grammar: Grammar, within: Bounds, other: Bounds, seed: int
) -> None:
    program = derivation(grammar, within, seed)
    larger = within.join(other)
    text, choices = sampler(grammar, larger).replay(program.choices, Draws("none needed"))
    assert text == program.text
    assert tuple(choices) == program.choices


@given(grammars(), bounds(), st.lists(st.integers(-5, 40), max_size=60), seeds())
def test_replay_is_total(grammar: Grammar, within: Bounds, edited: list[int], seed: int) -> None:
    text, choices = sampler(grammar, within).replay(edited, Draws(seed))
    program = Derivation(grammar, tuple(choices), text)
    assert measure(program) <= within
    assert sampler(grammar, within).replay(choices, Draws("other"))[0] == text


def test_deep_bounds_do_not_overflow_the_stack() -> None:
    grammar = read_lark_text('start: "(" start ")" | "x"')
    deep = Sampler(grammar, Bounds(1, 1, 5000))
    longest = max((deep.sample(Draws(seed))[0] for seed in range(50)), key=len)
    program = Derivation(grammar, tuple(deep.replay([0] * 4999, Draws(0))[1]), "")
    assert longest.count("(") > 50
    assert measure(program).depth == 5000


def test_a_program_that_explodes_is_wound_down() -> None:
    grammar = read_lark_text('start: "a" start start start | "x"')
    within = Bounds(1, 1, 60)
    text, choices = Sampler(grammar, within).sample(Draws(2))
    assert MOST_DRAWS <= len(choices) < MOST_DRAWS + 1000
    assert measure(Derivation(grammar, tuple(choices), text)) <= within
    assert Sampler(grammar, within).replay(choices, Draws(0))[0] == text


def test_an_infeasible_bound_names_the_smallest_feasible_one() -> None:
    grammar = read_lark_text('start: "a"~3..5 | "b" start')
    with pytest.raises(BonsaiError) as caught:
        Sampler(grammar, Bounds(2, 2, 2))
    assert "(2,2,2)" in caught.value.message
    assert "(1,3,1)" in caught.value.hint
    assert Sampler(grammar, Bounds(1, 3, 1)).sample(Draws(0))[0]


@pytest.mark.parametrize("bad", [Bounds(0, 1, 1), Bounds(1, 0, 1), Bounds(1, 1, 0), Bounds(-1, 1, 1)])
def test_a_bound_below_one_is_refused(bad: Bounds) -> None:
    with pytest.raises(BonsaiError):
        Sampler(bundled("json"), bad)


def test_seed_zero_is_a_seed_and_differs_from_others() -> None:
    programs = [
        [sampler(bundled("calc"), Bounds(2, 2, 2)).sample(draws)[0] for _ in range(20)]
        for draws in (Draws(0), Draws(0), Draws(1))
    ]
    assert programs[0] == programs[1]
    assert programs[0] != programs[2]


SCRIPT = """
import bonsai
for name in ("json", "calc", "blocks", "minilua", "chocopy"):
    for program in bonsai.sample(bonsai.load_subject(name), number=40, seed=0):
        print(repr(program.text), program.choices)
"""


def test_the_same_seed_gives_the_same_programs_in_every_process() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_states_are_dropped_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bonsai.states._MANY_STATES", 10)
    small, large = (Sampler(bundled("minilua"), Bounds(2, 2, 2)) for _ in range(2))
    programs = [small.sample(Draws(seed)) for seed in range(50)]
    monkeypatch.undo()
    assert programs == [large.sample(Draws(seed)) for seed in range(50)]


def test_a_long_chain_of_rules_does_not_overflow_the_stack() -> None:
    chain = "\n".join(f"r{i}: r{i + 1}" for i in range(1200))
    grammar = read_lark_text(f'start: r0\n{chain}\nr1200: "x"')
    assert Sampler(grammar, Bounds(1, 1, 1)).sample(Draws(0))[0] == "x"


def test_negative_seeds_are_seeds_of_their_own() -> None:
    assert Draws(-1).random() != Draws(1).random()
