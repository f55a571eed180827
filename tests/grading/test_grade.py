"""Grading a candidate on a corpus."""

from pathlib import Path

import pytest

import bonsai
from bonsai.answers import Compare
from bonsai.corpus_folder import CorpusFile
from bonsai.errors import BonsaiError
from bonsai.grading.candidates import Limits, read_candidate
from bonsai.grading.grade import Grade, grade
from made_subjects import JSON_DRIVER, json_subject

TEXTS = ["[]", "null", "true", '{"a": 0, "a": 1}', "[[], []]", '"b"', "[[1]]", "[0, 0]"]
FILES = [CorpusFile(f"{number}.json", text) for number, text in enumerate(TEXTS)]


@pytest.fixture
def subject(tmp_path: Path) -> bonsai.Subject:
    return json_subject(tmp_path / "subject")


def graded(
    subject: bonsai.Subject,
    source: str,
    compare: Compare = Compare.OUTPUT,
    jobs: int = 1,
    limits: Limits | None = None,
) -> Grade:
    path = subject.folder.parent / "candidate.py"
    path.write_text(source)
    return grade(subject, FILES, read_candidate(f"{path}:check"), compare, limits, jobs)


def test_the_reference_passes(subject: bonsai.Subject) -> None:
    result = graded(subject, JSON_DRIVER)
    assert (len(result.passed), result.failed, result.skipped) == (len(TEXTS), [], ())


@pytest.mark.parametrize("jobs", [1, 3, 20])
def test_failing_tests_come_smallest_first_for_any_number_of_jobs(subject: bonsai.Subject, jobs: int) -> None:
    wrong = JSON_DRIVER.replace('return "twins"', 'return "pair"').replace('return "b"', "return 0")
    result = graded(subject, wrong, jobs=jobs)
    assert [(one.file.text, one.difference.why) for one in result.failed if one.difference] == [
        ('"b"', 'expected "b", got 0'),
        ("[0, 0]", 'expected "twins", got "pair"'),
        ("[[], []]", 'expected "twins", got "pair"'),
    ]


def test_how_much_is_compared_makes_a_difference(subject: bonsai.Subject) -> None:
    wrong = JSON_DRIVER.replace('return "b"', "return 0").replace("repeated key", "key repeated")
    assert len(graded(subject, wrong).failed) == 1
    assert graded(subject, wrong, Compare.VALIDITY).failed == []
    assert [one.file.text for one in graded(subject, wrong, Compare.ERRORS).failed] == ['{"a": 0, "a": 1}']


def test_whatever_a_candidate_does_the_others_are_graded(subject: bonsai.Subject) -> None:
    wrong = JSON_DRIVER.replace('return "null"', "while True: pass").replace('return "b"', "import os; os._exit(3)")
    result = graded(subject, wrong.replace('return "truth"', "x = bytearray(2**33)"), limits=Limits(timeout=0.3))
    assert {one.file.text for one in result.failed} == {"null", '"b"', "true"}
    assert (
        "timeout: no answer"
        in {one.file.text: one.difference.why for one in result.failed if one.difference}["null"]
    )


def test_a_candidate_that_does_not_start_fails_every_test(subject: bonsai.Subject) -> None:
    result = graded(subject, "raise KeyError(1)", jobs=3)
    assert (len(result.failed), result.passed) == (len(TEXTS), [])
    why = "crash: the candidate cannot be started: call: importing candidate raised KeyError: 1 (candidate.py:1)"
    assert result.alike is not None
    assert result.alike.startswith(why)
    assert result.alike.endswith(f"shows more, in {subject.folder.parent})")


@pytest.mark.slow
def test_a_candidate_that_does_not_start_again_fails_the_tests_from_there_on(subject: bonsai.Subject) -> None:
    wrong = JSON_DRIVER.replace('return "null"', "import os; os.remove(__file__); os._exit(3)")
    result = graded(subject, wrong)
    assert [one.file.text for one in result.passed] == ["[]", '"b"']
    assert result.alike is None


def test_where_the_reference_crashes_a_test_is_skipped(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "broken", JSON_DRIVER.replace('return "null"', "raise KeyError(1)"))
    result = graded(subject, JSON_DRIVER)
    assert (len(result.graded), result.skipped) == (len(TEXTS) - 1, ("1.json",))


def test_a_reference_that_answers_nothing_is_an_error(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "broken", "def check(text): raise KeyError(1)")
    with pytest.raises(BonsaiError, match="no answer to any"):
        graded(subject, JSON_DRIVER)
