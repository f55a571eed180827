"""Bad input: one line on standard error that says what and where, a hint, exit code 2, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from bonsai.cli import app, run
from cli.conftest import Complaint

TOML = '[grammar]\nfile = "g.lark"\n'
IDENTIFIERS = f"{TOML}[grammar.identifiers]\n"
GOOD = "start: A\nA: /[ab]/\n"


def subject(folder: Path, grammar: str | bytes, toml: str = TOML) -> str:
    (folder / "bonsai.toml").write_text(toml, encoding="utf-8")
    (folder / "g.lark").write_bytes(grammar if isinstance(grammar, bytes) else grammar.encode("utf-8"))
    return str(folder)


@pytest.mark.parametrize("command", ["sample", "count", "check"])
@pytest.mark.parametrize(
    ("grammar", "toml", "place", "words"),
    [
        ("start: A (\n", TOML, "g.lark:1", "column"),
        ('start: "a"\n  | b\n', TOML, "g.lark:2", "'b' is used but not defined"),
        ('start: "a" | b\nb: "x" b\n', TOML, "g.lark:2", "'b' derives only infinite texts"),
        ('start: a\na: "x" b\nb: "y" a\n', TOML, "g.lark:2", "infinite"),
        ('start: "x" start\n', TOML, "g.lark:1", "infinite"),
        (GOOD, f'{IDENTIFIERS}ID = ["a"]\n', "bonsai.toml:4", "ID is no terminal"),
        (GOOD, f'{IDENTIFIERS}start = ["a"]\n', "bonsai.toml:4", "start is no terminal"),
        (GOOD, f"{IDENTIFIERS}A = []\n", "bonsai.toml:4", "empty"),
        (GOOD, f"{TOML}[bounds]\ndepth = 0\n", "bonsai.toml:4", "depth is 0"),
        (GOOD, f"{TOML}[bounds]\ndepth = -1\n", "bonsai.toml:4", "depth is -1"),
        (GOOD, f'{TOML}[bounds]\ndepth = "deep"\n', "bonsai.toml:4", "whole number"),
        (GOOD, "[grammar]\nfile = g.lark\n", "bonsai.toml:2", "not TOML"),
        (GOOD, '[grammar]\nfile = "absent.lark"\n', "bonsai.toml:2", "there is no file"),
        (GOOD, '[grammar]\nfile = "."\n', "bonsai.toml:2", "there is no file"),
        (GOOD, f'{TOML}start = "program"\n', "bonsai.toml:3", "no rule 'program'"),
        (b'start: "a"\n | "\xff"\n', TOML, "g.lark:2", "not UTF-8"),
        ("start: A\nA: /(a/\n", TOML, "g.lark:2", "regular expression"),
        ("start: A\nA: /a*/\n", TOML, "g.lark:2", "empty text"),
        ("start: a\n\n%import .absent.a\n", TOML, "g.lark:3", "absent.lark"),
        ('start: A\nA: "a" B\nB: "b" A\n', TOML, "g.lark:2", "Recursion"),
        ("start: A~3..2\nA: /a/\n", TOML, "g.lark:1", "range"),
        ("", TOML, "g.lark", "the grammar has no rules"),
    ],
)
def test_a_bad_subject(
    command: str,
    grammar: str | bytes,
    toml: str,
    place: str,
    words: str,
    tmp_path: Path,
    complaint: Complaint,
) -> None:
    line = complaint(command, subject(tmp_path, grammar, toml))
    assert line.startswith(f"error: {tmp_path / place}: ")
    assert words in line


@pytest.mark.parametrize("command", ["sample", "count", "check"])
@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ("0,1,1", "idents is 0"),
        ("1,0,1", "items is 0"),
        ("1,1,0", "depth is 0"),
        ("1,-2,1", "items is -2"),
        ("1,1,1000001", "depth is 1000001"),
        ("a,b,c", "not three whole numbers"),
        ("1,2", "not three whole numbers"),
        ("1,2,3,4", "not three whole numbers"),
        ("1.5,2,3", "not three whole numbers"),
        ("", "not three whole numbers"),
        ("1,1," + "9" * 5000, "not three whole numbers"),
    ],
)
def test_bad_bounds(command: str, bounds: str, words: str, complaint: Complaint) -> None:
    assert words in complaint(command, "json", f"--bounds={bounds}")


@pytest.mark.parametrize("command", ["sample", "count", "check"])
def test_infeasible_bounds_are_answered_with_the_smallest_feasible(
    command: str, tmp_path: Path, complaint: Complaint
) -> None:
    folder = subject(tmp_path, 'start: "a"~4..6\n')
    line = complaint(command, folder, "--bounds", "1,3,2")
    assert "no program" in line
    assert "the smallest bounds that hold one are (1,4,1)" in line
    assert run([command, folder, "--bounds", "1,4,1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nope"], "No such command 'nope'"),
        (["--nope"], "No such option"),
        (["sample"], "Missing argument 'SUBJECT'"),
        (["sample", "json", "--nope"], "No such option: --nope"),
        (["sample", "json", "extra"], "extra"),
        (["sample", "json", "-n", "-1"], "-n"),
        (["sample", "json", "-n", "many"], "-n"),
        (["sample", "json", "--seed", "x"], "--seed"),
        (["sample", "json", "--seed"], "--seed"),
        (["count"], "Missing argument 'SUBJECT'"),
        (["check", "json", "--bounds"], "--bounds"),
        (["sample", "no-such-subject"], "no-such-subject: no such subject"),
        (["sample", ""], "there is no bonsai.toml"),
        (["sample", "a" * 300], "no such subject"),
    ],
)
def test_a_bad_call(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    complaint: Complaint,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in complaint(*arguments)


def test_a_folder_without_bonsai_toml(tmp_path: Path, complaint: Complaint) -> None:
    assert complaint("sample", str(tmp_path)).startswith(f"error: {tmp_path}: there is no bonsai.toml")


def test_a_grammar_is_no_subject(tmp_path: Path, complaint: Complaint) -> None:
    (tmp_path / "a.lark").write_text('start: "a"\n')
    assert "is a file, not the folder of a subject (hint: bonsai init" in complaint("grow", f"{tmp_path}/a.lark")


def test_bonsai_toml_is_a_directory(tmp_path: Path, complaint: Complaint) -> None:
    (tmp_path / "bonsai.toml").mkdir()
    assert "Is a directory" in complaint("sample", str(tmp_path))


@pytest.mark.parametrize(
    "arguments", [["sample", "{bad}"], ["sample", "nothing"], ["count", "json", "--bounds", "0,0,0"]]
)
def test_a_process_prints_no_traceback_either(arguments: list[str], tmp_path: Path) -> None:
    bad = subject(tmp_path, "start: A\nA: /(a/\n")
    found = subprocess.run(
        [sys.executable, "-c", "from bonsai.cli import main; main()", *(a.format(bad=bad) for a in arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("error: ")
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "grammar",
    [
        'start: start "+" start | "1"\n',
        'start: start "a" | "b"\n',
        'start: a | "x"\na: b "y"\nb: start "z" | a "w"\n',
        'start: start | "y"\n',
        'start: start start | "y"\n',
        'start: a*\na: "(" a* ")" | b\nb: a | "c"\n',
        'start: | start "a"\n',
        'start: x\n?x: y | x "+" y\n?y: z | y "*" z\n?z: "1" | "(" x ")" | "-" z\n',
    ],
)
@pytest.mark.parametrize("bounds", ["1,1,1", "3,3,3", pytest.param("2,2,200", marks=pytest.mark.slow)])
def test_recursive_grammars_that_derive_something_work(
    grammar: str, bounds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = subject(tmp_path, grammar)
    assert run(["sample", folder, "-n", "2", "--bounds", bounds]) == 0
    assert capsys.readouterr().err == ""
    assert run(["count", folder, "--bounds", bounds.replace("200", "10")]) == 0


def test_a_long_way_down_is_no_recursion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = "".join(f'a{i}: "x" | a{i + 1}\n' for i in range(1100))
    folder = subject(tmp_path, f'start: a0\n{chain}a1100: "x"\n')
    assert run(["sample", folder, "-n", "3"]) == 0


@pytest.mark.parametrize("command", [[], *([str(command.name)] for command in app.registered_commands)])
def test_help_has_an_example_and_is_no_error(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--help"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "Example: bonsai" in printed.out or not command
    assert "<bool>" not in printed.out


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Usage: bonsai" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("bonsai ")


def test_the_help_has_every_command_in_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    printed = capsys.readouterr().out
    places = [
        printed.index(word) for word in ("─ Start ", " grow ", "─ Use ", " explain ", "─ Study ", " evaluate ")
    ]
    assert places == sorted(places)
    assert "─ Commands ─" not in printed


@pytest.mark.parametrize("grammar", ["", "// nothing\n", 'A: "a"\n'])
def test_a_grammar_without_rules_is_called_that(tmp_path: Path, complaint: Complaint, grammar: str) -> None:
    line = complaint("check", subject(tmp_path, grammar))
    assert "g.lark: the grammar has no rules (hint: write at least one: start: ...)" in line
