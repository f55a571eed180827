"""Whatever a target says or an input contains, a terminal is never told to do anything."""

from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from bonsai.bounds import Bounds
from bonsai.cbgf import Finding
from bonsai.checkup import TargetCheckup
from bonsai.cli import check, explain, fuzz, grown
from bonsai.cli.common import console, print_error, shown
from bonsai.explaining import Explanation
from bonsai.store import Failure
from bonsai.targets.execution import Outcome
from bonsai.wording import harmless
from cli.test_grown import some_run

HOSTILE = st.text(
    st.sampled_from("\x1b\x07\x08\r\x00\x7f\x85\x9b\u202e\ud800\n\t[]0;aé") | st.characters(), max_size=30
)


class Terminal(StringIO):
    """Standard output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def controls(text: str) -> set[str]:
    """The characters that a terminal might obey, or that cannot be written."""
    return {char for char in text if not char.isprintable() and char not in "\n\t"}


def printed(write: Callable[[], object]) -> str:
    output = StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        write()
    return output.getvalue()


@given(HOSTILE)
def test_a_harmless_text_has_no_control_characters_and_a_printable_one_is_left_alone(text: str) -> None:
    assert not controls(harmless(text))
    assert harmless(harmless(text)) == harmless(text)
    if not controls(text):
        assert harmless(text) == text


@given(HOSTILE, HOSTILE)
@example("\x1b]0;title\x07\x1b[2J", "\x1b[31m")
def test_findings_and_tests_of_a_run(message: str, text: str) -> None:
    finding = Finding(Outcome.CRASH, message, text, 1)
    run = replace(some_run(text, f"{text} "), findings=[finding])
    assert not controls(printed(lambda: grown.print_grown(run, Path("out"))))
    assert not controls(printed(lambda: fuzz._print(run, Path("out"), False)))
    failed = replace(run, judged=0, failures=[Failure(message, text)])
    assert not controls(printed(lambda: grown.exit_code(failed, "go on")))


@given(HOSTILE, HOSTILE)
@example("\x1b]0;title\x07", "\x1b[31m")
def test_explanations(message: str, text: str) -> None:
    explanation = Explanation(Outcome.INVALID, message, message, 1, Bounds(1, 1, 1), {"rule": 1}, [])
    assert not controls(printed(lambda: explain._print(console(), text, explanation)))


@given(HOSTILE, HOSTILE)
@example("\x1b]0;title\x07", "\x1b[31m")
def test_checks_of_a_target(message: str, text: str) -> None:
    checkup = TargetCheckup(1, 1.0, 0.0, 0.0, 1, 1.0, 1, 1, text, message, text, message, message)
    assert not controls(printed(lambda: check._print_target(checkup, False)))


@given(HOSTILE, HOSTILE)
def test_errors_are_one_line(message: str, hint: str) -> None:
    line = printed(lambda: print_error(message, hint))
    assert not controls(line)
    assert line.count("\n") == 1


@given(HOSTILE)
def test_a_result_is_harmless_on_a_terminal_and_unchanged_in_a_pipe(text: str) -> None:
    with redirect_stdout(Terminal()):
        assert not controls(shown(text))
    with redirect_stdout(StringIO()):
        assert shown(text) == text
