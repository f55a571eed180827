"""A run directory that is damaged, or of another version of Bonsai, is refused in one line, and stays as it is."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import bonsai
from bonsai.budget import Executions
from bonsai.cli import run
from bonsai.grow_settings import GrowSettings
from bonsai.schema import SCHEMA
from made_subjects import json_subject


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four nodes."""
    folder = tmp_path_factory.mktemp("schema")
    subject = json_subject(folder / "subject")
    bonsai.grow(subject, GrowSettings(bonsai.Bounds(1, 2, 1), budget=Executions(30)), folder / "out")
    return folder / "out"


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_by_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00\xff garbage" * 500)


def overwritten(path: Path) -> None:
    """Every page but the first is noise."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(range(256)) * ((len(content) - 4096) // 256))


def changed(*statements: str) -> Callable[[Path], None]:
    """A valid database with other content."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            for statement in statements:
                database.execute(statement)
            database.commit()

    change.__name__ = statements[0]
    return change


DAMAGED: list[Callable[[Path], None]] = [truncated, cut_by_a_page, emptied, garbage, overwritten]
DAMAGED += [
    changed(f"DROP TABLE {table}") for table in ("asked", "results", "checkpoints", "nodes", "hits", "inputs")
]
DAMAGED += [
    changed("ALTER TABLE results RENAME COLUMN state TO other"),
    changed("UPDATE nodes SET executions = 'many'"),
    changed("UPDATE results SET state = 'text'"),
    changed("UPDATE growth SET seconds = x'00'"),
    changed("PRAGMA user_version = 1"),
    changed(f"PRAGMA user_version = {SCHEMA + 1}"),
]
# What only those read who resume.
NOT_TO_BE_RESUMED = [
    changed("DELETE FROM asked"),
    changed("UPDATE asked SET settings = '[]'"),
    changed("UPDATE asked SET settings = '{'"),
    changed("UPDATE asked SET settings = NULL"),
    changed("UPDATE asked SET settings = '{}'"),
    changed("UPDATE results SET state = x'00'"),
    changed("UPDATE results SET ending = 'somehow'"),
    changed("UPDATE results SET state = NULL"),
    changed("INSERT INTO checkpoints VALUES ('a task', x'789c03000000000100')"),
]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def require_refused(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Returns the error of a command that changes nothing."""
    before = content(folder)
    capsys.readouterr()
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1, error
    assert "hint" in error
    assert content(folder) == before
    return error


def damaged(grown: Path, folder: Path, damage: Callable[[Path], None]) -> Path:
    out = folder / "out"
    shutil.copytree(grown, out)
    damage(out / "run.sqlite")
    return out


@pytest.mark.parametrize("damage", DAMAGED, ids=lambda damage: damage.__name__)
def test_nothing_is_read_from_a_damaged_database(
    grown: Path, tmp_path: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    out = damaged(grown, tmp_path, damage)
    test = next((out / "corpus").rglob("*.json"))
    for arguments in (["grow", "--resume", str(out)], ["report", str(out)], ["explain", str(test)]):
        error = require_refused(arguments, out, capsys)
        assert "damaged" in error or "another version" in error


@pytest.mark.parametrize("damage", NOT_TO_BE_RESUMED, ids=lambda damage: damage.__name__)
def test_a_run_is_not_resumed_from_what_cannot_be_read(
    grown: Path, tmp_path: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    out = damaged(grown, tmp_path, damage)
    assert "damaged" in require_refused(["grow", "--resume", str(out)], out, capsys)


@pytest.mark.parametrize(
    "summary",
    [b"", b"[]", b"\xff", b"{}", b'{"schema": 1}', b'{"schema": 2}', b'{"schema": 2, "subject": 3}'],
    ids=repr,
)
def test_nothing_is_read_from_a_damaged_summary(
    grown: Path, tmp_path: Path, summary: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(grown, out)
    test = next((out / "corpus").rglob("*.json"))
    (out / "run.json").write_bytes(summary)
    for arguments in (["report", str(out)], ["explain", str(test)]):
        require_refused(arguments, out, capsys)


def test_the_schema_is_in_the_database_and_in_the_summary(grown: Path) -> None:
    with closing(sqlite3.connect(grown / "run.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    assert json.loads((grown / "run.json").read_text())["schema"] == SCHEMA
