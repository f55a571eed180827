"""Ctrl-C comes in; a question that a running job can ask goes out: is it time to stop?"""

import signal
from collections.abc import Callable
from types import FrameType, TracebackType


class Interruption:
    """The first Ctrl-C (or SIGTERM) asks to stop soon; the second one stops at once, as a `KeyboardInterrupt`."""

    def __init__(self) -> None:
        self._times = 0
        self._before: dict[signal.Signals, object] = {}

    def requested(self) -> bool:
        """Whether somebody wants it to stop."""
        return self._times > 0

    def stopping(self, watch: Callable[[int, int, str], None]) -> Callable[[int, int, str], None]:
        """For jobs that cannot ask but tell how far they are: they are stopped the next time they do."""

        def watched(done: int, tasks: int, what: str) -> None:
            if self.requested():
                raise KeyboardInterrupt
            watch(done, tasks, what)

        return watched

    def __enter__(self) -> "Interruption":
        for one in (signal.SIGINT, signal.SIGTERM):
            self._before[one] = signal.signal(one, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)  # type: ignore[arg-type]  # what was there before

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._times += 1
        if self._times > 1:
            raise KeyboardInterrupt
