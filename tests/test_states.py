"""How likely each choice is: the paper's probabilities, exactly and in statistics."""

from collections import Counter
from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai import Bounds, Derivation, Grammar, Lexicon, read_lark_text
from bonsai.choices import Choices, Draws
from bonsai.derivation import Node
from bonsai.grammar.model import Reference
from bonsai.mutators import MUTATORS, Surroundings, mutate
from bonsai.sampler import Sampler
from bonsai.states import BoundedGrammar, Item, State, fused
from strategies import bounds, bundled, grammars

# In the paper's form: every alternative is all-terminal or must expand the nonterminal again.
PAPER = read_lark_text('start: e\ne: "x" | "y" | "z" | e "+" e | "(" e ")"')
CLOSING = 3


def expansions(root: Node) -> list[tuple[int, int]]:
    """(c, alternative) of every expansion of e."""
    return [
        (node.counts[0] + 1, node.choice or 0)
        for node in root.walk()
        if isinstance(node.symbol, Reference) and node.symbol.rule == "e"
    ]


def within_noise(successes: int, trials: int, probability: float) -> bool:
    """Less than five standard deviations away."""
    return abs(successes - trials * probability) <= 5 * sqrt(trials * probability * (1 - probability)) + 1e-9


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7])
def test_the_closing_probability_is_the_papers(depth: int) -> None:
    sampler, draws = Sampler(PAPER, Bounds(1, 1, depth)), Draws(depth)
    seen: Counter[tuple[int, int]] = Counter()
    while sum(seen.values()) < 30_000:
        text, choices = sampler.sample(draws)
        seen.update(expansions(Derivation(PAPER, tuple(choices), text).tree))
    for c in range(1, depth + 1):
        trials = sum(number for (at, _), number in seen.items() if at == c)
        closed = sum(number for (at, option), number in seen.items() if at == c and option < CLOSING)
        p = (c + 1) / (depth + 1)
        assert within_noise(closed, trials, p), (c, closed / trials, p)
        for option in range(CLOSING):  # uniform among the closing ones
            assert within_noise(seen[c, option], trials, p / CLOSING)


def test_weights_are_exact_and_not_quantised() -> None:
    bounded = BoundedGrammar(PAPER, Bounds(1, 1, 6))
    state = bounded.state(Reference("e"), (2,))
    share = {
        choice: weight / sum(state.weighted.weights)
        for choice, weight in zip(state.weighted.allowed, state.weighted.weights, strict=True)
    }
    assert share == pytest.approx({0: 3 / 21, 1: 3 / 21, 2: 3 / 21, 3: 4 / 14, 4: 4 / 14})


@given(grammars(), bounds())
def test_byte_tables_hold_each_option_by_its_weight(grammar: Grammar, within: Bounds) -> None:
    for state in some_states(grammar, within):
        if state.weighted.total <= 256:
            table = Counter(entry[0][0] for entry in state.single if entry is not None)
            times = 256 // state.weighted.total
            weights = zip(state.weighted.allowed, state.weighted.weights, strict=True)
            assert table == {choice: weight * times for choice, weight in weights}


@given(grammars(), bounds())
def test_a_byte_that_makes_several_choices_makes_each_with_its_probability(
    grammar: Grammar, within: Bounds
) -> None:
    """The fused table against the product of the single ones, exactly."""
    for state in some_states(grammar, within):
        entries = fused(state)
        total = sum(weight for weight, _ in entries)
        assert total <= 256 or entries == state.expansions()
        for weight, (choices, *_) in entries:
            assert Fraction(weight, total) == probability(state, choices)


def some_states(grammar: Grammar, within: Bounds) -> list[State]:
    bounded = BoundedGrammar(grammar, within)
    found = [item for item in bounded.start if isinstance(item, State)]
    for state in found:
        for _, (_, _, following, rest) in state.expansions():
            found += [s for s in (following, *rest) if isinstance(s, State) and s not in found and len(found) < 12]
    return found


def probability(state: State | None, choices: Choices) -> Fraction:
    """The probability of some choices in a row, one state after the other."""
    found = Fraction(1)
    waiting: list[Item] = []
    for choice in choices:
        while state is None:
            item = waiting.pop()
            state = item if isinstance(item, State) else None
        weight = state.weighted.weights[state.weighted.allowed.index(choice)]
        found *= Fraction(weight, state.weighted.total)
        _, _, state, rest = state.expansion(choice)
        waiting += rest
    return found


