"""What people see while they wait."""

import sys

import pytest

from bonsai.cli import progress
from bonsai.cli.progress import Counter
from cli.terminals import Terminal


def test_in_a_log_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with Counter("inputs reduced", silent=False) as view:
        view(1, 3)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "EVERY_IN_A_LOG", 0.0)
        view(2, 3)
        view(1, 9, "survivors fuzzed")
    captured = capsys.readouterr()
    assert captured.err == "2 of 3 inputs reduced\n1 of 9 survivors fuzzed\n"
    assert captured.out == ""


def test_silence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "EVERY_IN_A_LOG", 0.0)
    with Counter("inputs reduced", silent=True) as view:
        view(1, 3)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_a_bar_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Counter("mutants", silent=False) as view:
        view(1, 2)
        view(2, 2)
        view(5, 7, "survivors fuzzed")
    shown = terminal.getvalue()
    assert "mutants" in shown
    assert "2/2" in shown
    assert "survivors fuzzed" in shown
    assert "5/7" in shown
