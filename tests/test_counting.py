"""`count` against brute force."""

from itertools import chain, product
from math import log10

import pytest
from hypothesis import assume, given

from bonsai import BonsaiError, Bounds, Grammar, count, log10_count, read_lark_text
from bonsai.choices import Draws
from bonsai.grammar.model import Choice, Option, Reference, Repetition, Sequence, Symbol, Token, offers_choice
from bonsai.sampler import Sampler
from strategies import BUNDLED, bounds, bundled, generated_grammars

MANY = 600


class TooManyError(Exception):
    pass


class BruteForce:
    """All choice sequences within bounds, by trying everything: no feasibility, no states, no memory."""

    def __init__(self, grammar: Grammar, within: Bounds) -> None:
        self.grammar = grammar
        self.within = within

    def all(self, symbol: Symbol, path: tuple[str, ...]) -> list[tuple[int, ...]]:
        found = list(self.unchecked(symbol, path))
        if len(found) > MANY:
            raise TooManyError
        return found

    def unchecked(self, symbol: Symbol, path: tuple[str, ...]) -> "chain[tuple[int, ...]]":
        if isinstance(symbol, Reference):
            path = (*path, symbol.rule)
            if path.count(symbol.rule) > self.within.depth:
                return chain()
        records = offers_choice(self.grammar, symbol)
        return chain.from_iterable(
            ((choice, *rest) if records else rest for rest in self.sequences(parts, path))
            for choice, parts in self.options(symbol)
        )

    def options(self, symbol: Symbol) -> list[tuple[int, list[Symbol]]]:
        match symbol:
            case Token(terminal):
                found = self.grammar.terminals[terminal]
                size = len(found.values) or 1
                most = min(size, self.within.idents) if found.identifier else size
                return [(index, []) for index in range(most)]
            case Reference(rule):
                return [(i, [a]) for i, a in enumerate(self.grammar.rules[rule].alternatives)]
            case Choice(alternatives):
                return [(i, [a]) for i, a in enumerate(alternatives)]
            case Sequence(symbols):
                return [(0, list(symbols))]
            case Option(item):
                return [(0, []), (1, [item])]
            case Repetition(item, least, most, separator):
                largest = self.within.items if most is None else min(most, self.within.items)
                between: list[Symbol] = [] if separator is None else [separator]
                return [
                    (k, ([item, *between] * k)[: (len(between) + 1) * k - len(between)] if k else [])
                    for k in range(least, largest + 1)
                ]

    def sequences(self, parts: list[Symbol], path: tuple[str, ...]) -> list[tuple[int, ...]]:
        combinations = [()]
        for part in parts:
            options = self.all(part, path)
            if len(combinations) * len(options) > MANY:
                raise TooManyError
            combinations = [(*one, *other) for one, other in product(combinations, options)]  # type: ignore[misc]
        return combinations  # type: ignore[return-value]


def brute_force(grammar: Grammar, within: Bounds) -> list[tuple[int, ...]]:
    return BruteForce(grammar, within).all(Reference(grammar.start), ())


@given(generated_grammars(), bounds(2))
def test_count_agrees_with_brute_force(grammar: Grammar, within: Bounds) -> None:
    try:
        found = brute_force(grammar, within)
    except TooManyError:
        assume(False)
        raise
    assert len(set(found)) == len(found)
    assert count(grammar, within) == len(found)
    assert log10_count(grammar, within) == pytest.approx(log10(len(found)), abs=1e-9)


@given(generated_grammars(), bounds(2))
def test_the_sampler_reaches_exactly_what_is_counted(grammar: Grammar, within: Bounds) -> None:
    try:
        found = brute_force(grammar, within)
    except TooManyError:
        assume(False)
        raise
    sampler, draws = Sampler(grammar, within), Draws(1)
    assert all(tuple(sampler.replay(choices, draws)[1]) == choices for choices in found)
    assert {tuple(sampler.sample(draws)[1]) for _ in range(200)} <= set(found)


def test_counts_of_known_spaces() -> None:
    nested = read_lark_text('start: "(" start ")" | "x"')
    assert [count(nested, Bounds(1, 1, depth)) for depth in (1, 2, 3, 500)] == [1, 2, 3, 500]
    pairs = read_lark_text('start: "a" start start | "x"')
    assert [count(pairs, Bounds(1, 1, depth)) for depth in (1, 2, 3, 4)] == [1, 2, 5, 26]
    assert count(read_lark_text('start: ("a" | "b")*'), Bounds(1, 3, 1)) == 1 + 2 + 4 + 8


@pytest.mark.parametrize("name", BUNDLED)
def test_the_logarithm_agrees_with_the_exact_number(name: str) -> None:
    exact = count(bundled(name), Bounds(2, 2, 2))
    assert log10_count(bundled(name), Bounds(2, 2, 2)) == pytest.approx(log10(exact))


def test_numbers_too_large_to_write_down_are_refused_but_have_a_logarithm() -> None:
    grammar = read_lark_text('start: "a" start start start | "x" | "y"')
    assert log10_count(grammar, Bounds(1, 1, 40)) > 10**15
    with pytest.raises(BonsaiError, match="digits"):
        count(grammar, Bounds(1, 1, 40))


def test_too_many_cases_are_refused() -> None:
    grammar, bounds = bundled("minilua"), Bounds(2, 2, 3)
    with pytest.raises(BonsaiError, match="takes more than 100 cases"):
        log10_count(grammar, bounds, most_states=100)
    assert log10_count(grammar, bounds) > 0
