"""`bonsai export` as it is called."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from bonsai.cli import run
from cli.conftest import Complaint
from made_subjects import JSON_DRIVER, json_subject


@pytest.fixture
def call(tmp_path: Path) -> list[str]:
    json_subject(tmp_path / "subject")
    (tmp_path / "corpus/valid").mkdir(parents=True)
    for place, text in enumerate(["[]", "null", '{"a": 0, "a": 1}', "[0, 0]"]):
        (tmp_path / f"corpus/valid/{place}.json").write_text(text)
    return ["export", str(tmp_path / "corpus"), "--subject", str(tmp_path / "subject"), "-o", str(tmp_path / "out")]


def test_golden_files(call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*call, "--format", "files"]) == 0
    assert capsys.readouterr().out == f"4 tests in {tmp_path}/out\n"
    assert (tmp_path / "out/valid/3.json").read_text() == "[0, 0]"
    answers = [json.loads((tmp_path / f"out/valid/{place}.json.expected.json").read_text()) for place in range(4)]
    assert answers[2] == {"outcome": "invalid", "message": "repeated key"}
    assert answers[3] == {"outcome": "valid", "output": "twins"}


def test_an_update_says_what_has_changed(
    call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*call, "--format", "pytest"]) == 0
    (tmp_path / "subject/driver.py").write_text(JSON_DRIVER.replace('"twins"', '"pair"'))
    (tmp_path / "corpus/valid/1.json").unlink()
    capsys.readouterr()
    assert run([*call, "--format", "pytest", "--update"]) == 0
    assert capsys.readouterr().out == (
        f"3 tests in {tmp_path}/out\n0 files new, 3 changed, 2 gone\n"
        "  driver.py\n  expected/valid/3.json.json\n  test_json.py\n"
    )
    call[1] = str(tmp_path / "out/inputs")  # a suite can be refreshed from its own inputs
    assert run([*call, "--format", "pytest", "--update", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "tests": 3,
        "left_out": [],
        "varying": 0,
        "new": [],
        "changed": [],
        "gone": [],
    }


def test_a_zip_of_seeds_is_the_same_every_time(call: list[str], tmp_path: Path) -> None:
    assert run([*call, "--format", "zip", "--quiet"]) == 0
    first = (tmp_path / "out/json_seed_corpus.zip").read_bytes()
    with ZipFile(tmp_path / "out/json_seed_corpus.zip") as archive:
        assert archive.namelist() == [f"valid-{place}.json" for place in range(4)]
        assert archive.read("valid-3.json") == b"[0, 0]"
    assert run([*call, "--format", "zip", "--quiet", "--update"]) == 0
    assert (tmp_path / "out/json_seed_corpus.zip").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "pdf"], "--format"),
        ([], "--format"),
        (["--format", "files", "--update"], "no export to update"),
        (["--format", "files", "-o", "/dev/null/x"], "cannot write"),
        (["--format", "files", "--subject", "calc"], "no program to run"),
    ],
)
def test_a_bad_call_is_answered_in_one_line(
    call: list[str], arguments: list[str], words: str, complaint: Complaint
) -> None:
    assert words in complaint(*call, *arguments)
