"""The process in which mutants run: sources and texts come in, as lines of JSON; what killed a mutant goes out.

The process itself never imports the target. For each mutant it forks: the child imports the target, one of its
modules changed, and runs the texts until an answer differs from the original's. What the target needs of the
standard library is imported before, so that a fork starts warm. Like all that runs in a target's process, this
imports little.
"""

import importlib
import json
import mmap
import os
import select
import signal
import struct
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any, BinaryIO

from bonsai.mutation.answers import judged
from bonsai.targets.python.modules import find_spec, source_files
from bonsai.targets.python.server import StartError, prepare
from bonsai.targets.wire import OUTPUT_WANTED

PLACE = struct.Struct("<q")
STARTING = -1  # the place of a child that has not yet come to its first text


def main(_: Sequence[str]) -> None:
    """Serve until the input ends."""
    requests, results = _connections()
    settings = json.loads(requests.readline())
    sys.path.insert(0, settings["folder"])
    files: dict[str, Any] = {}
    for pattern in settings["cover"]:
        files |= source_files(pattern)
    server = Server({**settings, "cover": [], "omit": []})
    server.warm_up()
    _answer(results, {"files": {module: str(path) for module, path in files.items()}})
    pool: list[tuple[str, str]] = []
    for line in requests:
        request = json.loads(line)
        if "texts" in request:
            pool = list(zip(request["texts"], request["answers"], strict=True))
            continue
        texts = [pool[number] for number in request["order"]]
        _answer(results, server.run(request["module"], request["source"], texts))


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

    def warm_up(self) -> None:
        """Import what the target needs of the standard library. A child finds out what that is."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                prepare(self._settings)
            finally:
                loaded = [name for name in sys.modules if name.partition(".")[0] in sys.stdlib_module_names]
                os.write(writer, json.dumps(loaded).encode())
                os._exit(0)
        os.close(writer)
        with open(reader, "rb") as said:
            names = json.loads(said.read() or b"[]")
        os.waitpid(child, 0)
        for name in names:
            if name not in sys.modules:
                importlib.import_module(name)

    def run(self, module: str | None, source: str, texts: Sequence[tuple[str, str]]) -> dict[str, object]:
        """The place of the first text whose answer is another than it should be, and how it ended."""
        PLACE.pack_into(self._place, 0, STARTING)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            self._in_child(module, source, texts, writer)
        os.close(writer)
        timed_out = self._wait(child, reader)
        with open(reader, "rb") as said:
            words = said.read()
        _, status = os.waitpid(child, 0)
        (place,) = PLACE.unpack_from(self._place)
        if words:
            answer: dict[str, object] = json.loads(words)
            return answer
        if timed_out or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
            return {"ended": "timeout", "place": place}
        return {"ended": "crash", "place": place}

    def _wait(self, child: int, reader: int) -> bool:
        """Wait for the child's last words, or its end. One that sleeps, and makes no progress, is killed."""
        patience, seen = 20 * self._limit + 10, None
        while True:
            ready, _, _ = select.select([reader], [], [], patience)
            (place,) = PLACE.unpack_from(self._place)
            if ready:
                return False
            if place == seen:
                os.kill(child, signal.SIGKILL)
                return True
            seen = place

    def _in_child(self, module: str | None, source: str, texts: Sequence[tuple[str, str]], writer: int) -> None:
        """Never returns."""
        answer: dict[str, object] = {"ended": "crash", "place": STARTING}
        try:
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, 10 * self._limit)
            if module is not None:
                sys.meta_path.insert(0, _Finder(module, source))
            runner, _ = prepare(self._settings)
            answer = {"ended": "same"}
            for place, (text, expected) in enumerate(texts):
                PLACE.pack_into(self._place, 0, place)
                signal.setitimer(signal.ITIMER_PROF, self._limit)
                outcome, found = judged(runner.run(text, OUTPUT_WANTED))
                if found != expected:
                    answer = {"ended": outcome if outcome == "crash" else "output", "place": place}
                    break
        except StartError:
            pass
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)


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
