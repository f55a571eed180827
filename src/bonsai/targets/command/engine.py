"""Commands as targets without features: a command is run once for each text.

Exit status 0 means that the input is valid, any other that it is not; death by a signal is a crash. The output is
what the program prints: as JSON if it is JSON, and otherwise as a text. Time and memory are limited. All processes
that a command has left behind are killed when it ends.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import IO

from bonsai.errors import BonsaiError
from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.isolated import DEATHS, KILLS, SECOND_CHANCE, too_slow
from bonsai.targets.process import in_one_line
from bonsai.targets.process_tree import ProcessTree

PLACEHOLDER = "{file}"
LONGEST_MESSAGE = 4000  # characters
MOST_PRINTED = 64 * 2**20  # bytes
_CANNOT_RUN = 126  # and above: a shell's word for what was not found, not executable, or killed

# A shell sets the limits: Python cannot between fork and exec, in a program with threads.
_LIMITED = '{ ulimit -c 0; ulimit -f "$2"; ulimit -d "$1"; } 2>/dev/null; shift 2; exec "$@"'
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments; `{file}` in them stands for the input's file, otherwise it is on stdin."""

    words: tuple[str, ...]
    suffix: str
    timeout: float
    memory: int


class CommandTarget:
    """A `Target` that starts a process for each text. Not for use by several threads at once."""

    def __init__(self, command: Command) -> None:
        program = command.words[0]
        if which(program) is None:
            raise BonsaiError(
                f"there is no program {program!r} to run", "is it installed, executable, on the PATH?"
            )
        self._command = command
        self._folder = TemporaryDirectory(prefix="bonsai-")
        self._input = Path(self._folder.name, f"input{command.suffix}")

    @property
    def features(self) -> Sequence[str]:
        return ()

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        """Run the command on each text, in order."""
        return [self._execute(text, wanted) for text in texts]

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def _execute(self, text: str, wanted: Wanted) -> Execution:
        self._input.write_bytes(text.encode("utf-8", "surrogatepass"))
        limit, deaths = self._command.timeout, 0
        while True:
            printed, complained = Path(self._folder.name, "stdout"), Path(self._folder.name, "stderr")
            with self._input.open("rb") as given, printed.open("wb") as out, complained.open("wb") as errors:
                status = self._run(given, out, errors, limit)
            if status is not None and status < 0:
                deaths += 1
                if deaths < (KILLS if status == -signal.SIGKILL else DEATHS):
                    continue  # it counts only if it recurs
            if status is not None:
                said = _read(complained).replace(str(self._input), PLACEHOLDER)  # the same in every process
                return _execution(status, _read(printed), said, wanted)
            if limit > self._command.timeout:
                return Execution(Outcome.TIMEOUT, message=too_slow(self._command.timeout))
            limit = SECOND_CHANCE * self._command.timeout

    def _run(self, given: IO[bytes], out: IO[bytes], errors: IO[bytes], limit: float) -> int | None:
        """Returns the exit status, or None if the command takes too long."""
        words = [word.replace(PLACEHOLDER, str(self._input)) for word in self._command.words]
        memory, file_size = self._command.memory // 1024, MOST_PRINTED // _BLOCK
        if sys.platform != "linux":
            memory = 2**40  # elsewhere it is not enforced, or cannot be set
        tree = ProcessTree(
            ["/bin/sh", "-c", _LIMITED, "sh", str(memory), str(file_size), *words],
            stdin=subprocess.DEVNULL if words != [*self._command.words] else given,
            stdout=out,
            stderr=errors,
        )
        try:
            return tree.wait(limit)
        finally:
            tree.kill()


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_PRINTED).decode("utf-8", "replace")


def _execution(status: int, printed: str, complained: str, wanted: Wanted) -> Execution:
    output, note = None, ""
    if wanted is Wanted.OUTPUT:
        output, note = _as_json(printed), _note(status, printed, complained)
    message = (complained.strip() or printed.strip())[-LONGEST_MESSAGE:]
    if status == 0:
        return Execution(Outcome.VALID, output=output, note=note)
    if 0 < status < _CANNOT_RUN:
        return Execution(Outcome.INVALID, message=message, output=output, note=note)
    number = -status if status < 0 else status - 128
    try:
        ended = f"killed by {signal.Signals(number).name}"
    except ValueError:
        ended = f"exit status {status}"
    return Execution(Outcome.CRASH, message=f"{ended}: {message}" if message else ended, output=output)


def _note(status: int, printed: str, complained: str) -> str:
    ended = f"exit status {status}"
    if not _is_json(printed):
        ended += ", no JSON on stdout"
    said = in_one_line(complained)
    return f"{ended}; stderr: {said}" if said else ended


def _as_json(printed: str) -> str:
    if not printed.strip():
        return "null"
    return printed if _is_json(printed) else json.dumps(printed)


def _is_json(printed: str) -> bool:
    try:
        json.loads(printed)
    except (ValueError, RecursionError):
        return False
    return True
