"""Which differences between a reference and a candidate count."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.answers import Compare, ErrorList, difference, first_difference, parse_json, read_error_list
from bonsai.errors import BonsaiError
from bonsai.tables import read_toml
from bonsai.targets.execution import Execution, Outcome

LISTED = ErrorList("errors.list", ("message", "location.0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def valid(output: object) -> Execution:
    return Execution(Outcome.VALID, output=json.dumps(output))


def invalid(output: object, message: str = "") -> Execution:
    return Execution(Outcome.INVALID, message=message, output=json.dumps(output))


def tree(*errors: tuple[str, int], **more: object) -> dict[str, Any]:
    return {"errors": {"list": [{"message": text, "location": [line, 7]} for text, line in errors]}, **more}


def why(
    reference: Execution,
    candidate: Execution,
    compare: Compare = Compare.OUTPUT,
    listed: ErrorList | None = None,
) -> str | None:
    found = difference(reference, candidate, compare, listed)
    return found.why if found else None


def test_the_order_of_keys_and_the_spelling_of_numbers_do_not_count() -> None:
    candidate = Execution(Outcome.VALID, output='{"b": 1.0, "a": [1e2]}')
    assert why(valid({"a": [100], "b": 1}), candidate) is None


def test_a_truth_value_is_no_number() -> None:
    assert why(valid({"a": 1}), valid({"a": True})) == "a: expected 1, got true"


def test_the_first_difference_is_named() -> None:
    reference, candidate = {"a": [{"b": 1}, {"c": 2}]}, {"a": [{"b": 1}, {"c": 3}]}
    assert why(valid(reference), valid(candidate)) == "a[1].c: expected 2, got 3"
    assert why(valid([1, 2]), valid([1])) == "[1]: expected 2, got nothing"
    assert why(valid([1]), valid([1, 2])) == "[1]: expected nothing, got 2"


def test_a_text_is_the_same_as_what_a_command_prints() -> None:
    assert why(valid("12"), Execution(Outcome.VALID, output="12\n")) is None
    assert why(valid("one two"), valid("one two\n")) == 'expected "one two", got "one two\\n"'


def test_a_crash_or_a_time_out_of_the_candidate_is_a_failure() -> None:
    for outcome in (Outcome.CRASH, Outcome.TIMEOUT):
        crashed = Execution(outcome, message="oh", output='"a"')
        for compare in Compare:
            assert why(valid("a"), crashed, compare) == f"{outcome.value}: oh"


def test_a_crash_of_the_reference_is_no_answer() -> None:
    with pytest.raises(BonsaiError, match="no answer"):
        difference(Execution(Outcome.CRASH), valid(1), Compare.OUTPUT, None)


def test_where_the_reference_shows_nothing_only_validity_counts() -> None:
    assert why(valid(None), valid("anything")) is None
    assert why(invalid(None), invalid("anything")) is None
    assert why(invalid(None), valid(None)) == 'expected "rejected", got "valid"'
    assert why(valid(None), invalid(None)) == 'expected "valid", got "rejected"'


def test_of_an_input_that_the_reference_cannot_parse_only_the_rejection_counts() -> None:
    reference = Execution(Outcome.UNPARSED, message="at 1", output="1")
    assert why(reference, invalid(2)) is None
    assert why(reference, Execution(Outcome.UNPARSED)) is None
    assert why(reference, valid(1)) is not None


def test_a_candidate_without_an_output_is_explained_in_its_own_words() -> None:
    note = "exit status 2, no JSON on stdout; stderr: no such file"
    silent = Execution(Outcome.INVALID, message="no such file", output="null", note=note)
    assert why(valid({"a": 1}), silent) == note
    assert why(invalid(tree(("bad", 1))), silent, listed=LISTED) == note
    assert why(valid(None), silent) == f'expected "valid", got "rejected" ({note})'
    talking = Execution(Outcome.VALID, output='"fine"', note="exit status 0, no JSON on stdout")
    assert why(valid([1]), talking) == 'expected [1], got "fine" (exit status 0, no JSON on stdout)'
    strange = Execution(Outcome.VALID, output="null", message="the output is no JSON: TypeError")
    assert why(valid([1]), strange) == "expected [1], got null (the output is no JSON: TypeError)"
    assert why(valid("a"), talking) == 'expected "a", got "fine"'
    other = Execution(Outcome.VALID, output="{}", note="exit status 0")
    assert (why(invalid(tree(("bad", 1))), other, listed=LISTED) or "").endswith("got null (exit status 0)")
    assert why(valid([1]), Execution(Outcome.VALID, output="[2]", note="exit status 0")) == "[0]: expected 1, got 2"


def test_errors_are_compared_by_their_parts_in_any_order() -> None:
    reference = invalid(tree(("bad", 1), ("worse", 2), kind="a"))
    assert why(reference, invalid(tree(("worse", 2), ("bad", 1), kind="b")), listed=LISTED) is None
    assert why(reference, invalid(tree(("worse", 3), ("bad", 1))), listed=LISTED) == (
        "missing error, line 2: worse; unexpected error, line 3: worse"
    )
    assert why(reference, invalid("no tree"), listed=LISTED) is not None


def test_lists_of_errors_are_aligned() -> None:
    reference = invalid(tree(("a", 1), ("b", 1), ("c", 2)))
    assert why(reference, invalid(tree(("b", 1), ("c", 2))), listed=LISTED) == "missing error, line 1: a"
    assert why(reference, invalid(tree()), listed=LISTED) == "missing error, line 1: a (and 2 more)"
    more = invalid(tree(("a", 1), ("a", 1), ("b", 1), ("c", 2)))
    assert why(reference, more, listed=LISTED) == "unexpected error, line 1: a"
    assert why(valid(tree(kind="x")), invalid(tree(("a", 3), kind="x")), listed=LISTED) == (
        "unexpected error, line 3: a"
    )
    assert why(valid(tree(kind="x")), valid(tree(kind="y")), listed=LISTED) == 'kind: expected "x", got "y"'


def test_an_exit_status_does_not_count_where_errors_are_listed() -> None:
    assert why(invalid(tree(("bad", 1))), valid(tree(("bad", 1))), listed=LISTED) is None
    assert why(valid(tree()), invalid(tree()), Compare.VALIDITY, LISTED) is None
    assert why(valid(tree()), valid(tree(("bad", 1))), Compare.VALIDITY, LISTED) is not None


def test_comparing_errors_leaves_the_output_of_valid_inputs_alone() -> None:
    assert why(valid(1), valid(2), Compare.ERRORS) is None
    assert why(valid(1), invalid(1), Compare.ERRORS) is not None
    assert why(invalid(1, "bad"), invalid(2, "bad"), Compare.ERRORS) is None
    assert why(invalid(1, "bad"), invalid(1, "worse"), Compare.ERRORS) == 'expected "bad", got "worse"'


def test_comparing_validity_looks_at_nothing_else() -> None:
    assert why(invalid(1, "bad"), invalid(2, "worse"), Compare.VALIDITY) is None
    assert why(invalid(1), valid(1), Compare.VALIDITY) is not None


@given(VALUES)
def test_a_value_is_the_same_as_itself_written_differently(value: object) -> None:
    again = parse_json(json.dumps(value, indent=1, sort_keys=True))
    assert first_difference(parse_json(json.dumps(value)), again) is None


@given(VALUES, VALUES)
def test_no_difference_means_the_same_json(one: object, other: object) -> None:
    left, right = (parse_json(json.dumps(value)) for value in (one, other))
    same = json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    assert (first_difference(left, right) is None) == same


def test_what_is_too_deep_to_read_is_compared_as_text() -> None:
    deep = "[" * 100_000
    assert why(Execution(Outcome.VALID, output=deep), Execution(Outcome.VALID, output=deep)) is None
    assert why(Execution(Outcome.VALID, output=deep), Execution(Outcome.VALID, output=deep + "1")) is not None


def test_not_a_number_is_itself() -> None:
    assert why(valid(float("nan")), valid(float("nan"))) is None
    assert why(Execution(Outcome.VALID, output="1e999"), Execution(Outcome.VALID, output="1e999")) is None


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('errors = "a"\n', "'parts' is missing"),
        ('errors = "a"\nparts = []\n', "nothing of an error"),
        ('error = "a"\n', "unknown key 'error'"),
        ("errors = 1\n", "errors is not a text"),
    ],
)
def test_a_bad_grading_table_is_refused(toml: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"[grading]\n{toml}")
    with pytest.raises(BonsaiError, match=words):
        read_error_list(read_toml(tmp_path / "a.toml").table("grading"))
