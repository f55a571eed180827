"""What README and docs say is so: commands print what they show, snippets run, examples load."""

import os
import pty
import re
import shlex
import subprocess
import sys
from glob import glob
from pathlib import Path

import pytest

import bonsai
from bonsai.cli import app, run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    """(command, output) of every `$ bonsai` in the console blocks."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    split = (part.split("\n", 1) for part in parts)
    return [(command, shown) for command, shown in split if command.startswith("bonsai ")]


def test_there_is_something_to_test() -> None:
    assert len(sessions()) >= 2
    assert blocks("python")
    assert blocks("toml")


@pytest.mark.parametrize(
    ("command", "shown"),
    [pytest.param(*one, marks=[pytest.mark.slow] if "bonsai grow" in one[0] else []) for one in sessions()],
)
def test_commands_print_what_the_readme_shows(
    command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if "out/" in command:  # the result of an earlier command
        quickly = ["--bounds", "1,1,1", "--lattice", "plain", "--budget", "300x", "--jobs", "1", "--quiet"]
        assert run(["grow", "chocopy", *quickly, "-o", "out"]) == 0
        capsys.readouterr()
    words = [name for word in shlex.split(command)[1:] for name in (glob(word) if "*" in word else [word])]
    assert run(words) == 0
    printed = capsys.readouterr().out
    if shown.strip():
        assert printed == shown
    if "-o out" in command:
        assert (
            sorted(path.name for path in Path("out").iterdir() if not path.name.startswith("."))
            == README.split("$ ls out\n")[1].split("\n")[0].split()
        )


def test_what_is_grown_goes_into_one_folder_throughout() -> None:
    pages = [README, *((ROOT / name).read_text("utf-8") for name in ("Makefile", "docs/how-to.md"))]
    assert {folder for page in pages for folder in re.findall(r"bonsai grow .*?-o (\S+)", page)} == {"out"}


def test_every_command_has_a_line() -> None:
    listed = re.findall(r"^\| `bonsai (\w+)", README, re.MULTILINE)
    assert sorted(listed) == sorted(str(one.name) for one in app.registered_commands)


@pytest.mark.slow
def test_the_terminal_still_looks_like_the_capture(tmp_path: Path) -> None:
    """A smaller run prints every line of the capture, but for its figures and for the programs in it."""
    [capture] = [block for block in blocks("text") if block.startswith("$ bonsai grow ")]
    command, *lines = capture.splitlines()
    assert len(lines) > 15
    printed = in_a_terminal([*shlex.split(command)[2:], "--budget", "5x"], tmp_path)
    for line in lines:
        if not line.startswith("  "):  # part of a program
            shape = re.sub(r"\d[\d,.:]*", lambda _: r"\d[\d,.:]*", re.escape(line).replace(r"\.", "."))
            assert re.search(shape, printed), f"{line}\n{printed}"


def in_a_terminal(arguments: list[str], folder: Path) -> str:
    """What somebody sees, without the colours."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from bonsai.cli import main; main()", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "60"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=folder, env=environment) as process:
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert process.returncode == 0, printed
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode()).replace("\r", "")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has closed it
        return b""


@pytest.mark.slow
def test_the_python_snippet_runs() -> None:
    for snippet in blocks("python"):
        exec(compile(snippet, "README.md", "exec"), {})


def test_the_example_of_a_subject_loads(tmp_path: Path) -> None:
    [settings] = blocks("toml")
    (tmp_path / "bonsai.toml").write_text(settings)
    grammar = 'start: ("hello" NAME NUMBER)*\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n%ignore " "\n'
    (tmp_path / "greetings.lark").write_text(grammar)
    subject = bonsai.load_subject(tmp_path)
    assert subject.name == "greetings"
    assert bonsai.sample(subject, number=3)


@pytest.mark.parametrize(
    "page", [path.relative_to(ROOT) for path in sorted(ROOT.glob("**/*.md")) if ".venv" not in str(path)]
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / page.parent / target).exists(), target


def test_every_key_of_the_settings_is_documented() -> None:
    guide = (ROOT / "docs/grammars.md").read_text(encoding="utf-8")
    source = "".join((ROOT / f"src/bonsai/{name}").read_text() for name in ("subject.py", "targets/settings.py"))
    for key in re.findall(r'(?:string|strings|integer|_duration|_size)\((?:table, )?"(\w+)"', source):
        assert re.search(rf"\b{key}\b", guide), key
