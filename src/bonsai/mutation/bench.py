"""A subject comes in; its mutants go out, and which texts kill them.

The original runs as a target like any other; the mutants run in processes of their own (`server.py`).
"""

import json
import os
import signal
import subprocess
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from bonsai.corpus import size_of
from bonsai.errors import BonsaiError
from bonsai.extras import require
from bonsai.mutation.answers import digest
from bonsai.mutation.mutants import Mutant, Mutants, mutants_of
from bonsai.mutation.reach import Reach
from bonsai.mutation.server import STARTING
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Target, Wanted
from bonsai.targets.python.engine import greeting, interpreter
from bonsai.targets.settings import PythonTarget

BATCH = 64
Watch = Callable[[int, int], None]


def unwatched(done: int, tasks: int) -> None:
    """For those who do not want to know how far it is."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts, the smallest first, with what the original answers and which features they exercise."""

    texts: list[str]
    answers: list[str]
    features: list[int]

    def reaching(self, feature: int | None) -> list[int]:
        """The texts, by number, that exercise a feature; all of them for None."""
        return [n for n, mask in enumerate(self.features) if feature is None or mask >> feature & 1]


@dataclass(frozen=True, slots=True)
class Kill:
    """The smallest text of a pool that kills a mutant, and how: another output, a crash, or a time-out."""

    text: str
    how: str


_Task = tuple[Mutant, list[list[int]]]  # texts of each pool, by number


class Bench:
    """The mutants of a subject's covered modules, ready to be run.

    Those that turn out to be `stillborn`, so that they cannot even be imported, are no longer among the mutants: it
    takes no test to notice them. All are known after `kills` was asked of all mutants.
    """

    def __init__(self, subject: Subject, jobs: int = 1, target: Target | None = None) -> None:
        """Starts the processes. A target that is given is the original, and stays open."""
        settings = require_mutable(subject)
        self._given = target
        self._target: Target = target or start_target(subject)
        self._servers: list[_Server] = []
        self._imported: set[Mutant] = set()
        self.stillborn: set[Mutant] = set()
        try:
            for _ in range(jobs):
                self._servers.append(_Server(settings, subject.folder))
            sources = {module: _source(path) for module, path in self._servers[0].files.items()}
            reach = {module: Reach(module, source, self._target.features) for module, source in sources.items()}
            self.made: Mutants = mutants_of(sources)
            self._reached_by = {one: reach[one.module].feature(one.line, one.column) for one in self.made.mutants}
        except BaseException:
            self.close()
            raise

    def pool(self, texts: Iterable[str]) -> Pool:
        """Returns texts to run mutants on, with the original's answers."""
        return pool_of(self._target, texts)

    @property
    def mutants(self) -> list[Mutant]:
        """The mutants that count, in the order of their places."""
        return [one for one in self.made.mutants if one not in self.stillborn]

    def kills(self, mutants: Sequence[Mutant], pool: Pool, watch: Watch = unwatched) -> dict[Mutant, Kill]:
        """The mutants that some text of the pool kills."""
        [found] = self.kills_in([pool], [mutants], watch)
        return found

    def kills_in(
        self, pools: Sequence[Pool], mutants: Sequence[Sequence[Mutant]], watch: Watch = unwatched
    ) -> list[dict[Mutant, Kill]]:
        """The same of several pools, each with mutants of its own: a mutant is imported once for all of them."""
        tasks = list(self._tasks(pools, mutants))
        found: list[dict[Mutant, Kill]] = [{} for _ in pools]
        for done, (mutant, orders, answers) in enumerate(self._run(tasks, pools), start=1):
            for killed, pool, order, answer in zip(found, pools, orders, answers, strict=True):
                if answer["ended"] != "same" and answer["place"] != STARTING:
                    killed[mutant] = Kill(pool.texts[order[answer["place"]]], answer["ended"])
            died = any(answer.get("place") == STARTING for answer in answers)
            (self.stillborn if died else self._imported).add(mutant)
            watch(done, len(tasks))
        return found

    def _tasks(self, pools: Sequence[Pool], mutants: Sequence[Sequence[Mutant]]) -> Iterator[_Task]:
        """Which texts to run on each mutant: only those that reach its place."""
        wanted = [set(some) for some in mutants]
        for one in {one: None for some in mutants for one in some}:
            feature = self._reached_by.get(one)
            orders = [
                pool.reaching(feature) if one in some else [] for pool, some in zip(pools, wanted, strict=True)
            ]
            if any(orders) or one not in self._imported:
                yield one, orders

    def _run(self, tasks: Sequence[_Task], pools: Sequence[Pool]) -> Iterator[tuple[Mutant, list[list[int]], Any]]:
        """The servers' answers, as they come."""
        idle: SimpleQueue[_Server] = SimpleQueue()
        for server in self._servers:
            server.load(pools)
            idle.put(server)

        def run(task: _Task) -> tuple[Mutant, list[list[int]], Any]:
            server = idle.get()
            try:
                return *task, server.run(*task)
            finally:
                idle.put(server)

        executor = ThreadPoolExecutor(len(self._servers))
        try:
            yield from executor.map(run, tasks)
        except BaseException:
            self.close()  # so that nobody waits for an answer
            raise
        finally:
            executor.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Stops all processes that it has started."""
        if self._given is None:
            self._target.close()
        for server in self._servers:
            server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def pool_of(target: Target, texts: Iterable[str]) -> Pool:
    """Runs the original on texts. Those that it crashes on, or takes too long for, are left out of the pool."""
    ordered = sorted(set(texts), key=size_of)
    found = Pool([], [], [])
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        for text, execution in zip(batch, target.execute(batch, Wanted.OUTPUT), strict=True):
            if not execution.outcome.is_finding:
                found.texts.append(text)
                found.answers.append(digest(execution.outcome.value, execution.message, execution.output))
                found.features.append(execution.features)
    return found


def require_mutable(subject: Subject) -> PythonTarget:
    """The settings of a program that can be mutated here; to be asked before hours of other work."""
    if not isinstance(subject.target, PythonTarget):
        raise BonsaiError(f"the subject {subject.name} has no Python program", "only these can be mutated")
    require("making mutants", "cosmic_ray")
    return subject.target


def _source(path: str) -> str:
    """The text of a module, in whatever encoding it declares."""
    with tokenize.open(path) as file:
        return file.read()


class _Server:
    """One process that runs mutants, one after the other."""

    def __init__(self, settings: PythonTarget, folder: Path) -> None:
        command, environment = interpreter("bonsai.mutation.server")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # a Ctrl-C at the terminal is not for it
        )
        try:
            self._send(greeting(settings, folder) | {"timeout": settings.timeout})
            self.files: dict[str, str] = self._receive()["files"]
        except BaseException:
            self.close()
            raise

    def load(self, pools: Sequence[Pool]) -> None:
        """Hand over pools; they take the place of the last ones."""
        self._send([{"texts": pool.texts, "answers": pool.answers} for pool in pools])

    def run(self, mutant: Mutant, orders: list[list[int]]) -> Any:
        """How a mutant fares on some texts of each pool."""
        self._send({"module": mutant.module, "source": mutant.source, "orders": orders})
        return self._receive()

    def close(self) -> None:
        """End the process and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def _send(self, request: object) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with suppress(BrokenPipeError):  # the missing answer will tell
            pipe.write(json.dumps(request).encode() + b"\n")
            pipe.flush()

    def _receive(self) -> Any:
        pipe = self._process.stdout
        assert pipe is not None
        line = pipe.readline()
        if not line:
            raise BonsaiError("a process that runs mutants has ended", "is there enough memory?")
        return json.loads(line)
