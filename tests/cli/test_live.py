"""The line that people see while a fuzzer or an evaluation runs."""

import sys

import pytest

from bonsai.cli import live
from bonsai.cli.live import LiveLine
from cli.terminals import Terminal


def line(news: int, seconds: float) -> str:
    assert seconds >= 0
    return f"{news} of [3] steps"


def test_in_a_log_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveLine(False, line) as view:
        view(1)
    assert capsys.readouterr().err == ""
    with LiveLine(False, line, every_in_a_log=0.0) as view:
        view(1)
        view(2)
    captured = capsys.readouterr()
    assert captured.err == "1 of [3] steps\n2 of [3] steps\n"
    assert captured.out == ""


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveLine(True, line, every_in_a_log=0.0) as view:
        view(1)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_the_line_is_kept_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(live, "EVERY_ON_A_TERMINAL", 0.0)
    with LiveLine(False, line, every_in_a_log=1000.0) as view:
        view(1)
        view(2)
    assert "2 of [3] steps" in terminal.getvalue()
