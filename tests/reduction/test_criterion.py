"""What an input was saved for, and the order in which a corpus may have been saved."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.corpus import Input, PaperCorpus
from bonsai.feedback import Saving
from bonsai.reduction.criterion import Criterion, criteria, saving_order
from bonsai.targets.execution import Execution, Outcome

offered = st.lists(
    st.builds(
        Input,
        text=st.text(alphabet="ab ", max_size=6),
        choices=st.just(()),
        valid=st.booleans(),
        features=st.integers(0, 255),
    ),
    max_size=20,
)


def saved(inputs: list[Input]) -> list[Input]:
    """What the paper's policy keeps, in the order in which it was saved."""
    corpus = PaperCorpus(Saving.UNRESTRICTED)
    for one in inputs:
        corpus.add(one)
    return corpus.inputs()


def execution(one: Input) -> Execution:
    return Execution(Outcome.VALID if one.valid else Outcome.INVALID, one.features)


@given(offered)
def test_in_the_order_of_saving_each_input_has_what_was_new_in_it(inputs: list[Input]) -> None:
    any_seen = valid_seen = 0
    members = saved(inputs)
    for one, criterion in zip(members, criteria(members), strict=True):
        assert criterion == Criterion(one.valid, one.features & ~(valid_seen if one.valid else any_seen))
        assert criterion.features
        assert criterion.met_by(execution(one))
        any_seen |= one.features
        valid_seen |= one.features if one.valid else 0


@given(offered, st.integers())
def test_an_order_of_saving_is_found_whenever_there_is_one(inputs: list[Input], seed: int) -> None:
    members = saved(inputs)
    Random(seed).shuffle(members)
    assert sorted(saving_order(members)) == list(range(len(members)))
    found = criteria(members)
    assert None not in found
    assert all(one and one.met_by(execution(member)) for one, member in zip(found, members, strict=True))


@given(offered)
def test_together_the_criteria_ask_for_all_features(inputs: list[Input]) -> None:
    asked = asked_valid = 0
    for one in criteria(inputs):
        asked |= one.features if one else 0
        asked_valid |= one.features if one and one.valid else 0
    covered = saved(inputs)
    assert asked == sum(1 << i for i in range(8) if any(one.features >> i & 1 for one in covered))
    assert asked_valid == sum(
        1 << i for i in range(8) if any(one.valid and one.features >> i & 1 for one in covered)
    )


def test_larger_inputs_come_later_and_have_less_to_keep() -> None:
    large, small = Input("aaaa", (), True, 0b011), Input("a", (), True, 0b110)
    assert criteria([large, small]) == [Criterion(True, 0b011), Criterion(True, 0b100)]  # the order given will do
    within = Input("aa", (), True, 0b010)
    assert saving_order([large, small, within]) == [2, 1, 0]
    kept = criteria([large, small, within])
    assert kept == [Criterion(True, 0b001), Criterion(True, 0b100), Criterion(True, 0b010)]


def test_of_two_that_do_the_same_the_larger_adds_nothing() -> None:
    twins = [Input("aaaa", (), True, 0b11), Input("a", (), True, 0b11)]
    assert criteria(twins) == [None, Criterion(True, 0b11)]


@pytest.mark.parametrize(
    ("criterion", "found", "met"),
    [
        (Criterion(True, 0b1), Execution(Outcome.VALID, 0b11), True),
        (Criterion(True, 0b1), Execution(Outcome.INVALID, 0b11), False),
        (Criterion(True, 0b101), Execution(Outcome.VALID, 0b11), False),
        (Criterion(False, 0b1), Execution(Outcome.INVALID, 0b1), True),
        (Criterion(False, 0b1), Execution(Outcome.VALID, 0b1), True),
        (Criterion(False, 0b1), Execution(Outcome.UNPARSED, 0b1), False),
        (Criterion(False, 0b1), Execution(Outcome.CRASH, 0b1), False),
        (Criterion(False, 0b1), Execution(Outcome.TIMEOUT, 0b1), False),
    ],
)
def test_who_meets_a_criterion(criterion: Criterion, found: Execution, met: bool) -> None:
    assert criterion.met_by(found) is met
