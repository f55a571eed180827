"""How much is done comes in; what people see of it goes out: a bar on a terminal, or lines in a log."""

import sys
from time import monotonic
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

EVERY_IN_A_LOG = 10.0


class Counter:
    """Called with how many are done, of how many; prints to standard error, so that results can be piped."""

    def __init__(self, what: str, silent: bool) -> None:
        self._what = what
        self._silent = silent
        self._console = Console(stderr=True, highlight=False)
        self._bar: Progress | None = None
        self._shown = monotonic()

    def __enter__(self) -> "Counter":
        if not self._silent and sys.stderr.isatty():
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self._console)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, tasks: int, what: str | None = None) -> None:
        label = what or self._what
        if self._bar is not None:
            if not self._bar.tasks or self._bar.tasks[-1].description != label:
                self._bar.add_task(label, total=tasks)
            self._bar.update(self._bar.tasks[-1].id, completed=done, total=tasks)
        elif not self._silent and monotonic() - self._shown >= EVERY_IN_A_LOG:
            self._shown = monotonic()
            self._console.print(f"{done} of {tasks} {label}", markup=False, soft_wrap=True)
