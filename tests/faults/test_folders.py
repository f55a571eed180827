"""The comparison of two runs sees every difference except times."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bonsai.checkpoint import from_bytes, to_bytes
from bonsai.cli import run
from faults.conftest import WhereIs
from faults.folders import DATABASE, differences, everything_in, without_times


@pytest.fixture(scope="module")
def finished(subject_of: WhereIs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("compared") / "out"
    arguments = ["--bounds", "1,2,1", "--budget", "40x", "--jobs", "1", "--quiet"]
    assert run(["grow", str(subject_of("ambiguous")), *arguments, "-o", str(out)]) == 0
    return out


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "out"))


def execute(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as database:
        assert database.execute(statement, values).rowcount > 0


def names(finished: Path, copied: Path) -> list[str]:
    found = differences(everything_in(finished), everything_in(copied))
    return [line.split(":")[0] for line in found]


def test_a_copy_is_equal(finished: Path, copied: Path) -> None:
    assert names(finished, copied) == []


def test_times_and_jobs_do_not_count(finished: Path, copied: Path) -> None:
    summary = json.loads((copied / "run.json").read_text())
    summary |= {"seconds": 99.0, "executions_per_second": 1.5, "jobs": 17}
    for node in summary["nodes"]:
        node["seconds"] = 77.0
    (copied / "run.json").write_text(json.dumps(summary))
    execute(copied, "UPDATE nodes SET seconds = 5.5")
    execute(copied, "DELETE FROM events")
    with closing(sqlite3.connect(copied / DATABASE, isolation_level=None)) as database:
        [data] = database.execute("SELECT state FROM results WHERE task = '(1,1,1,r)'").fetchone()
        state = without_times(from_bytes(data))
        assert "members" in state
        assert "seconds" not in state
    assert names(finished, copied) == []


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("UPDATE inputs SET choices = '[9]' WHERE id = 1", "inputs[0].choices"),
        ("UPDATE inputs SET rules = '[]' WHERE id = 2", "inputs[1].rules"),
        ("UPDATE nodes SET new = new + 1 WHERE id = 3", "nodes[2].new"),
        ("DELETE FROM hits WHERE input = 1", "hits"),
        ("UPDATE results SET task = 'other' WHERE task = '(1,1,1,u)'", "results (1,1,1,u)"),
        ("INSERT INTO checkpoints VALUES ('(1,1,1,u)', x'00')", "checkpoints"),
    ],
)
def test_a_change_in_a_table_is_seen(finished: Path, copied: Path, statement: str, name: str) -> None:
    execute(copied, statement)
    assert name in names(finished, copied)


def test_a_change_in_a_result_is_seen(finished: Path, copied: Path) -> None:
    with closing(sqlite3.connect(copied / DATABASE, isolation_level=None)) as database:
        [data] = database.execute("SELECT state FROM results WHERE task = '(1,1,1,r)'").fetchone()
    state = from_bytes(data)
    state.tally.visits += 1
    execute(copied, "UPDATE results SET state = ? WHERE task = '(1,1,1,r)'", to_bytes(state))
    assert names(finished, copied) == ["results (1,1,1,r).state.tally.visits"]


def test_a_change_in_a_file_is_seen(finished: Path, copied: Path) -> None:
    index = copied / "corpus" / "INDEX.md"
    index.write_text(index.read_text().replace("valid/0001", "valid/0009", 1))
    test = min((copied / "corpus" / "valid").iterdir())
    test.rename(test.with_name("0001-renamed.txt"))
    summary = json.loads((copied / "run.json").read_text())
    summary["nodes"][1]["new"] += 1
    (copied / "run.json").write_text(json.dumps(summary))
    found = names(finished, copied)
    assert "file corpus/INDEX.md" in found
    assert f"file corpus/valid/{test.name}" in found
    assert "file corpus/valid/0001-renamed.txt" in found
    assert "run.json nodes[1].new" in found
    assert "names[2]" in found or "names" in {name.split("[")[0] for name in found}
