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
def test_closure_reads_what_its_grammar_derives(capsys: pytest.CaptureFixture[str]) -> None:
    """Nearly: an `in` at the head of a `for` is a matter of context that a grammar this small does not know."""
    assert run(["check", "closure", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    by_chance = "was not used"  # by few samples of a grammar with hundreds of alternatives
    assert (found["unreadable"], [one for one in found["warnings"] if by_chance not in one]) == ([], [])
    assert found["target"]["unparsed"] <= 0.01
    assert found["target"]["valid"] > 0.1


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


TARGET = '[target]\nengine = "python"\ncall = "driver:check"\ncover = ["driver"]\ntimeout = "{}"\n'


def faulty(folder: Path, body: str, timeout: str = "10s") -> str:
    (folder / "driver.py").write_text(f"def check(text):\n    {body}\n", encoding="utf-8")
    return subject(folder, 'start: N "a"*\nN: /[x-z]/\n', TARGET.format(timeout))


def test_a_target_that_always_crashes_fails_the_check_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = faulty(tmp_path, "raise KeyError('misspelt')")
    assert run(["check", folder]) == 1
    printed = capsys.readouterr().out
    assert "KeyError: 'misspelt'" in printed
    assert "no sample is judged" in printed
    assert run(["check", folder, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["target"]
    assert found["executions"] < 50  # there is no point in going on
    assert found["finding_message"].startswith("KeyError: 'misspelt'")


def test_an_output_that_is_no_json_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = faulty(tmp_path, "return object() if text == 'z' else text")
    assert run(["check", folder, "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert "warning the output is no JSON: TypeError: Object of type object is not JSON serializable" in printed
    assert run(["check", faulty(tmp_path, "return [text]"), "--quiet"]) == 0
    assert "no JSON" not in capsys.readouterr().out


def test_a_target_that_hangs_on_some_inputs_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bonsai.checkup.MOST_SECONDS", 0.1)
    folder = faulty(tmp_path, "while text == 'z': pass", "50ms")
    assert run(["check", folder, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["target"]
    assert found["findings"] >= 1
    assert found["executions"] < 200
    assert found["finding_message"].startswith("no answer within")


def test_an_unparsed_sample_is_shown_with_what_the_target_says_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = faulty(tmp_path, "import bonsai\n    if 'y' in text: raise bonsai.Unparsed('not a [y]')")
    assert run(["check", folder]) == 1
    assert "not a [y]" in capsys.readouterr().out
