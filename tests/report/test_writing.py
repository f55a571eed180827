"""The report at the end of a run, for those who call it from Python."""

from pathlib import Path

import pytest

import bonsai
from bonsai.budget import Executions
from bonsai.grow_settings import GrowSettings
from made_subjects import json_subject

SMALL = GrowSettings(bonsai.Bounds(1, 1, 1), budget=Executions(30))


def test_a_run_from_python_ends_with_a_report(tmp_path: Path) -> None:
    run = bonsai.grow(json_subject(tmp_path / "subject"), SMALL, tmp_path / "out")
    page = (tmp_path / "out/report.html").read_text()
    names = [path.name for path in (tmp_path / "out/corpus").rglob("*.json")]
    assert len(names) == len(run.corpus) > 0
    assert all(name in page for name in names)


def test_a_report_that_fails_is_a_warning_and_the_run_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("bonsai.report.page.write_page", broken)
    with pytest.warns(RuntimeWarning, match="no ink.*bonsai report") as warned:
        run = bonsai.grow(json_subject(tmp_path / "subject"), SMALL, tmp_path / "out")
    assert warned[0].filename == __file__
    assert run.corpus
    assert not (tmp_path / "out/report.html").exists()
