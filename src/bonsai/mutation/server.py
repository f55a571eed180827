"""The process in which mutants run: sources and texts come in, as lines of JSON; what killed a mutant goes out.

The process itself never imports the target. For each mutant it forks: the child imports the target, one of its
modules changed. For each trial this child forks again: the grandchild runs texts until an answer differs from the
original's. So one import serves many corpora, and none of them sees what another has left behind. What the target
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
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any, BinaryIO

from bonsai.mutation.answers import judged
from bonsai.targets.python.modules import find_spec, source_files
from bonsai.targets.python.server import StartError, prepare
from bonsai.targets.python.verdicts import Runner
from bonsai.targets.wire import OUTPUT_WANTED

PLACE = struct.Struct("<q")
STARTING = -1  # the place of a child that has not yet come to its first text
Trial = Sequence[tuple[str, str]]  # texts, and the original's answers
Answer = dict[str, object]


def main(_: Sequence[str]) -> None:
    """Serve until the input ends."""
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

    def _forked(
        self, work: Callable[[], list[Answer]], hopeless: Callable[[int], bool]
    ) -> tuple[list[Answer], str]:
        """What a child says before it ends; if it ends without a word, how: a crash or a time-out."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            words = b""
            try:
                os.close(reader)
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                words = json.dumps(work()).encode()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                os.write(writer, words)
                os._exit(0)
        os.close(writer)
        timed_out = self._wait(child, reader, hopeless)
        with open(reader, "rb") as said:
            words = said.read()
        _, status = os.waitpid(child, 0)
        timed_out = timed_out or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)
        return json.loads(words or b"[]"), "timeout" if timed_out else "crash"

    def _wait(self, child: int, reader: int, hopeless: Callable[[int], bool]) -> bool:
        """Wait for the child's last words, or its end. One that sleeps, and makes no progress, is killed."""
        patience, seen = 20 * self._limit + 10, None
        while True:
            ready, _, _ = select.select([reader], [], [], patience)
            (place,) = PLACE.unpack_from(self._place)
            if ready:
                return False
            if place == seen and hopeless(place):
                os.kill(child, signal.SIGKILL)
                return True
            seen = place


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
