"""The process in which mutants run: reads sources and texts as lines of JSON, answers which text kills a mutant.

The process itself never imports the target. For each mutant it forks: the child imports the target, one of its
modules changed. For each trial this child forks again: the grandchild runs texts until an answer differs from the
original's. So one import serves many corpora, and none of them sees what another has left behind. A process that a
mutant starts and leaves behind is not waited for; it ends with this one, whose group it is in. What the target
needs of the standard library is imported before, so that a fork starts warm. Like all that runs in a target's
process, this imports little.
"""

import importlib
import json
import mmap
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any, BinaryIO, NoReturn

from bonsai.mutation.answers import judged
from bonsai.targets.python.modules import find_spec, source_files
from bonsai.targets.python.server import StartError, prepare
from bonsai.targets.python.verdicts import Runner
from bonsai.targets.wire import OUTPUT_WANTED

PLACE = struct.Struct("<q")
LENGTH = struct.Struct("<q")  # before the last words of a child
CHUNK = 1 << 16
LOOK_EVERY, LOOK_OFTEN = 0.2, 0.01  # seconds between two looks at a child; often if it has closed its pipe
STARTING = -1  # the place of a child that has not yet come to its first text
Trial = Sequence[tuple[str, str]]  # texts, and the original's answers
Answer = dict[str, object]


def main(_: Sequence[str]) -> None:
    """Serves until the input ends."""
    requests, results = _connections()
    settings = json.loads(requests.readline())
    sys.path[:0] = settings["folders"]
    files: dict[str, Any] = {}
    for pattern in settings["cover"]:
        files |= source_files(pattern)
    server = Server({**settings, "cover": [], "omit": []})
    server.warm_up()
    _answer(results, {"files": {module: str(path) for module, path in files.items()}})
    pools: list[Trial] = []
    for line in requests:
        request = json.loads(line)
        if isinstance(request, list):
            pools = [list(zip(pool["texts"], pool["answers"], strict=True)) for pool in request]
            continue
        trials = [[pool[n] for n in order] for pool, order in zip(pools, request["orders"], strict=True)]
        _answer(results, server.run(request["module"], request["source"], trials))
    _end_group()


def _end_group() -> NoReturn:
    """Ends this process and all that mutants have left behind in its group."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _connections() -> tuple[BinaryIO, BinaryIO]:
    """Our input and output; the target, if it reads or writes, has none."""
    requests, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    return requests, results


def _answer(results: BinaryIO, answer: object) -> None:
    results.write(json.dumps(answer).encode() + b"\n")
    results.flush()


class Server:
    """Runs mutants in children. The limit on time is one of the processor's: a busy machine kills no mutant."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._limit: float = settings["timeout"]
        self._place = mmap.mmap(-1, PLACE.size)
        self._process, self._parent = os.getpid(), os.getppid()

    def warm_up(self) -> None:
        """Imports what the target needs of the standard library. A child finds out what that is."""

        def work() -> list[str]:
            with suppress(StartError):
                prepare(self._settings)
            return [name for name in sys.modules if name.partition(".")[0] in sys.stdlib_module_names]

        names, _ = self._forked(work, lambda place: True)
        for name in names:
            if name not in sys.modules:
                importlib.import_module(name)

    def run(self, module: str | None, source: str, trials: Sequence[Trial]) -> list[Answer]:
        """Of each trial the place of the first text whose answer is another than it should be, and how it ended."""
        PLACE.pack_into(self._place, 0, STARTING)

        def work() -> list[Answer]:
            try:
                signal.setitimer(signal.ITIMER_PROF, 10 * self._limit)
                if module is not None:
                    sys.meta_path.insert(0, _Finder(module, source))
                runner, _ = prepare(self._settings)
            except StartError:
                return [{"ended": "crash", "place": STARTING}] * len(trials)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            return [self._try(runner, texts) if texts else {"ended": "same"} for texts in trials]

        answers, how = self._forked(work, lambda place: place == STARTING)
        return answers or [{"ended": how, "place": STARTING}] * len(trials)

    def _try(self, runner: Runner, texts: Trial) -> Answer:
        PLACE.pack_into(self._place, 0, 0)

        def work() -> list[Answer]:
            for place, (text, expected) in enumerate(texts):
                PLACE.pack_into(self._place, 0, place)
                signal.setitimer(signal.ITIMER_PROF, self._limit)
                outcome, found = judged(runner.run(text, OUTPUT_WANTED))
                if found != expected:
                    return [{"ended": outcome if outcome == "crash" else "output", "place": place}]
            return [{"ended": "same"}]

        answers, how = self._forked(work, lambda place: True)
        (place,) = PLACE.unpack_from(self._place)
        return answers[0] if answers else {"ended": how, "place": place}

    def _forked(self, work: Callable[[], list[Any]], hopeless: Callable[[int], bool]) -> tuple[list[Any], str]:
        """Runs work in a child. Returns its result, or nothing and how the child ended: a crash or a time-out."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _tell(work, writer)
        os.close(writer)
        try:
            words, status, killed = self._hear(child, reader, hopeless)
        finally:
            os.close(reader)
        timed_out = killed or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)
        return json.loads(words or b"[]"), "timeout" if timed_out else "crash"

    def _hear(self, child: int, reader: int, hopeless: Callable[[int], bool]) -> tuple[bytes, int, bool]:
        """Returns the last words of a child, its status, and whether it was killed: it slept and made no progress.

        The end of the pipe says nothing: what the child leaves behind may hold it open, and the child may close it.
        """
        patience = 20 * self._limit + 10
        heard, readers, seen, look_at = b"", [reader], None, time.monotonic() + patience
        ended = status = 0
        while True:
            if not ended:
                ended, status = os.waitpid(child, os.WNOHANG)
            pause = 0 if ended else LOOK_EVERY if readers else LOOK_OFTEN
            if select.select(readers, [], [], pause)[0]:
                part = os.read(reader, CHUNK)
                heard += part
                readers = [reader] if part else []
            elif os.getpid() == self._process and os.getppid() != self._parent:
                _end_group()  # nobody is left to whom the answer would matter
            elif ended:
                return _words(heard) or b"", status, False
            if (words := _words(heard)) is not None:
                return words, status if ended else os.waitpid(child, 0)[1], False
            if not ended and time.monotonic() >= look_at:
                (place,) = PLACE.unpack_from(self._place)
                if place == seen and hopeless(place):
                    os.kill(child, signal.SIGKILL)
                    return b"", os.waitpid(child, 0)[1], True
                seen, look_at = place, time.monotonic() + patience


def _tell(work: Callable[[], list[Any]], writer: int) -> NoReturn:
    """Runs work in a child that was just forked, writes the result, and ends. What it forks writes nothing."""
    child, words = os.getpid(), b""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        words = json.dumps(work()).encode()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        if os.getpid() == child:
            os.write(writer, LENGTH.pack(len(words)) + words)
        os._exit(0)


def _words(heard: bytes) -> bytes | None:
    """Returns the last words of a child, or None if not all of them have arrived."""
    if len(heard) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack_from(heard)
    return heard[LENGTH.size : LENGTH.size + length] if len(heard) >= LENGTH.size + length else None


class _Finder:
    """Finds one module as the other finders do, and gives it another source."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if name != self._module:
            return None
        spec = find_spec(name, path, without=self)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path, self._source)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)
