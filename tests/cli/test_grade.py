"""`bonsai grade` as it is called."""

import json
import sys
from pathlib import Path

import pytest

from bonsai.cli import run
from cli.conftest import Complaint
from made_subjects import JSON_DRIVER, json_subject


@pytest.fixture
def call(tmp_path: Path) -> list[str]:
    json_subject(tmp_path / "subject")
    (tmp_path / "corpus").mkdir()
    for place, text in enumerate(["[]", "null", '{"a": 0, "a": 1}', "[0, 0]"]):
        (tmp_path / f"corpus/{place}.json").write_text(text)
    (tmp_path / "good.py").write_text(JSON_DRIVER)
    (tmp_path / "bad.py").write_text(JSON_DRIVER.replace('"twins"', '"pair"'))
    return ["grade", str(tmp_path / "corpus"), "--subject", str(tmp_path / "subject"), "--jobs", "2"]


def test_the_exit_code_says_whether_all_tests_passed(
    call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*call, "--candidate", f"{tmp_path}/good.py:check"]) == 0
    assert capsys.readouterr().out == "4 of 4 tests passed\n"
    assert run([*call, "--candidate", f"{tmp_path}/bad.py:check"]) == 1
    assert "3.json\n    | [0, 0]\n" in capsys.readouterr().out


def test_json_and_a_file(call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call += ["--candidate", f"{tmp_path}/bad.py:check"]
    assert run([*call, "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert (printed["tests"], printed["passed"]) == (4, 3)
    assert [one["file"] for one in printed["failed"]] == ["3.json"]
    assert run([*call, "--format", "gradescope", "-o", str(tmp_path / "results.json")]) == 1
    assert capsys.readouterr().out == f"3 of 4 tests passed, in {tmp_path}/results.json\n"
    assert json.loads((tmp_path / "results.json").read_text())["score"] == 75


@pytest.mark.parametrize("form", ["json", "junit", "gradescope"])
def test_a_candidate_that_does_not_import_is_graded(call: list[str], tmp_path: Path, form: str) -> None:
    (tmp_path / "broken.py").write_text("raise KeyError('oh')")
    result = tmp_path / "result"
    assert run([*call, "--candidate", f"{tmp_path}/broken.py:check", "--format", form, "-o", str(result)]) == 1
    assert result.read_text().count("importing broken raised KeyError") >= 4


def test_a_command_that_cannot_work_says_so_once(
    call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("1", "2"):  # on these, to say nothing is the right answer
        (tmp_path / f"corpus/{name}.json").unlink()
    assert run([*call, "--candidate", f"{sys.executable} absent.py {{file}}"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(
        "0 of 2 tests passed; all 2 fail alike, 0.json for example:\n    | []\n  exit status 2, "
    )
    assert printed.count("no JSON on stdout; stderr: ") == printed.count("can't open file") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--candidate", "absent:check"], "there is no module absent"),
        (["--candidate", "absent.py:check"], "there is no file absent.py"),
        (["--candidate", "no-such-program {file}"], "no-such-program"),
        (["--candidate", "cat", "--format", "pdf"], "the formats are text, json, junit, gradescope"),
        (["--candidate", "cat", "--compare", "luck"], "--compare"),
        (["--candidate", "cat", "--timeout", "soon"], "'soon' is no duration"),
        (["--candidate", "cat", "--memory", "much"], "'much' is no amount of memory"),
        (["--candidate", "cat", "--jobs", "0"], "--jobs"),
        (["--candidate", "cat", "-o", "no/such/folder/file"], "cannot write"),
        ([], "--candidate"),
    ],
)
def test_a_bad_call_is_answered_in_one_line(
    call: list[str], arguments: list[str], words: str, complaint: Complaint
) -> None:
    assert words in complaint(*call, *arguments)
