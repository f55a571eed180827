"""What tests of several commands share."""

from typing import Protocol

import pytest

from bonsai.cli import run


class Complaint(Protocol):
    """A bad call comes in; the one line that it prints goes out."""

    def __call__(self, *arguments: str) -> str: ...


@pytest.fixture
def complaint(capfd: pytest.CaptureFixture[str]) -> Complaint:
    """Makes sure that a bad call is answered as all are: one line, with a hint, and exit code 2."""

    def checked(*arguments: str) -> str:
        capfd.readouterr()
        assert run([*arguments]) == 2
        captured = capfd.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("error: ")
        assert captured.err.count("\n") == 1
        assert captured.err.endswith(")\n")
        assert "(hint: " in captured.err
        assert "(hint: )" not in captured.err
        return captured.err

    return checked
