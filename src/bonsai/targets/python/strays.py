"""Threads that a target starts come in; the exception that ended one goes out, as nobody else would hear of it."""

import importlib
from typing import Any


class Strays:
    """Watches the threads of this process. It is made when the target is imported, which may cover `threading`."""

    def __init__(self) -> None:
        threading: Any = importlib.import_module("threading")
        self._count = threading.active_count
        self._threads = threading.enumerate
        self._older: frozenset[object] = frozenset()  # left behind by texts before
        self._latest: BaseException | None = None
        if threading.excepthook is threading.__excepthook__:  # else the target sees to it itself
            threading.excepthook = self._died

    def take(self) -> BaseException | None:
        """What ended a thread that was started since the last call, if anything did."""
        latest, self._latest = self._latest, None
        if self._count() > 1:
            self._older = frozenset(self._threads())
        elif self._older:
            self._older = frozenset()
        return latest

    def _died(self, arguments: Any) -> None:
        if arguments.thread not in self._older and not issubclass(arguments.exc_type, SystemExit):
            self._latest = arguments.exc_value
