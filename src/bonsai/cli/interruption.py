"""Signals that ask a running job to stop: it ends soon, and keeps what it has found."""

import os
import signal
import sys
from types import FrameType, TracebackType

# Ctrl-C; what `kill` and batch systems send; a closed terminal; Ctrl-\\.
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)


class Interruption:
    """The first signal asks to stop soon; the second one stops at once, as a `KeyboardInterrupt`."""

    def __init__(self) -> None:
        self._times = 0
        self._before: dict[signal.Signals, object] = {}

    def requested(self) -> bool:
        """Returns whether somebody wants the job to stop."""
        return self._times > 0

    def __enter__(self) -> "Interruption":
        for number in ASKING:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under `nohup`
                self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what was there before

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._times += 1
        if number == signal.SIGHUP:
            _leave_terminal()
        elif self._times > 1:
            raise KeyboardInterrupt


def _leave_terminal() -> None:
    """Sends what is still to be printed nowhere: writing to a terminal that was closed is an error."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.isatty():
            os.dup2(null, stream.fileno())
    os.close(null)
