"""Starts a program that speaks the protocol of `wire`, and exchanges bytes with it."""

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

from bonsai.targets.process_tree import ProcessTree
from bonsai.targets.wire import TOKEN, frame, new_token

CHUNK = 1 << 16
MOST_CHUNKS = 16  # read at once: who writes faster than we read does not keep us reading
LONGEST_COMPLAINT = 300
LAST_WORDS = 10.0  # seconds for a process that closed its pipes to end by itself, on a busy machine


class Hung(Exception):
    """The process was silent for too long."""


class Died(Exception):
    """The process has ended, has closed its pipes, or has written what is not an answer into them."""


class Killed(Died):
    """The process was killed by SIGKILL: most probably by somebody else."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command, which gets the descriptors of its four pipes as last arguments, and the first frame it is sent."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    greeting: bytes
    hint: str = "see what it does when it is imported"  # for those whose program does not start


class Process:
    """A running program with its pipes, and all the processes that it has started."""

    def __init__(self, program: Program, printed: int = subprocess.DEVNULL) -> None:
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for reader, writer in starmap(os.pipe, [()] * 4):
                theirs.append(reader)
                ours.append(writer)
            for index in (1, 2):  # results and bell flow the other way
                theirs[index], ours[index] = ours[index], theirs[index]
            self.tree = ProcessTree(
                [*program.command, *map(str, theirs)],
                program.environment,
                descriptors=theirs,
                stdout=printed,
                stderr=printed,
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
        self._rung = bytearray()  # the latest bytes from the bell
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
            rung = bytearray()
            bell_closed = _read(self._bell, rung)
            self._rung = rung or self._rung
            before = len(self.received)
            results_closed = _read(self._results, self.received)
            if len(self.received) > before:
                return
            if bell_closed or results_closed:  # read in this order, so nothing is missed
                raise Died
            if time.monotonic() - start >= patience:
                raise Hung

    def death(self, token: int) -> Died:
        """Returns how a process that no longer answers the request with this token has ended."""
        status = self.tree.wait(LAST_WORDS)
        if status is None:
            return Died("the process closed its connection")
        if TOKEN.pack(token) in self._rung:
            return Died("the process ran out of memory")
        if status >= 0:
            return Died(f"the process exited with status {status}")
        kind = Killed if -status == signal.SIGKILL else Died
        try:
            return kind(f"the process was killed by {signal.Signals(-status).name}")
        except ValueError:
            return kind(f"the process was killed by signal {-status}")

    def kill(self) -> None:
        """End the process and all that it has started."""
        _close(self._ours)
        self._ours = []
        self.tree.kill()


def complaint(program: Program, patience: float) -> str:
    """What a program prints when it is started and ends before it is ready, in one line; "" if it does not.

    It is started once more for that: what a target prints later is nobody's business, and can be a lot.
    """
    with tempfile.TemporaryFile() as file:
        process = Process(program, file.fileno())
        try:
            token = new_token()
            process.send(frame(token, program.greeting), patience)
            process.receive(patience)
            return ""
        except Hung:
            return ""
        except Died:
            process.death(token)
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


def _read(descriptor: int, into: bytearray) -> bool:
    """Read what is there, up to a limit; returns whether the other end is closed."""
    with suppress(BlockingIOError):
        for _ in range(MOST_CHUNKS):
            data = os.read(descriptor, CHUNK)
            into += data
            if len(data) < CHUNK:
                return not data
    return False


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
