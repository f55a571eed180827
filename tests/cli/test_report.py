"""`bonsai report`, and the report at the end of every run."""

import json
from pathlib import Path

import pytest

from bonsai.cli import run
from cli.conftest import Complaint
from made_subjects import json_subject


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reported")
    json_subject(folder / "subject")
    arguments = ["grow", str(folder / "subject"), "--bounds", "2,2,2", "--budget", "150x", "--quiet"]
    assert run([*arguments, "-o", str(folder / "out")]) == 0
    return folder / "out"


def test_every_run_ends_with_a_report(out: Path, tmp_path: Path) -> None:
    subject = str(out.parent / "subject")
    assert run(["fuzz", subject, "--budget", "400x", "-o", str(tmp_path / "fuzzed"), "--quiet"]) == 0
    assert run(["merge", str(out), "--subject", subject, "-o", str(tmp_path / "merged"), "--quiet"]) == 0
    for folder in (out, tmp_path / "fuzzed", tmp_path / "merged"):
        page = (folder / "report.html").read_text()
        assert "if isinstance(value[0], list):" in page  # the target's source, as a reason for some test
        for path in sorted((folder / "corpus").rglob("*.json")):
            assert path.name in page


def test_names_and_captions_tell_the_tests_apart(out: Path) -> None:
    files = sorted(str(path.relative_to(out / "corpus")) for path in (out / "corpus").rglob("*.json"))
    assert "invalid/0001-list-in-a-list.json" in files
    index = (out / "corpus/INDEX.md").read_text()
    assert all(f"[{name}]({name}) " in index for name in files)
    assert "smallest witness of `driver:" in index


def test_the_command_writes_it_again_with_a_comparison(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/x.json").write_text("[1, 2, 3]")
    (out / "report.html").unlink()
    assert run(["report", str(out), "--compare", str(tmp_path / "theirs")]) == 0
    assert "report.html" in capsys.readouterr().out
    assert "<h3>theirs</h3>" in (out / "report.html").read_text()


def test_a_report_that_fails_does_not_lose_the_run(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("bonsai.report.page.write_page", broken)
    subject = str(out.parent / "subject")
    assert run(["fuzz", subject, "--budget", "50x", "-o", str(tmp_path / "o"), "--quiet"]) == 0
    errors = capsys.readouterr().err
    assert "no ink" in errors
    assert errors.count("\n") == 1
    assert json.loads((tmp_path / "o/run.json").read_text())["corpus"]["files"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "no run in"),
        (["{out}", "--compare", "nowhere"], "does not exist"),
        (["{out}", "--subject", "nowhere"], "no such subject"),
    ],
)
def test_wrong_calls(arguments: list[str], words: str, out: Path, complaint: Complaint) -> None:
    assert words in complaint("report", *(one.format(out=out) for one in arguments))
