"""`bonsai reduce`, for real."""

import json
from pathlib import Path

import pytest

from bonsai.cli import run
from cli.conftest import Complaint

TEXTS = {"valid/1.py": "x:int = 1\nif x == 1:\n    print(x)\n", "invalid/1.py": "print(1 + True)\npass\nfoo\n"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "in"


def test_the_corpus_is_written_under_its_old_names(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["reduce", str(corpus), "--subject", "chocopy", "--method", "grammar", "-o", str(tmp_path / "out")]
    assert run([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    stored = json.loads((tmp_path / "out/reduction.json").read_text())
    assert {key: stored[key] for key in printed} == printed
    assert printed["files"] == 2
    assert printed["method"] == "grammar"
    assert printed["after"]["mean_size"] < printed["before"]["mean_size"]
    assert printed["tests"] > 2
    assert printed["seconds"] > 0
    assert printed["cpu_seconds"] > 0
    assert not printed["interrupted"]
    for name, text in TEXTS.items():
        assert 0 < len((tmp_path / "out/corpus" / name).read_text()) <= len(text)
    assert [one["file"] for one in stored["inputs"]] == ["invalid/1.py", "valid/1.py"]

    assert run([*arguments, "--quiet"]) == 2
    assert "exists" in capsys.readouterr().err
    assert run([*arguments, "--force"]) == 0
    assert "2 inputs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["absent", "--subject", "chocopy"], "does not exist"),
        (["in", "--subject", "absent"], "no such subject"),
        (["in", "--subject", "json"], "no program to run"),
        (["in", "--subject", "chocopy", "--method", "magic"], "method"),
        (["in", "--subject", "chocopy", "--jobs", "0"], "jobs"),
    ],
)
def test_wrong_options(
    options: list[str],
    words: str,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    complaint: Complaint,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in complaint("reduce", *options, "-o", "out")
    assert not (tmp_path / "out").exists()
