"""Judged inputs come in; what each of them was saved for goes out: what its reduction must still do.

As in the evaluation of the paper: the criterion by which an input was saved is what its reduction must meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bonsai.corpus import Input, PaperCorpus
from bonsai.feedback import Saving
from bonsai.targets.execution import Execution, Outcome


@dataclass(frozen=True, slots=True)
class Criterion:
    """Why an input was saved (Algorithm 2: "is interesting").

    A valid input was saved for the features that no valid input before it had: its reduction is valid and has all
    of them. An invalid one was saved for the features that no input before it had: its reduction has all of them,
    and is invalid or valid, for the criterion asks for no more. A reduction that does not parse, crashes or takes
    too long would never have been saved.
    """

    valid: bool
    features: int

    def met_by(self, execution: Execution) -> bool:
        """Whether an input with this execution would have been saved for the same reason."""
        judged = execution.outcome is Outcome.VALID or (execution.outcome is Outcome.INVALID and not self.valid)
        return judged and not self.features & ~execution.features


def criteria(judged: Sequence[Input]) -> list[Criterion | None]:
    """The criterion of each input; None for one that adds nothing.

    The inputs are replayed in the order given, if each of them adds something in it: so it may be the order in
    which they were saved. Otherwise in one that is found.
    """
    found = _replayed(judged, range(len(judged)))
    return found if None not in found else _replayed(judged, saving_order(judged))


def saving_order(judged: Sequence[Input]) -> list[int]:
    """The inputs by number, in an order in which all add something, if there is one; larger ones later.

    From the back: an input that has a feature to itself can be the last. Those that are left can only gain by it,
    so whoever can be last may be taken at once. Later inputs have less to keep: this order favours reduction.
    """
    left = sorted(range(len(judged)), key=lambda one: judged[one].size)
    order: list[int] = []
    while left:
        alone = _had_by_one([judged[one].features for one in left])
        alone_valid = _had_by_one([judged[one].features for one in left if judged[one].valid])
        last = [one for one in left if judged[one].features & (alone_valid if judged[one].valid else alone)]
        last = last or left[-1:]  # adds nothing, wherever it stands
        order = last + order
        left = [one for one in left if one not in last]
    return order


def _replayed(judged: Sequence[Input], order: Sequence[int]) -> list[Criterion | None]:
    corpus = PaperCorpus(Saving.UNRESTRICTED)
    found: dict[int, Criterion] = {}
    for number in order:
        one = judged[number]
        new = one.features & ~(corpus.covered_by_valid if one.valid else corpus.covered)
        if corpus.add(one):
            found[number] = Criterion(one.valid, new)
    return [found.get(number) for number in range(len(judged))]


def _had_by_one(masks: Sequence[int]) -> int:
    """The features that are in exactly one of the masks."""
    once = twice = 0
    for mask in masks:
        twice |= once & mask
        once |= mask
    return once & ~twice
