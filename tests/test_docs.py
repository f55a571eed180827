"""What docs/*.md say is so: every command runs, in the order of its page, and prints what the page shows.

A block that is called like a file (```toml sql/bonsai.toml) is that file, and `>>` adds to it. In what is
printed, "…" stands for anything in a line, or for any lines. A command that is to fail says so: `# exit code 1`.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from glob import glob
from importlib.metadata import version
from pathlib import Path

import pytest

from bonsai.cli import run
from bonsai.version import DISTRIBUTION

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs/cli.md"
PAGES = [path for path in sorted((ROOT / "docs").glob("*.md")) if path != GENERATED]
OTHER_PROGRAMS = ("pytest", "python", "ls")
# Java is compiled by the tests of the JVM engine; a cluster is started as its page says by tests/workers, and an
# evaluation, which takes minutes, runs smaller in tests/evaluation.
TESTED_ELSEWHERE = {"drivers.md": {"java"}, "scaling.md": {"sh"}, "evaluation.md": {"sh"}}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, what else stands there, and what is in it."""

    language: str
    title: str
    content: str


def blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(*parts) for parts in found]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", block.content, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def execute(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and all that is printed."""
    words = [found for word in shlex.split(command, comments=True) for found in glob(word) or [word]]
    if words[:2] == ["pip", "install"]:
        packages = (DISTRIBUTION if name == "." else name for name in words[2:])
        return 0, "".join(f"{name} {version(name)}\n" for name in packages)  # raises if one is not installed
    if words[0] == "bonsai":
        code = run(words[1:])
        printed = capsys.readouterr()
        return code, printed.out + printed.err
    assert words[0] in OTHER_PROGRAMS, f"write how to test {words[0]}"
    program = {"pytest": [sys.executable, "-m", "pytest", "-c", "/dev/null"], "python": [sys.executable]}
    done = subprocess.run(
        [*program.get(words[0], words[:1]), *words[1:]], capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def as_shown(shown: str) -> str:
    """A pattern for an output with some of it left out."""
    lines = [".*" if line == "…" else re.escape(line).replace("…", "[^\n]*") for line in shown.splitlines()]
    return "\n".join(lines)


def pages() -> Iterator[object]:
    for page in PAGES:
        slow = "bonsai grow" in page.read_text("utf-8")
        yield pytest.param(page, id=page.name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("page", list(pages()))
def test_a_page_can_be_followed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    for block in blocks(page):
        if block.language == "console":
            for command, shown in commands(block):
                code, printed = execute(command, capsys)
                meant = re.search(r"# exit code (\d)", command)
                assert code == (int(meant[1]) if meant else 0), f"{command}\n{printed}"
                if shown.strip():
                    assert re.fullmatch(as_shown(shown), printed.strip("\n"), re.DOTALL), f"{command}\n{printed}"
        elif block.title:
            add, _, name = block.title.rpartition(">> ")
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            before = Path(name).read_text("utf-8") if add or block.title.startswith(">> ") else ""
            Path(name).write_text(before + block.content, encoding="utf-8")
        elif block.language == "toml":
            assert tomllib.loads(block.content)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_stand_where_they_are_tested(page: Path) -> None:
    elsewhere = TESTED_ELSEWHERE.get(page.name, set())
    shown = {block.language for block in blocks(page)} - elsewhere
    assert shown <= {"console", "lark", "python", "toml", "sql", "text"}


def test_some_pages_have_commands() -> None:
    assert sum(block.language == "console" for page in PAGES for block in blocks(page)) > 10


def test_the_reference_of_commands_is_up_to_date(tmp_path: Path) -> None:
    command = ["bonsai.cli", "utils", "docs", "--name", "bonsai", "--title", "Commands", "--output"]
    assert " ".join(["typer", *command]).replace("Commands", '"Commands"') in (ROOT / "Makefile").read_text("utf-8")
    subprocess.run(
        [sys.executable, "-m", "typer", *command, str(tmp_path / "cli.md")], capture_output=True, check=True
    )
    assert (tmp_path / "cli.md").read_text("utf-8") == GENERATED.read_text("utf-8"), "run make docs"


@pytest.mark.parametrize("shown", ["a\n…\nz\n", "a b…\n", "…c d\n"])
def test_what_is_left_out_may_be_anything(shown: str) -> None:
    printed = {"a\n…\nz\n": "a\nb\nc\nz", "a b…\n": "a b c d", "…c d\n": "a b c d"}[shown]
    assert re.fullmatch(as_shown(shown), printed, re.DOTALL)
    assert not re.fullmatch(as_shown(shown), f"x{printed}x", re.DOTALL)
