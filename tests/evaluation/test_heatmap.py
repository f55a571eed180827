"""The heat-maps of blind sampling, from a tiny run and from stored data."""

from pathlib import Path

import pytest

from bonsai import load_subject
from bonsai.budget import Executions
from bonsai.cli import run
from bonsai.evaluation.heatmap import Point, draw, heatmap, read_csv, write_csv
from bonsai.outputs import MANIFEST
from fakes import FakeTarget


def points() -> list[Point]:
    return list(heatmap(load_subject("blocks"), FakeTarget(), 2, Executions(32), 1))


def test_every_bound_is_sampled_and_runs_are_reproducible() -> None:
    found = points()
    assert {(p.idents, p.items, p.depth) for p in found} == {
        (m, n, d) for m in (1, 2) for n in (1, 2) for d in (1, 2)
    }
    assert all(p.executions == 32 and 0 <= p.valid <= 1 and 0 < p.covered <= p.total for p in found)
    assert found == points()


@pytest.mark.parametrize("budget", [1, 15, 40])
def test_a_budget_of_executions_is_exact(budget: int) -> None:
    [point] = heatmap(load_subject("blocks"), FakeTarget(), 1, Executions(budget), 1)
    assert point.executions == budget


def test_the_figure_is_made_from_the_stored_data(tmp_path: Path) -> None:
    write_csv(tmp_path / "heatmap.csv", points())
    assert read_csv(tmp_path / "heatmap.csv") == points()
    draw(read_csv(tmp_path / "heatmap.csv"), "title", tmp_path / "heatmap.png")
    assert (tmp_path / "heatmap.png").read_bytes().startswith(b"\x89PNG")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["heatmap", "chocopy", "--max", "1", "--budget", "32x", "-o", str(tmp_path), "--quiet"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, "heatmap.csv", "heatmap.png", "heatmap.svg"}
    [point] = read_csv(tmp_path / "heatmap.csv")
    assert point.valid > 0.1
    assert run(["heatmap", "chocopy", "--budget", "auto", "-o", str(tmp_path)]) == 2
    assert "hint" in capsys.readouterr().err
