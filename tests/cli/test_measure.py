"""`bonsai measure` and `bonsai doctor`: what they print, and what they refuse."""

import json
from pathlib import Path

import pytest

from bonsai import extras
from bonsai.cli import run
from cli.conftest import Complaint


def test_a_corpus_for_people_and_for_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    (tmp_path / "b.py").write_text("return\n")
    assert run(["measure", str(tmp_path), "--subject", "chocopy"]) == 0
    printed = capsys.readouterr().out
    assert "2, of them 50% valid (1 valid, 1 invalid, 0 unparsed, 0 crashes or time-outs)" in printed
    assert "mean 5.00" in printed
    assert run(["measure", str(tmp_path), "--subject", "chocopy", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["files"], figures["valid"]) == (2, 1)
    assert figures["branches"]["tool"].startswith("coverage.py")
    assert 0 < figures["branches"]["covered"] < figures["branches"]["total"]


def test_without_coverage_py_the_rest_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda *packages: [one for one in packages if one == "coverage"])
    (tmp_path / "a.py").write_text("pass\n")
    assert run(["measure", str(tmp_path), "--subject", "chocopy"]) == 0
    printed = capsys.readouterr()
    assert "1, of them 100% valid" in printed.out
    assert "branches" not in printed.out
    assert printed.err.startswith(
        "note: measuring coverage needs coverage, which is not installed (hint: in a clone"
    )
    assert run(["measure", str(tmp_path), "--subject", "chocopy", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["files"], figures["branches"], figures["lines"]) == (1, None, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--subject", "chocopy"], "nowhere: does not exist"),
        ([".", "--subject", "nothing"], "nothing: no such subject"),
        ([".", "--subject", "json"], "the subject json has no program to run"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    complaint: Complaint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text("[]")
    assert message in complaint("measure", *arguments)


def test_the_doctor_names_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("BONSAI_CHOCOPY_JAR", raising=False)
    assert run(["doctor", "--json"]) == 0
    findings = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert findings["Python"]["found"]
    assert findings["subject chocopy"]["found"] == "runs on the python engine"
    assert "matplotlib" in findings["extra evaluation"]["found"]
    for name in ("java", "javac", "Maven", "subject closure"):
        assert findings[name]["found"] is None
        assert "install" in findings[name]["hint"]
    assert run(["doctor", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("missing") for line in lines)
