"""Derivations come in; programs like them go out: random children, or all that are one step smaller."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from bonsai import pruning
from bonsai.bounds import Bounds
from bonsai.cbgf import METHODS
from bonsai.choices import Draws
from bonsai.corpus import Policy
from bonsai.derivation import Derivation
from bonsai.errors import BonsaiError
from bonsai.mutators import MUTATORS, Surroundings, mutate
from bonsai.parse_back import derivations
from bonsai.parsing import parser_for
from bonsai.sampler import Sampler
from bonsai.subject import Subject

MOST_ATTEMPTS = 20  # as many times as children are wanted


def parsed(subject: Subject, texts: Iterable[str]) -> list[Derivation]:
    """The derivations, all in one grammar, of those texts that the subject's grammar derives."""
    parser = parser_for(subject.grammar)
    found = []
    for text in texts:
        try:
            found.append(parser.parse(text))
        except BonsaiError:
            continue
    return derivations(subject.grammar, found)


def black_box(parents: Sequence[Derivation], bounds: Bounds, number: int, seed: object) -> list[Derivation]:
    """The paper's black-box fuzzer: its own mutator, within the same bounds whatever the parents are.

    A parent that exceeds them is no obstacle: replay maps what the bounds do not allow.
    """
    return children(parents, Sampler(parents[0].grammar, bounds), number, seed, METHODS[Policy.PAPER].mutators)


def children(
    parents: Sequence[Derivation],
    sampler: Sampler,
    number: int,
    seed: object,
    weights: Mapping[str, int] = METHODS[Policy.SMALLEST].mutators,
) -> list[Derivation]:
    """So many different programs that are no parents, made from all parents in turn, blindly, by some mutators."""
    mutators, cumulated = [MUTATORS[name].mutator for name in weights], list(accumulate(weights.values()))
    around, draws = Surroundings(sampler, parents), Draws((seed, "black box"))
    known = {parent.text for parent in parents}
    found: list[Derivation] = []
    for attempt in range(MOST_ATTEMPTS * number):
        [mutator] = draws.choices(mutators, cum_weights=cumulated)
        for text, choices in mutate(mutator, parents[attempt % len(parents)], around, draws):
            if text not in known:
                known.add(text)
                found.append(Derivation(sampler.grammar, tuple(choices), text))
        if len(found) >= number:
            return found[:number]
    return found


def smaller(derivation: Derivation, sampler: Sampler) -> list[Derivation]:
    """All programs that are one step away and smaller, the smallest first."""
    return [
        Derivation(derivation.grammar, tuple(choices), text)
        for text, choices in pruning.smaller(derivation, sampler)
    ]
