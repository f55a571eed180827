"""The run directory: complete or not there at all."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from bonsai import BonsaiError, Bounds
from bonsai.cbgf import Finding, Growth
from bonsai.corpus import Input
from bonsai.ending import Ending
from bonsai.outputs import Existing
from bonsai.store import NodeRun, Run, write_run
from bonsai.targets.execution import Outcome

KEYS = {
    "schema", "seconds", "executions", "duplicates_skipped", "executions_per_second", "nodes", "features", "corpus",
    "findings",
}  # fmt: skip


def some_run(corpus: list[Input] | None = None) -> Run:
    members = [Input("a b", (1, 2), True, 0b01), Input("c\n", (3,), False, 0b10)] if corpus is None else corpus
    return Run(
        asked={"subject": "test", "seed": 0},
        suffix=".py",
        features=["one", "two"],
        corpus=members,
        covered=0b11,
        covered_by_valid=0b01,
        unstable=0,
        findings=[Finding(Outcome.CRASH, "boom", "\ud800 x", 3)],
        nodes=[NodeRun(Bounds(1, 2, 3), "unrestricted", 10, 12, 2, 0.5, 2, 2, 0.1, Ending.SATURATED)],
        growth=[Growth(5, 0.1, 1, 1, 1, 2.0)],
        seconds=0.5,
    )


def test_the_directory_holds_everything(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    write_run(folder, some_run())
    assert (folder / "corpus/valid/0001.py").read_text() == "a b"
    assert (folder / "corpus/invalid/0001.py").read_text() == "c\n"
    assert (folder / "findings/0001-crash.message.txt").read_text().startswith("boom")
    figures = json.loads((folder / "run.json").read_text())
    assert set(figures) >= KEYS
    assert figures["features"] == {"covered": 2, "total": 2, "by_valid": 1, "unstable": 0}
    assert figures["corpus"]["mean_size"] == 1.5
    assert figures["nodes"][0]["bounds"] == [1, 2, 3]
    assert figures["findings"] == {"crashes": 1, "timeouts": 0}
    with sqlite3.connect(folder / "run.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT text, choices FROM inputs").fetchall() == [
            ("a b", "[1, 2]"),
            ("c\n", "[3]"),
        ]
        assert database.execute("SELECT * FROM hits").fetchall() == [(1, 0), (2, 1)]
    database.close()
    assert os.listdir(tmp_path / "deep") == ["out"]


def test_an_empty_corpus_is_a_corpus(tmp_path: Path) -> None:
    write_run(tmp_path / "out", some_run([]))
    assert json.loads((tmp_path / "out/run.json").read_text())["corpus"]["files"] == 0


def test_a_folder_that_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BonsaiError, match="cannot write"):
        write_run(tmp_path / "file" / "out", some_run())
    assert os.listdir(tmp_path) == ["file"]


def test_a_failure_half_way_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "out", some_run())

    def full(database: sqlite3.Connection, run: Run) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bonsai.store._fill", full)
    with pytest.raises(BonsaiError, match="No space left"):
        write_run(tmp_path / "out", some_run([]), Existing.REPLACE)
    assert (tmp_path / "out/corpus/valid/0001.py").read_text() == "a b"
    assert os.listdir(tmp_path) == ["out"]
