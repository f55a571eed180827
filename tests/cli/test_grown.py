"""The closing summary of a run, in a terminal of a given width."""

from dataclasses import replace
from pathlib import Path

import pytest

from bonsai.bounds import Bounds
from bonsai.cli.grown import print_grown
from bonsai.corpus import Input
from bonsai.ending import Ending
from bonsai.store import NodeRun, Run


def some_run(*texts: str, nodes: int = 1) -> Run:
    corpus = [Input(text, (), True, 1 << place) for place, text in enumerate(texts)]
    node = NodeRun(Bounds(1, 1, 1), "unrestricted", 1, 1, 0, 0.1, 1, 1, 0.0, Ending.SATURATED)
    asked: dict[str, object] = {"bounds": [1, 1, nodes], "lattice": "plain", "complete": True}
    return Run(asked, ".sql", ["f"], corpus, 1, 1, 0, [], [node] * nodes, [], 1.0)


def printed(run: Run, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    print_grown(run, Path("out"))
    return capsys.readouterr().out


def test_tests_stand_beside_each_other_if_they_fit_and_otherwise_one_per_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = "SELECT * FROM t", "SELECT a FROM t WHERE NOT 0 BETWEEN 0 AND 0"
    wide = printed(some_run(first, second), 100, monkeypatch, capsys).splitlines()
    assert any(first in line and second in line for line in wide)
    narrow = printed(some_run(first, second), 60, monkeypatch, capsys).splitlines()
    assert [line.split() for line in narrow if "SELECT" in line] == [
        ["valid", *one.split()] for one in (first, second)
    ]


def test_what_was_not_finished_is_said_and_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = some_run("0", nodes=2)
    assert "nodes" not in printed(whole, 80, monkeypatch, capsys).replace("2 nodes\n", "")
    for ending, words in (
        (Ending.OUT_OF_TIME, "1 of 2 nodes ran out of time"),
        (Ending.INTERRUPTED, "1 of 2 nodes was not finished when the run was stopped"),
        (Ending.FAILED, "1 of 2 nodes failed"),
    ):
        cut = replace(whole, nodes=[whole.nodes[0], replace(whole.nodes[1], stopped=ending)])
        assert words in printed(cut, 80, monkeypatch, capsys)
    never_started = replace(whole, nodes=whole.nodes[:1])
    assert "1 of 2 nodes was not finished" in printed(never_started, 80, monkeypatch, capsys)


def test_one_is_not_many(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 execution in 1.0 s, 1 node\n" in printed(some_run("0"), 80, monkeypatch, capsys)
