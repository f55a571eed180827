"""How to start a program comes in; a running process with its pipes goes out."""

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import starmap

from bonsai.targets.wire import OUT_OF_MEMORY, frame

CHUNK = 1 << 16
LONGEST_COMPLAINT = 300
LAST_WORDS = 1.0  # seconds for a process that closed its pipes to end by itself


class Hung(Exception):
    """The process was silent for too long."""


class Died(Exception):
    """The process has ended, or has closed its pipes."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command, which gets the descriptors of its four pipes as last arguments, and the first frame it is sent."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    greeting: bytes
    hint: str = "see what it does when it is imported"  # for those whose program does not start


class Process:
    """A process in a session of its own: a Ctrl-C at the terminal is for the loop alone. `wire` has the pipes."""

    def __init__(self, program: Program, printed: int = subprocess.DEVNULL) -> None:
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for reader, writer in starmap(os.pipe, [()] * 4):
                theirs.append(reader)
                ours.append(writer)
            for index in (1, 2):  # results and bell flow the other way
                theirs[index], ours[index] = ours[index], theirs[index]
            self._popen = subprocess.Popen(
                [*program.command, *map(str, theirs)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=program.environment,
                pass_fds=theirs,
                start_new_session=True,
            )
        except BaseException:
            _close(ours)
            raise
        finally:
            _close(theirs)
        self._ours = ours
        self._requests, self._results, self._bell, _ = ours
        for descriptor in ours[:3]:
            os.set_blocking(descriptor, False)
        self.received = bytearray()

    def has_died(self) -> bool:
        """Whether the process has ended, or has closed its pipes, while nothing was asked of it."""
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in _poll(0, self._bell))

    def send(self, data: bytes, patience: float) -> None:
        """Write all of it; raises `Hung` if none of it is read for so many seconds, and `Died`."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._requests, rest) :]
            except BlockingIOError:
                if not _poll(patience, requests=self._requests):
                    raise Hung from None
            except BrokenPipeError:
                raise Died from None

    def receive(self, patience: float) -> None:
        """Wait for more in `received`; raises `Hung` if nothing comes for so many seconds, and `Died`.

        The process rings the bell when it is worth waking up. A silent process is looked at now and then: what it
        has finished by then is not part of its delay.
        """
        start = time.monotonic()
        while True:
            _poll(patience / 4, self._bell)
            bell_closed = _read_all(self._bell, bytearray())
            before = len(self.received)
            results_closed = _read_all(self._results, self.received)
            if len(self.received) > before:
                return
            if bell_closed or results_closed:  # read in this order, so nothing is missed
                raise Died
            if time.monotonic() - start >= patience:
                raise Hung

    def last_words(self) -> str:
        """How a process that has died did so."""
        try:
            status = self._popen.wait(LAST_WORDS)
        except subprocess.TimeoutExpired:
            return "the process closed its connection"
        if status == OUT_OF_MEMORY:
            return "the process ran out of memory"
        if status >= 0:
            return f"the process exited with status {status}"
        try:
            return f"the process was killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"the process was killed by signal {-status}"

    def kill(self) -> None:
        """End the process and all that it has started."""
        with suppress(ProcessLookupError, PermissionError):  # it may be gone, with all of its group
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        _close(self._ours)
        self._ours = []


def complaint(program: Program, patience: float) -> str:
    """What a program prints when it is started and ends before it is ready, in one line; "" if it does not.

    It is started once more for that: what a target prints later is nobody's business, and can be a lot.
    """
    with tempfile.TemporaryFile() as file:
        process = Process(program, file.fileno())
        try:
            process.send(frame(program.greeting), patience)
            process.receive(patience)
            return ""
        except Hung:
            return ""
        except Died:
            process.last_words()
        finally:
            process.kill()
        file.seek(0)
        printed = file.read(CHUNK).decode("utf-8", "replace")
    return in_one_line(printed)


def in_one_line(printed: str) -> str:
    """What matters most of what a program printed as it failed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = lines[-1:] if printed.startswith("Traceback") else lines[:2]  # the first can be a mere heading
    return "; ".join(told)[:LONGEST_COMPLAINT]


def _poll(patience: float, *readable: int, requests: int | None = None) -> list[tuple[int, int]]:
    poll = select.poll()
    for descriptor in readable:
        poll.register(descriptor, select.POLLIN)
    if requests is not None:
        poll.register(requests, select.POLLOUT)
    return poll.poll(patience * 1000)


def _read_all(descriptor: int, into: bytearray) -> bool:
    """Read what is there; returns whether the other end is closed."""
    with suppress(BlockingIOError):
        while data := os.read(descriptor, CHUNK):
            into += data
        return True
    return False


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
