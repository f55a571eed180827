"""Runs tasks in processes of this machine, each of which keeps its target warm.

A worker that dies is dropped, and its task is run again in another one, from its last checkpoint. A task that has
ended its worker several times has failed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait

from bonsai.errors import BonsaiError
from bonsai.subject import Subject
from bonsai.workers.process import Do, Stop
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Lost, Started, Submitted, Task, WaitingTasks

ATTEMPTS = 5  # how often a task is started before its worker's death is put down to the task
# Not `-m`: what the process sends has to be of the module, not of `__main__`.
PROGRAM = "from bonsai.workers.process import main; main()"


def cores() -> int:
    """How many processes of this machine can really run at a time."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True)
class _Worker:
    """A process, the key of what it is doing, and the keys of the results that it has been sent."""

    process: "subprocess.Popen[bytes]"
    connection: Connection
    busy: str | None = None
    has: set[str] = field(default_factory=set)


class LocalWorkers:
    """So many worker processes, started when there is something for them to do."""

    def __init__(self, subject: Subject, jobs: int) -> None:
        self._subject = subject
        self._jobs = jobs
        self._waiting = WaitingTasks()
        self._running: dict[str, Submitted] = {}
        self._results: dict[str, object] = {}
        self._workers: list[_Worker] = []
        self._stopped = False

    @property
    def slots(self) -> int:
        return self._jobs

    def provide(self, key: str, result: object) -> None:
        self._results[key] = result

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        self._waiting.add(key, Submitted(task, tuple(after)))

    def stop(self) -> None:
        self._stopped = True
        self._waiting.clear()
        for worker in self._workers:
            with suppress(OSError):
                worker.connection.send(Stop())

    def close(self) -> None:
        workers, self._workers = self._workers, []
        for worker in workers:
            _end(worker)

    def events(self, patience: float) -> Iterator[Event | None]:
        while True:
            for key in self._start_ready():
                yield Started(key)
            if not self._running:
                return
            talking = wait([worker.connection for worker in self._workers], patience)
            if not talking:
                yield None
            for worker in list(self._workers):
                event = self._hear(worker) if worker.connection in talking else self._look_after(worker)
                if event is not None:
                    yield event

    def _start_ready(self) -> list[str]:
        """Hands the tasks that can start to the workers that are free."""
        started = []
        while (worker := self._free_worker()) is not None:
            ready = self._waiting.take_ready(self._results.__contains__)
            if ready is None:
                break
            self._hand(worker, *ready)
            started.append(ready[0])
        return started

    def _free_worker(self) -> "_Worker | None":
        for worker in self._workers:
            if worker.busy is None:
                return worker
        if len(self._workers) >= self._jobs:
            return None
        try:
            self._workers.append(_start(self._subject))
        except OSError as error:
            if self._workers:
                return None  # those that there are go on
            message = f"no worker process can be started: {error.strerror or error}"
            raise BonsaiError(message, "is there enough memory? go on with --resume") from None
        return self._workers[-1]

    def _hand(self, worker: _Worker, key: str, submitted: Submitted) -> None:
        submitted.attempts += 1
        self._running[key] = submitted
        worker.busy = key
        new = {before: self._results[before] for before in submitted.after if before not in worker.has}
        worker.has |= new.keys()
        with suppress(OSError):  # if the worker is dead, listening to it will tell
            worker.connection.send(Do(key, submitted.task, submitted.after, new))

    def _hear(self, worker: _Worker) -> Event | None:
        try:
            event = worker.connection.recv()
        except Exception:  # it has died, perhaps in the middle of a message
            return self._lost(worker)
        match event:
            case Finished(key, result):
                self._results[key] = result
                worker.has.add(key)
                worker.busy = None
                del self._running[key]
            case Kept(key, state):
                self._running[key].task = self._running[key].task.resumed(state)
            case Failed(key):
                worker.busy = None
                del self._running[key]
        known: Event = event
        return known

    def _look_after(self, worker: _Worker) -> Event | None:
        """Gives up a silent worker that somebody has stopped: nobody would ever continue it."""
        return self._lost(worker) if _is_stopped(worker.process.pid) else None

    def _lost(self, worker: _Worker) -> Event | None:
        """Drops a dead worker. Its task, if it had one, is run again in another one."""
        _end(worker)
        self._workers.remove(worker)
        key = worker.busy
        if key is None:
            return None
        submitted = self._running.pop(key)
        reason = f"the worker of {key} ended with status {worker.process.returncode}"
        if submitted.attempts >= ATTEMPTS:
            hint = "is there enough memory? go on with --resume"
            return Failed(key, BonsaiError(f"{reason}, {ATTEMPTS} times", hint))
        if not self._stopped:
            self._waiting.add_first(key, submitted)
        return Lost(key, reason)


def _is_stopped(process: int) -> bool:
    """Returns whether a child process was stopped by a signal."""
    try:
        status = os.waitid(os.P_PID, process, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return status is not None and status.si_code in (os.CLD_STOPPED, os.CLD_TRAPPED)


def _start(subject: Subject) -> _Worker:
    ours, theirs = Pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # a Ctrl-C at the terminal is for the one who submits
        )
    finally:
        theirs.close()
    with suppress(OSError):
        ours.send(subject)
    return _Worker(process, ours)


def _end(worker: _Worker) -> None:
    worker.connection.close()
    worker.process.kill()
    worker.process.wait()