def frequencies(grammar: Grammar, within: Bounds, trials: int = 20_000) -> Counter[str]:
    sampler, draws = Sampler(grammar, within), Draws("frequencies")
    return Counter(sampler.sample(draws)[0] for _ in range(trials))


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ('"a"*', ["", "a", "a a", "a a a"]),
        ('"a"+', ["a", "a a", "a a a"]),
        ('"a"~1..2', ["a", "a a"]),
        ('"a"~2..9', ["a a", "a a a"]),
        ('"a"~2', ["a a"]),
        ('"a"?', ["", "a"]),
        ('"a" ("," "a")*', ["a", "a, a", "a, a, a"]),
        ('["a" ("," "a")*]', ["", "a", "a, a", "a, a, a"]),
        ("NAME", ["x", "y", "z"]),
        ('"a" | "b" | "c"', ["a", "b", "c"]),
        ('("a" | "b" | "c") "d"', ["a d", "b d", "c d"]),
    ],
)
def test_counts_and_names_are_uniform_over_what_is_feasible(body: str, texts: list[str]) -> None:
    lexicon = Lexicon(identifiers={"NAME": ("x", "y", "z", "w", "v")} if "NAME" in body else {})
    grammar = read_lark_text(f'start: {body}\nNAME: /[v-z]/\n%ignore " "', lexicon=lexicon)
    found = frequencies(grammar, Bounds(3, 3, 1))
    assert set(found) == set(texts)
    for text in texts:
        assert within_noise(found[text], 20_000, 1 / len(texts)), found


def test_a_repetition_or_option_whose_item_is_used_up_is_empty() -> None:
    grammar = read_lark_text('start: "a" start? ("b" start)* ["c" start ("," start)*]')
    assert frequencies(grammar, Bounds(1, 3, 1)) == {"a": 20_000}


def test_large_weights_are_drawn_without_a_table() -> None:
    bounded = BoundedGrammar(PAPER, Bounds(1, 1, 300))
    state = bounded.state(Reference("e"), (7,))
    assert set(state.table) == set(state.single) == {None}
    draws = Draws(3)
    closed = sum(state.draw(state.table, draws)[0][0] < CLOSING for _ in range(40_000))
    assert within_noise(closed, 40_000, 8 / 301)


@given(st.integers(0, 4), st.integers(0, 1000))
def test_a_redraw_avoids_what_it_should(choice: int, seed: int) -> None:
    state = BoundedGrammar(PAPER, Bounds(1, 1, 6)).state(Reference("e"), (2,))
    assert state.redraw(-2 - choice, Draws(seed))[0] != (choice,)
    assert state.redraw(-1, Draws(seed))[0][0] in range(5)


TREE_MUTATORS = {name: mutator for name, mutator in MUTATORS.items() if name != "zest"}


def children(limit: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[tuple[str, list[int]]], int]:
    """Children that mutators of trees make with room for so many states, and the most that was remembered."""
    monkeypatch.setattr("bonsai.states._MANY_STATES", limit)
    sampler, draws = Sampler(bundled("blocks"), Bounds(3, 3, 3)), Draws(1)
    parents = [
        Derivation(sampler.grammar, tuple(choices), text)
        for text, choices in (sampler.sample(draws) for _ in range(20))
    ]
    around = Surroundings(sampler, parents)
    found, most = [], 0
    for _ in range(5):
        for parent in parents:
            for registered in TREE_MUTATORS.values():
                found += mutate(registered.mutator, parent, around, draws)
                most = max(most, sampler.bounded.kept)
    return found, most


def test_what_is_remembered_is_bounded_and_does_not_matter_without_zest(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, roomy = children(20_000, monkeypatch)
    found, most = children(10, monkeypatch)
    assert found == expected
    assert most <= 5 * 10
    assert roomy > 5 * 5 * 10  # so the bound is what keeps it small


def test_a_symbol_that_is_not_the_grammars_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bonsai.states._MANY_STATES", 50)
    bounded = BoundedGrammar(PAPER, Bounds(1, 1, 2))
    for _ in range(1_000):
        assert bounded.allowed(Reference("e"), (0,)) == (0, 1, 2, 3, 4)
    assert bounded.kept <= 5 * 50
