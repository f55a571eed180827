"""What people see while a fuzzer runs: one line that is kept up to date, or now and then a line in a log."""

import sys
from time import monotonic
from types import TracebackType

from rich.console import Console
from rich.status import Status

from bonsai.cbgf import Cbgf
from bonsai.corpus import mean_size

EVERY_ON_A_TERMINAL = 0.2
EVERY_IN_A_LOG = 10.0


class FuzzView:
    """Called after each visit of a parent; prints to standard error, so that results can be piped."""

    def __init__(self, silent: bool) -> None:
        self._silent = silent
        self._console = Console(stderr=True, highlight=False)
        self._status: Status | None = None
        self._started = self._shown = monotonic()

    def __enter__(self) -> "FuzzView":
        if not self._silent and sys.stderr.isatty():
            self._status = self._console.status("starting the target")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, fuzzer: Cbgf) -> None:
        now = monotonic()
        if self._silent or now - self._shown < (EVERY_ON_A_TERMINAL if self._status else EVERY_IN_A_LOG):
            return
        self._shown = now
        line = self._line(fuzzer, now - self._started)
        if self._status is not None:
            self._status.update(line)
        else:
            self._console.print(line, markup=False, soft_wrap=True)

    @staticmethod
    def _line(fuzzer: Cbgf, seconds: float) -> str:
        members = fuzzer.corpus.inputs()
        tally = fuzzer.tally
        return (
            f"{seconds:.0f} s  {tally.executions:,} executions ({tally.executions / max(seconds, 0.001):,.0f}/s)  "
            f"{fuzzer.corpus.covered.bit_count()} features  "
            f"{len(members)} tests of {mean_size(members):.1f} characters  "
            f"chance of something new {fuzzer.discovery.residual:.2%}"
        )
