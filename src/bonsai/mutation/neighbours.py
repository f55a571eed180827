"""Derivations come in; programs like them go out: random children, or all that are one step smaller."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate

from bonsai.bounds import Bounds
from bonsai.cbgf import METHODS
from bonsai.choices import Draws, Edited
from bonsai.corpus import Policy, size_of
from bonsai.derivation import Derivation, Node, holding
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


def sampler_for(parents: Sequence[Derivation], bounds: Bounds) -> Sampler:
    """A sampler at the bounds, or at larger ones that hold all parents."""
    return Sampler(parents[0].grammar, reduce(Bounds.join, map(holding, parents), bounds))


def children(parents: Sequence[Derivation], sampler: Sampler, number: int, seed: object) -> list[Derivation]:
    """So many different programs that are no parents, made from all parents in turn, blindly, by all mutators."""
    weights = METHODS[Policy.SMALLEST].mutators
    mutators, cumulated = [MUTATORS[name] for name in weights], list(accumulate(weights.values()))
    around, draws = Surroundings(sampler, parents), Draws((seed, "black box"))
    known = {parent.text for parent in parents}
    found: list[Derivation] = []
    for attempt in range(MOST_ATTEMPTS * number):
        if len(found) == number:
            break
        [mutator] = draws.choices(mutators, cum_weights=cumulated)
        child = mutate(mutator, parents[attempt % len(parents)], around, draws)
        if child is not None and child[0] not in known:
            known.add(child[0])
            found.append(Derivation(sampler.grammar, tuple(child[1]), child[0]))
    return found


def smaller(derivation: Derivation, sampler: Sampler) -> list[Derivation]:
    """All programs that are one step away and smaller, the smallest first."""
    found: dict[str, Derivation] = {}
    for edited in _edits(derivation, sampler):
        text, choices = sampler.replay(edited, Draws("smaller"))
        if size_of(text) < size_of(derivation.text):
            found.setdefault(text, Derivation(derivation.grammar, tuple(choices), text))
    return sorted(found.values(), key=lambda one: size_of(one.text))


def _edits(derivation: Derivation, sampler: Sampler) -> Iterator[Edited]:
    """With one subtree at its shortest, or replaced by one inside it; without one item; with another name."""
    choices = derivation.choices

    def replaced(node: Node, own: Edited) -> Edited:
        return [*choices[: node.start], *own, *choices[node.end :]]

    for node in derivation.subtrees:
        yield replaced(node, sampler.continue_from(node.symbol, node.counts, (), Draws("shortest"), most=0))
    for node, inside in derivation.nested:
        yield from (replaced(node, choices[inner.start : inner.end]) for inner in inside)
    for node in derivation.repetitions:
        for place, item in enumerate(node.items):
            gone = (item, *node.separators[max(place - 1, 0) :][:1])
            kept = [child for child in node.children if child not in gone]
            yield replaced(node, [len(node.items) - 1, *(c for n in kept for c in choices[n.start : n.end])])
    for node in derivation.identifiers:
        yield from (replaced(node, [name]) for name in range(node.choice or 0))
