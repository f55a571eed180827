"""Processes that a program under test leaves behind, and whether they still exist."""

import os
import time
from pathlib import Path

# Shell commands that leave a process behind; each writes its number into a file.
_SLEEP = "sh -c 'echo $$ > {file}.new; mv {file}.new {file}; exec sleep 1000'"
LEFT_BEHIND = {
    "child": f"{_SLEEP} &",
    "session": f"setsid {_SLEEP} &",
    "daemon": f'setsid sh -c "{_SLEEP.replace("$$", chr(92) + "$$")} &" &',
    "deaf": f"trap '' TERM HUP INT; {_SLEEP} &",
}


def left_behind(kind: str, file: Path) -> str:
    """Returns the shell command that leaves a process of that kind behind."""
    return LEFT_BEHIND[kind].format(file=file)


def number_in(file: Path, patience: float = 10.0) -> int:
    """Returns the process number that somebody writes into a file."""
    deadline = time.monotonic() + patience
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return int(file.read_text())


def exists(process: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()  # there is no /proc on this system


def is_gone(process: int, patience: float = 10.0) -> bool:
    """Whether a process ends, or has ended; a busy machine may need some time for that."""
    deadline = time.monotonic() + patience
    while exists(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not exists(process)
