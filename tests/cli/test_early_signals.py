"""A signal while the command line is still being imported, or is about to end, is answered in one line."""

import os
import signal
import subprocess
import sys
import time

import pytest

# Says when the import of the commands begins: before that, Python itself is at work.
STUB = """
import sys

class Announcing:
    def find_spec(self, name, path=None, target=None):
        if name == "bonsai.cli":
            print("begun", flush=True)

sys.meta_path.insert(0, Announcing())
sys.argv = ["bonsai", "sample", "json", "-n", "2000", "--quiet"]
from bonsai.__main__ import main
main()
"""
MOMENTS = [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.9]


def ended(number: signal.Signals, moment: float) -> tuple[int, str]:
    """The exit code and standard error of a command that gets a signal so many seconds after it began."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUB], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(moment)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_is_one_line(moment: float) -> None:
    assert ended(signal.SIGINT, moment) in [
        (0, ""),
        (130, "error: interrupted (hint: run the same command again to start over)\n"),
        (-signal.SIGINT, ""),  # in its very last moments, Python does no longer know of any handlers
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("moment", MOMENTS[::3])
def test_other_signals_leave_no_traceback(number: signal.Signals, moment: float) -> None:
    code, errors = ended(number, moment)
    assert code in (0, -number, 128 + number)
    assert errors in ("", "error: interrupted (hint: run the same command again to start over)\n")


def test_the_first_moment_is_before_the_commands_are_there() -> None:
    """So the cases above are not only about what comes later."""
    assert ended(signal.SIGINT, 0.0)[0] == 130
    assert ended(signal.SIGTERM, 0.0)[0] == 128 + signal.SIGTERM


def test_what_is_to_be_ignored_stays_ignored() -> None:
    """As `nohup` asks for."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUB],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN) and None,
    )
    os.kill(process.pid, signal.SIGHUP)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert output.count(b"\n") > 100


def test_the_package_can_be_run() -> None:
    done = subprocess.run([sys.executable, "-m", "bonsai", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("bonsai ")
