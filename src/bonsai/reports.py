"""What a driver has seen comes in, by name; features go out, beside the branch arms that the engine finds.

A driver says when it is imported what it may report, and reports while it checks an input:

    declare("a loop", "a loop in a loop")

    def check(text):
        ...
        report("a loop")

Outside of Bonsai both have no effect. This module is loaded into Python targets: it imports nothing.
"""


class ReportError(Exception):
    """A driver's mistake: it reports what it has not declared, or declares too late or twice."""


class Reports:
    """The names that were declared, in order, and which of them were reported."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._closed = False
        self._reported = 0

    def declare(self, *names: str) -> None:
        """Add names that may be reported; only as long as the driver is being imported."""
        for name in names:
            if self._closed:
                raise ReportError(f"{name!r} is declared too late: declare it when the driver is imported")
            if name in self._bits:
                raise ReportError(f"{name!r} is declared twice")
            self._bits[name] = 1 << len(self._bits)

    def report(self, *names: str) -> None:
        """Note that the current input shows something."""
        for name in names:
            bit = self._bits.get(name)
            if bit is None:
                raise ReportError(
                    f"{name!r} is reported but was not declared: call bonsai.reports.declare({name!r})"
                )
            self._reported |= bit

    def close(self) -> list[str]:
        """For the engine, once the driver is imported: all names; from now on none can be added."""
        self._closed = True
        return list(self._bits)

    def take(self) -> int:
        """For the engine: what was reported since the last call, bit i for the i-th name."""
        reported, self._reported = self._reported, 0
        return reported


reports = Reports()
declare = reports.declare
report = reports.report
