"""Pruning: finds smaller witnesses on the derivation trees of those that are known.

Every member of the corpus is taken apart, by one step at a time: items of a repetition are left out, a subtree is
replaced by one of the same nonterminal inside it or by another alternative completed the shortest way, names give
way to earlier ones. All smaller texts that come of it are offered to the corpus, where they replace larger
witnesses; what is saved is taken apart in turn, until no such step makes any witness smaller.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from bonsai.choices import Draws, Edited
from bonsai.corpus import Corpus, Input, size_of
from bonsai.derivation import Derivation, Node
from bonsai.grammar.model import Repetition, Token
from bonsai.sampler import Sampler

Program = tuple[str, list[int]]
Offer = Callable[[Sequence[Program]], None]  # executes programs, and adds them to the corpus where they improve it

ALL_SUBSETS = 4  # up to so many items, every selection of them is tried


class Pruner:
    """Takes the members of a corpus apart, always the smallest that was not taken apart yet.

    All that it will do depends on the corpus and on which members wait, so it can be stopped between two steps.
    """

    def __init__(self, corpus: Corpus, sampler: Sampler, offer: Offer) -> None:
        self._corpus = corpus
        self._sampler = sampler
        self._offer = offer
        self._done: set[Input] = set()

    def waiting(self) -> list[Input]:
        """Returns the members that were not taken apart yet, the smallest first."""
        return [member for member in self._corpus.inputs() if member not in self._done]

    def restore(self, members: Sequence[Input], waiting: Sequence[int]) -> None:
        """Goes on where `waiting` was taken; these are the indices of its members."""
        self._done = set(members).difference(members[index] for index in waiting)

    def step(self) -> bool:
        """Offers the reductions of the next member. Returns False if all members were taken apart."""
        member = next((member for member in self._corpus.inputs() if member not in self._done), None)
        if member is None:
            return False
        self._offer(smaller(Derivation(self._sampler.grammar, member.choices, member.text), self._sampler))
        self._done.add(member)
        return True


def prune(corpus: Corpus, sampler: Sampler, offer: Offer) -> None:
    """Offers the reductions of every member until there is none that was not taken apart."""
    pruner = Pruner(corpus, sampler, offer)
    while pruner.step():
        pass


def smaller(derivation: Derivation, sampler: Sampler) -> list[Program]:
    """The programs one step below a derivation, the smallest first."""
    size = size_of(derivation.text)
    draws = Draws("shortest")  # nothing depends on them: what is not given is completed the shortest way
    found: dict[str, list[int]] = {}
    for edited in reductions(derivation, sampler):
        text, choices = sampler.replay(edited, draws)
        if size_of(text) < size:
            found.setdefault(text, choices)
    return sorted(found.items(), key=lambda program: size_of(program[0]))


def reductions(derivation: Derivation, sampler: Sampler) -> Iterator[Edited]:
    """Edited choices, one step from a derivation each. Not all of them are smaller."""
    for node in derivation.tree.walk():
        if node.choice is None:
            continue
        if isinstance(node.symbol, Repetition):
            yield from _with_fewer_items(derivation, node)
        else:
            yield from _with_other_alternative(derivation, node, sampler)
    for node, inner in derivation.nested:
        for one in inner:
            yield _replaced(derivation, node, derivation.choices[one.start : one.end])
    yield from _with_earlier_names(derivation)


def _replaced(derivation: Derivation, node: Node, choices: Sequence[int]) -> list[int]:
    return [*derivation.choices[: node.start], *choices, *derivation.choices[node.end :]]


def _with_fewer_items(derivation: Derivation, node: Node) -> Iterator[Edited]:
    """Some items of a repetition left out: all selections of a few, otherwise all but one, and halves."""
    items, separators = node.items, node.separators
    number = len(items)
    kept: list[Sequence[int]]
    if number <= ALL_SUBSETS:
        kept = [chosen for most in range(number) for chosen in combinations(range(number), most)]
    else:
        half = number // 2
        kept = [[*range(one), *range(one + 1, number)] for one in range(number)]
        kept += [[], range(half), range(half, number)]
    for chosen in kept:
        choices = [len(chosen)]
        for place, one in enumerate(chosen):
            if place and separators:
                choices += derivation.choices[separators[place - 1].start : separators[place - 1].end]
            choices += derivation.choices[items[one].start : items[one].end]
        yield _replaced(derivation, node, choices)


def _with_other_alternative(derivation: Derivation, node: Node, sampler: Sampler) -> Iterator[Edited]:
    """Another alternative, or absence, or another value; completed the shortest way."""
    draws = Draws("shortest")
    for choice in sampler.bounded.allowed(node.symbol, node.counts):
        if choice != node.choice:
            _, completed = sampler.continue_from(node.symbol, node.counts, (choice,), draws, most=0)
            yield _replaced(derivation, node, completed)


def _with_earlier_names(derivation: Derivation) -> Iterator[Edited]:
    """All occurrences of a name replaced by an earlier one."""
    names = {(node.symbol, node.choice) for node in derivation.identifiers}
    for symbol, choice in sorted(names, key=repr):
        assert isinstance(symbol, Token)
        for earlier in range(choice or 0):
            edited = list(derivation.choices)
            for node in derivation.identifiers:
                if (node.symbol, node.choice) == (symbol, choice):
                    edited[node.start] = earlier
            yield edited
