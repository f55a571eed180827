"""Runs a callable on a text, and packs how that ended as a result of `bonsai.targets.wire`."""

import importlib
import json
import os
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from bonsai.targets.python.instrument import Probes
from bonsai.targets.python.strays import Strays
from bonsai.targets.wire import (
    CRASH,
    INVALID,
    LONGEST_MESSAGE,
    OUTPUT_WANTED,
    RESULT,
    SPENT,
    UNPARSED,
    VALID,
    mask_length,
)

LONGEST_TEXT = 4000  # characters of an exception's own message
LONGEST_OUTPUT = 2**31 - 1  # bytes, what the protocol can say

_MACHINERY = os.path.dirname(__file__), os.path.dirname(importlib.__file__)

Exceptions = tuple[type[BaseException], ...]


class Reported(Protocol):
    """What the driver reports: `bonsai.reports`, which is imported with the target."""

    def close(self) -> list[str]: ...

    def take(self) -> int: ...


class Exercised:
    """The features of one run: the arms that the probes saw, and above them what the driver reported."""

    def __init__(self, probes: Probes, reports: Reported) -> None:
        self._probes = probes
        self._reports = reports
        self.size = probes.size + len(reports.close())

    def clear(self) -> None:
        """Forget what was exercised."""
        self._probes.clear()
        self._reports.take()

    def mask(self) -> int:
        """The features exercised since the last `clear`: bit i for feature i."""
        return self._probes.mask() | self._reports.take() << self._probes.size


class Runner:
    """Runs a callable on one text at a time."""

    def __init__(
        self, check: Callable[[str], object], exercised: Exercised, invalid: Exceptions, unparsed: Exceptions
    ) -> None:
        self._check = check
        self._strays = Strays()
        self._exercised = exercised
        self._mask_length = mask_length(exercised.size)
        self._invalid = invalid
        self._unparsed = unparsed

    def run(self, text: str, wanted: int) -> bytes:
        """Returns the result of one run; raises `MemoryError` if there is no memory left for it."""
        exercised = self._exercised
        exercised.clear()
        message = b""
        try:
            value = self._check(text)
            mask = exercised.mask()
            outcome = VALID
        except BaseException as error:
            mask = exercised.mask()
            outcome, message = self._judge(error)
            value = getattr(error, "output", None) if outcome < CRASH else None
        stray = self._strays.take()
        if stray is not None and outcome < CRASH:
            outcome, message, value = CRASH, _encoded(f"{describe(stray)} in a thread"), None
        features = mask.to_bytes(self._mask_length, "little")
        if wanted != OUTPUT_WANTED:
            return RESULT.pack(outcome, len(message), -1) + features + message
        output, note = _as_json(value)
        message = message or note
        return RESULT.pack(outcome, len(message), len(output)) + features + message + output

    def _judge(self, error: BaseException) -> tuple[int, bytes]:
        if isinstance(error, self._unparsed):
            return UNPARSED, _encoded(_text(error))
        if isinstance(error, self._invalid):
            return INVALID, _encoded(_text(error))
        # What filled the memory may still be there.
        outcome = CRASH | SPENT if isinstance(error, MemoryError) else CRASH
        return outcome, _encoded(describe(error))


def describe(error: BaseException) -> str:
    """An exception in one line, the same on every machine: `Type: message (file:line)`."""
    name, text = type(error).__qualname__, _text(error)
    return f"{name}: {text}{_place(error)}" if text else f"{name}{_place(error)}"


def _place(error: BaseException) -> str:
    """The last line that is neither ours nor of Python's import."""
    place = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        folder, file = os.path.split(trace.tb_frame.f_code.co_filename)
        if folder not in _MACHINERY and not file.startswith("<frozen importlib"):
            place = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


def _text(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST_TEXT]
    except MemoryError:
        raise
    except BaseException as second:  # the target's own `__str__` can do anything
        return f"<no message: {type(second).__qualname__}>"


def _encoded(message: str) -> bytes:
    return message.encode("utf-8", "backslashreplace")[:LONGEST_MESSAGE]


def _as_json(value: object) -> tuple[bytes, bytes]:
    """The JSON text of a value; null, and a note that says why, for a value that has none."""
    try:
        output = json.dumps(value).encode("ascii")
    except BaseException as error:
        return b"null", _encoded(f"the output is no JSON: {type(error).__qualname__}: {_text(error)}")
    if len(output) > LONGEST_OUTPUT:
        return b"null", b"the output is too long"
    return output, b""
