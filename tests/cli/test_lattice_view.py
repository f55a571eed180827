"""What is drawn while a corpus grows."""

from pathlib import Path

from rich.console import Console

import bonsai
from bonsai import Bounds
from bonsai.budget import Executions
from bonsai.cli.lattice_view import lattice_picture, status
from bonsai.grow import Growing
from bonsai.grow_settings import GrowSettings
from made_subjects import json_subject


def drawn(growing: Growing) -> str:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(lattice_picture(growing))
    return capture.get()


def test_the_lattice_fills_up(tmp_path: Path) -> None:
    pictures: list[str] = []
    lines: list[str] = []

    def watch(growing: Growing) -> None:
        pictures.append(drawn(growing))
        lines.append(status(growing, 20))

    subject = json_subject(tmp_path / "subject")
    bonsai.grow(subject, GrowSettings(Bounds(2, 1, 2), budget=Executions(30)), jobs=2, watch=watch)
    assert pictures[0].count("·") >= 6
    assert any("◐" in picture for picture in pictures)
    assert pictures[-1].count("●") == 8
    assert "d=1" in pictures[0]
    assert "d=2" in pictures[0]
    assert lines[0].startswith("0 of 8 nodes")
    assert lines[-1].startswith("8 of 8 nodes")
    assert any("left" in line for line in lines)
