"""`bonsai mutants`, on a tiny subject."""

import json
from pathlib import Path

import pytest

from bonsai.cli import run
from cli.conftest import Complaint
from tiny_subject import write_tiny_subject


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    for name in ("subject", "corpus"):
        (tmp_path / name).mkdir()
    write_tiny_subject(tmp_path / "subject")
    (tmp_path / "corpus/1.txt").write_text("(1)")
    (tmp_path / "corpus/2.txt").write_text("0 1 2")
    return ["mutants", str(tmp_path / "corpus"), "--subject", str(tmp_path / "subject")]


def test_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--fuzz", "50x", "--json", "--jobs", "2"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["score"] == round(figures["killed"] / figures["mutants"], 5)
    assert figures["killed"] <= figures["fuzz"]["killed"] == figures["mutants"] - len(figures["survivors"])
    assert figures["fuzz"]["score"] >= figures["score"] > 0
    assert figures["seconds"] > 0
    assert sum(figures["ended"].values()) == figures["killed"]
    assert all(" → " in one["change"] for one in figures["survivors"])


def test_for_people(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0
    printed = capsys.readouterr().out
    assert "killed by the corpus alone" in printed
    assert "survived  tiny_program:" in printed
    assert run([*arguments, "--quiet"]) == 0
    assert 0 < float(capsys.readouterr().out) < 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fuzz", "60s"], "no number of executions"),
        (["--fuzz", "lots"], "a budget"),
        (["--jobs", "0"], "jobs"),
    ],
)
def test_wrong_options(arguments: list[str], options: list[str], words: str, complaint: Complaint) -> None:
    assert words in complaint(*arguments, *options)
