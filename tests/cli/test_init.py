"""`bonsai init` as it is called."""

from pathlib import Path

import pytest

from bonsai.cli import run
from bonsai.subject import BUNDLED
from cli.conftest import Complaint


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_says_what_it_wrote_and_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "new"]) == 0
    assert capsys.readouterr().out == (
        "new: bonsai.toml, driver.py, grammar.lark\ncovers driver\n"
        "Next: bonsai check new, then bonsai grow new -o out\n"
    )
    assert run(["check", "new"]) == 0


def test_a_grammar_and_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    grammar = str(BUNDLED / "json/json.lark")
    assert run(["init", "new", "--from-lark", grammar, "--call", "json:loads", "--suffix", ".json"]) == 0
    assert "covers json.*\n" in capsys.readouterr().out
    assert run(["init", "other", "--from-lark", grammar]) == 0
    assert "call yours there" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise KeyError('oh')", "the driver crashes or hangs: 100% of"),
        ("raise SyntaxError('no')", "the driver does not parse: 100% of"),
        ("return text", ""),
    ],
)
def test_a_driver_that_does_not_work_is_tried_and_warned_of(
    body: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text(f"def read(text):\n    {body}\n")
    assert (
        run(["init", "new", "--from-lark", str(BUNDLED / "json/json.lark"), "--call", "mine:read", "--quiet"]) == 0
    )
    printed = capsys.readouterr()
    assert printed.out == "new\n"
    assert printed.err.startswith(f"warning: {words}" if words else "")
    assert printed.err.count("\n") == bool(words)


def test_a_module_in_the_current_folder_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text("import json\ndef read(text):\n    return json.loads(text)\n")
    grammar = str(BUNDLED / "json/json.lark")
    assert run(["init", "tests/new", "--from-lark", grammar, "--call", "mine:read"]) == 0
    assert 'path = ["../.."]' in Path("tests/new/bonsai.toml").read_text()
    Path("corpus").mkdir()
    Path("corpus/1.txt").write_text("[]")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(["check", "../tests/new"]) == 0
    assert run(["measure", "../corpus", "--subject", "../tests/new"]) == 0
    assert "1 valid, 0 invalid" in capsys.readouterr().out
    assert run(["explain", "../corpus/1.txt", "--subject", "../tests/new"]) == 0
    assert "def read(text):" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'DIR'"),
        (["new", "--from-lark", "absent.lark"], "absent.lark: cannot read it"),
        (["new", "--call", "absent:check"], "there is no module absent"),
        (["new", "--call", "json"], "names no function"),
        (["new", "--suffix", "sql"], "--suffix: 'sql' is no file suffix"),
        (["/dev/null"], "/dev/null is not a folder"),
        (["/dev/null/new"], "cannot write"),
    ],
)
def test_a_bad_call_is_answered_in_one_line(arguments: list[str], words: str, complaint: Complaint) -> None:
    assert words in complaint("init", *arguments)
