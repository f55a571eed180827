"""What a grade looks like for people and for programs."""

import json
from xml.etree import ElementTree

import pytest

from bonsai.answers import Compare, Difference
from bonsai.corpus_folder import CorpusFile
from bonsai.grading.formats import FORMATS, Scoring, Visibility
from bonsai.grading.grade import Grade, Graded

NASTY = '<a href="x">]]>&\x00\x1b\ud800'
WRONG = Difference({"type": "int"}, {"type": "str"}, 'type: expected "int", got "str"')


def grade(*failing: str, passing: int = 1, skipped: tuple[str, ...] = ()) -> Grade:
    graded = [Graded(CorpusFile(f"{text[:1]}.txt", text), WRONG, 0.25) for text in failing]
    graded += [Graded(CorpusFile(f"good{place}.txt", "good"), None, 0.25) for place in range(passing)]
    return Grade("made", Compare.OUTPUT, tuple(graded), skipped)


def test_text_shows_the_smallest_in_full_and_the_rest_by_name() -> None:
    shown = FORMATS["text"](grade(*"abcdefg", skipped=("s.txt",)), Scoring())
    assert shown.startswith(
        "1 of 8 tests passed, 7 failed; the smallest first:\n\na.txt\n    | a\n  type: expected"
    )
    assert shown.count("    | ") == 5
    assert 'and 2 more:\nf.txt  type: expected "int", got "str"\n' in shown
    assert shown.endswith("1 skipped, where the reference has no answer: s.txt\n")


def test_text_is_not_too_long_and_safe_to_print() -> None:
    shown = FORMATS["text"](grade("\x1b[2J\n" + "a" * 10_000), Scoring())
    assert "    | \\x1b[2J\n    | aaa" in shown
    assert "\n    | …\n  type: expected" in shown
    assert len(shown) < 3000


def test_text_when_all_is_well() -> None:
    assert FORMATS["text"](grade(passing=3), Scoring()) == "3 of 3 tests passed\n"


def test_what_all_tests_have_in_common_is_said_once() -> None:
    alike = grade(*"abcdefg", passing=0)
    assert FORMATS["text"](alike, Scoring()) == (
        '0 of 7 tests passed; all 7 fail alike, a.txt for example:\n    | a\n  type: expected "int", got "str"\n'
    )
    top = json.loads(FORMATS["gradescope"](alike, Scoring()))["output"]
    assert top == '0 of 7 tests passed. type: expected "int", got "str"'


def test_json_has_the_keys_that_scripts_rely_on() -> None:
    found = json.loads(FORMATS["json"](grade("a", NASTY), Scoring()))
    assert (found["tests"], found["passed"], len(found["failed"])) == (3, 1, 2)
    assert found["failed"][0]["file"] == "a.txt"
    assert found["failed"][0]["expected"] == {"type": "int"}
    assert found["failed"][0]["got"] == {"type": "str"}
    assert found["failed"][1]["input"] == NASTY


def test_junit_is_xml_that_counts_right_whatever_the_input() -> None:
    text = FORMATS["junit"](grade("a", NASTY, passing=2, skipped=("s.txt",)), Scoring())
    [suite] = ElementTree.fromstring(text.encode("utf-8"))
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "5",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
        "time": "1.000",
    }
    assert [case.get("name") for case in suite] == ["a.txt", "<.txt", "good0.txt", "good1.txt", "s.txt"]
    assert len(suite.findall("testcase/failure")) == 2
    assert len(suite.findall("testcase/skipped")) == 1
    assert '<a href="x">]]>&' in (suite.findall("testcase/failure")[1].text or "")


@pytest.mark.parametrize("visibility", list(Visibility))
def test_gradescope_scores_add_up(visibility: Visibility) -> None:
    found = json.loads(FORMATS["gradescope"](grade("a", "b", passing=4), Scoring(30, visibility)))
    assert found["score"] == 20
    assert [test["status"] for test in found["tests"]] == ["failed"] * 2 + ["passed"] * 4
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(20)
    assert sum(test["max_score"] for test in found["tests"]) == pytest.approx(30)
    assert {test["visibility"] for test in found["tests"]} == {visibility.value}
    assert 'Difference:\n    type: expected "int"' in found["tests"][0]["output"]
