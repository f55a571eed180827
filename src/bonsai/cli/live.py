"""News of a job come in; what people see of it goes out: one line that is kept up to date, or lines in a log."""

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Generic, Self, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.status import Status

EVERY_ON_A_TERMINAL = 0.2
EVERY_IN_A_LOG = 10.0

News = TypeVar("News")


class LiveLine(Generic[News]):
    """Called with news; prints to standard error, so that results can be piped.

    `line` makes the text, from the news and the seconds since the start.
    """

    def __init__(
        self, silent: bool, line: Callable[[News, float], str], every_in_a_log: float = EVERY_IN_A_LOG
    ) -> None:
        self._silent = silent
        self._line = line
        self._every_in_a_log = every_in_a_log
        self._console = Console(stderr=True, highlight=False)
        self._status: Status | None = None
        self._started = self._shown = monotonic()

    def __enter__(self) -> Self:
        if not self._silent and sys.stderr.isatty():
            self._status = self._console.status("starting the target")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, news: News) -> None:
        now = monotonic()
        if self._silent or now - self._shown < (EVERY_ON_A_TERMINAL if self._status else self._every_in_a_log):
            return
        self._shown = now
        line = self._line(news, now - self._started)
        if self._status is not None:
            self._status.update(escape(line))
        else:
            self._console.print(line, markup=False, soft_wrap=True)
