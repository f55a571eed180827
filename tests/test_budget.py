"""Stopping rules."""

import pytest

from bonsai import BonsaiError
from bonsai.budget import Auto, Budget, Executions, Progress, Seconds, Within, parse_budget
from bonsai.ending import Ending


def progress(
    executions: int = 0,
    generated: int = 0,
    seconds: float = 0,
    residual: float = 1,
    since_change: int = 0,
    members: int = 0,
) -> Progress:
    return Progress(executions, generated, seconds, residual, since_change, members)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("auto", Auto()),
        ("60s", Seconds(60)),
        ("1.5m", Seconds(90)),
        ("500ms", Seconds(0.5)),
        ("5000x", Executions(5000)),
    ],
)
def test_budgets_are_read_from_text(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["", "0x", "0s", "60", "x", "-5s", "fast", "1e3x"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BonsaiError, match="budget"):
        parse_budget(text)


def test_executions_end_by_number_or_in_a_space_that_is_used_up() -> None:
    assert Executions(10).exhausted(progress(executions=9)) is None
    assert Executions(10).exhausted(progress(executions=10)) is Ending.FINISHED
    assert Executions(10).exhausted(progress(executions=1, generated=200)) is Ending.EXHAUSTED


def test_seconds() -> None:
    assert Seconds(2).exhausted(progress(seconds=1.9)) is None
    assert Seconds(2).exhausted(progress(seconds=2)) is Ending.FINISHED


def test_time_that_was_spent_before_is_not_charged_again() -> None:
    assert Within(Auto(), 30).exhausted(progress(seconds=30)) is Ending.OUT_OF_TIME
    again = Within(Auto(), 30, since=40)
    assert again.exhausted(progress(seconds=69)) is None
    assert again.exhausted(progress(seconds=70)) is Ending.OUT_OF_TIME


def test_a_budget_that_is_used_up_in_time_is_no_matter_of_time() -> None:
    assert Within(Executions(5), 30).exhausted(progress(executions=5, seconds=30)) is Ending.FINISHED


def test_auto_wants_both_signs_and_waits_longer_for_a_larger_corpus() -> None:
    auto = Auto(residual=0.01, quiet=100, quiet_per_member=10)
    assert auto.exhausted(progress(residual=0.001, since_change=99)) is None
    assert auto.exhausted(progress(residual=0.5, since_change=100)) is None
    assert auto.exhausted(progress(residual=0.001, since_change=100)) is Ending.SATURATED
    assert auto.exhausted(progress(residual=0.001, since_change=100, members=1)) is None
    assert auto.exhausted(progress(residual=0.5, since_change=1000)) is Ending.SATURATED
