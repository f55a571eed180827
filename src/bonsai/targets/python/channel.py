"""The target's side of the protocol in `bonsai.targets.wire`."""

import _thread
import fcntl
import os
import select
import signal
import struct
import sys
from typing import NoReturn

from bonsai.targets.wire import FRAME, LENGTH, REQUEST, TOKEN, UNANNOUNCED, frame


class Channel:
    """The four pipes. Their descriptors are not inherited by programs that the target starts."""

    def __init__(self, requests: int, results: int, bell: int, life: int) -> None:
        for descriptor in (requests, results, bell, life):
            os.set_inheritable(descriptor, False)
        self._requests = open(requests, "rb")  # noqa: SIM115 (open as long as the process)
        self._results = results
        self._bell = bell
        self._unannounced = 0
        self._token = 0
        self._latest = b""  # the token of the latest request, packed while there is memory
        os.register_at_fork(after_in_child=self._disconnect)
        _end_with(life)

    def greeting(self) -> bytes:
        """Returns the JSON text that the loop sends first."""
        self._token, length = FRAME.unpack(self._read(FRAME.size))
        return self._read(length)

    def answer(self, text: bytes) -> None:
        """Answer the greeting with a JSON text."""
        self._write(frame(self._token, text))
        self.ring()

    def request(self) -> tuple[list[str], int]:
        """Returns the next batch of texts, and what is wanted."""
        self._token, number, wanted = REQUEST.unpack(self._read(REQUEST.size))
        self._latest = TOKEN.pack(self._token)
        lengths = struct.unpack(f"<{number}I", self._read(number * LENGTH))
        return [self._read(length).decode("utf-8", "surrogatepass") for length in lengths], wanted

    def result(self, data: bytes) -> None:
        """Send the result of the next text; it can be read even if the process dies right after."""
        self._write(TOKEN.pack(self._token) + data)
        self._token += 1

    def end_without_memory(self) -> NoReturn:
        """End the process, and say why; this needs no memory."""
        os.write(self._bell, self._latest)
        os._exit(1)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.write(self._results, rest[:UNANNOUNCED])
            rest = rest[written:]
            self._unannounced += written
            if self._unannounced >= UNANNOUNCED:
                self.ring()

    def ring(self) -> None:
        """Wake the reader."""
        os.write(self._bell, b"\n")
        self._unannounced = 0

    def _read(self, length: int) -> bytes:
        data = self._requests.read(length)
        if len(data) < length:
            os._exit(0)  # the loop has ended
        return data

    def _disconnect(self) -> None:
        """In a process that the target has forked: if it comes back from the target, it ends."""
        null = os.open(os.devnull, os.O_RDONLY)
        for descriptor in (self._requests.fileno(), self._results, self._bell):
            os.dup2(null, descriptor, inheritable=False)
        os.close(null)


def _end_with(life: int) -> None:
    """End this process when the other end of the pipe is closed, even in the middle of an endless loop."""
    if sys.platform == "linux":
        # The kernel sends SIGIO, which kills; a thread would wait for ever for one that never yields.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
        poll = select.poll()
        poll.register(life, select.POLLIN)
        if poll.poll(0):
            os._exit(0)  # it was closed before
    else:
        _thread.start_new_thread(_wait_for_end, (life,))


def _wait_for_end(life: int) -> None:
    os.read(life, 1)
    os._exit(0)
