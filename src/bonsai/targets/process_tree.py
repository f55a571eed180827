"""Starts a command so that it and everything that it starts can be ended together."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from bonsai.targets.supervisor import processes

SUPERVISOR = Path(__file__).with_name("supervisor.py")
SWEEPS = 10  # how often to look for processes that were started meanwhile
PATIENCE = 10.0  # seconds for a supervisor to end all; after that it is killed


class ProcessTree:
    """A command under a `supervisor`, which ends, with all its descendants, no later than this process."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        descriptors: Sequence[int] = (),
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
    ) -> None:
        self._life: int | None
        theirs, self._life = os.pipe()
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR), str(theirs), *command],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=environment,
                pass_fds=[theirs, *descriptors],
                start_new_session=True,  # a Ctrl-C at the terminal is for Bonsai alone
            )
        except BaseException:
            os.close(self._life)
            raise
        finally:
            os.close(theirs)

    @property
    def supervisor(self) -> int:
        """The supervisor's process number."""
        return self._supervisor.pid

    def program(self) -> int | None:
        """Returns the command's own process number, or None if it has ended."""
        children = (process.number for process in processes() if process.parent == self._supervisor.pid)
        return min(children, default=None)

    def wait(self, patience: float) -> int | None:
        """Returns how the command ended, as `Popen.returncode` does, or None if it runs for longer than that."""
        if sys.platform == "linux" and self._supervisor.poll() is None:
            with suppress(OSError):  # old kernels cannot do this; `Popen.wait` can, by looking now and then
                _wait_for_end(self._supervisor.pid, patience)
                patience = 0
        try:
            return self._supervisor.wait(patience)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Kill the command and all of its descendants."""
        if self._life is None:
            return
        os.close(self._life)
        self._life = None
        if self._supervisor.poll() is None:
            self._supervisor.send_signal(signal.SIGCONT)  # it may have been stopped
            if self.wait(PATIENCE) is None:
                self._supervisor.kill()
                self._supervisor.wait()
        if self._supervisor.returncode == -signal.SIGKILL:
            _kill_session(self._supervisor.pid)


def _wait_for_end(process: int, patience: float) -> None:
    descriptor = os.pidfd_open(process)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll(patience * 1000)
    finally:
        os.close(descriptor)


def _kill_session(session: int) -> None:
    """Kill what a supervisor that was killed itself has left behind in its session."""
    for _ in range(SWEEPS):
        groups = {process.group for process in processes() if process.session == session}
        if not groups:
            return
        for group in groups:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
