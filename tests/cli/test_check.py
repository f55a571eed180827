"""`bonsai check`: a look at a grammar before growing."""

import json
from pathlib import Path

import pytest

from bonsai.cli import run
from bonsai.subject import bundled_subjects
from targets.jvm.tools import needs_java

KEYS = {
    "bounds",
    "rules",
    "recursive",
    "terminals",
    "identifiers",
    "log10",
    "samples",
    "mean_size",
    "max_size",
    "parsed",
    "unreadable",
    "warnings",
}


def subject(folder: Path, grammar: str, settings: str = "") -> str:
    (folder / "bonsai.toml").write_text(f'[grammar]\nfile = "g.lark"\n{settings}', encoding="utf-8")
    (folder / "g.lark").write_text(grammar, encoding="utf-8")
    return str(folder)


# The reference compiler needs a jar that is not ours to give out.
SUBJECTS = [
    pytest.param(name, marks=[pytest.mark.slow] if name in ("chocopy", "minilua") else [])
    for name in bundled_subjects()
    if name not in ("chocopy-reference", "closure")
]


@pytest.mark.parametrize("name", SUBJECTS)
def test_bundled_subjects_parse_back_without_a_warning(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", name, "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert captured.err == ""
    assert set(found) >= KEYS
    assert (found["unreadable"], found["warnings"]) == ([], [])
    assert found["parsed"] > 50


@pytest.mark.slow
@needs_java
def test_closure_rejects_some_of_what_its_grammar_derives(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "closure", "--json", "--bounds", "2,2,2"])  # quicker than at its own bounds
    found = json.loads(capsys.readouterr().out)
    assert (found["unreadable"], found["warnings"]) == ([], [])
    assert found["target"]["unparsed"] < 0.2  # what the parser checks beyond the grammar, such as strict names


def test_people_get_figures_and_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = subject(tmp_path, 'start: "a" N\nN: /[x-z]/\nlost: "b"\n', '[grammar.identifiers]\nN = ["x", "y"]\n')
    assert run(["check", folder]) == 0
    printed = capsys.readouterr().out
    assert "rules           2" in printed
    assert "parse back      100 of 100" in printed
    assert "warning rule lost is never used" in printed
    assert "warning N has 2 values: idents above that change nothing" in printed


def test_quiet_prints_no_more_than_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = subject(tmp_path, "start: N+\nN: /[x-z]/\n", '[grammar.identifiers]\nN = ["x", "y", "z"]\n')
    assert run(["check", folder, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_a_grammar_whose_programs_do_not_parse_back_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = subject(tmp_path, "start: N N\nN: /1+/\n")
    assert run(["check", folder, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["unreadable"]
    assert run(["check", folder]) == 1
    assert "does not parse back '11" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = subject(tmp_path, 'start: "a"* "b"*\n')
    printed = []
    for seed in ("0", "0", "1"):
        assert run(["check", folder, "--json", "--seed", seed]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]
