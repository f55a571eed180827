"""A task comes in on a worker of a Dask cluster; its events and its result go out.

A bench is what a run has on each worker: the subject, and the workshops, one per task that runs at the same time.
Tasks run in threads of the worker, so nothing here needs the main thread.
"""

import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from time import monotonic, time
from typing import Any

from distributed import Reschedule, Worker, WorkerPlugin, get_worker

from bonsai.errors import BonsaiError
from bonsai.subject import BUNDLED, Subject
from bonsai.version import DISTRIBUTION, bonsai_version
from bonsai.workers.process import as_bonsai_error
from bonsai.workers.tasks import Started, Task, Told
from bonsai.workers.workshop import Workshop

IDLE = 30.0  # seconds without a task, after which targets are stopped: the run may be gone without a word
LOOK_EVERY = 5.0  # seconds


@dataclass(frozen=True, slots=True)
class KeptHere:
    """A task has reached a checkpoint, which is to be fetched: events are small, since schedulers remember them."""

    key: str


def refused(place: str, theirs: str | None, ours: str) -> BonsaiError:
    """A worker with another Bonsai would compute something else."""
    found = f"has Bonsai {theirs}" if theirs else "has no Bonsai"
    return BonsaiError(f"{place} {found}, this is Bonsai {ours}", f"install {DISTRIBUTION}=={ours} there")


class Bench(WorkerPlugin):
    """The place of one run on a worker. Dask brings it to every worker, also to those that join later."""

    def __init__(self, name: str, subject: Subject) -> None:
        self.name = name
        self._version = bonsai_version()
        self._bundled = subject.folder.name if subject.folder.parent == BUNDLED else None
        self._subject = replace(subject, folder=subject.folder.resolve())

    def setup(self, worker: Worker) -> None:
        self.worker = worker
        self.kept: dict[str, bytes] = {}
        self.stopping = False
        self._results: dict[str, object] = {}
        self._free: list[Workshop] = []
        self._lock = Lock()
        self._tasks = 0  # that are running
        self._used = monotonic()
        self._closed = Event()
        Thread(target=self._stop_idle_targets, daemon=True).start()

    def teardown(self, worker: Worker) -> None:
        self._closed.set()
        self._clear()

    def _stop_idle_targets(self) -> None:
        """Stops the targets of a run that has had no task for some time. They start again when they are needed."""
        while not self._closed.wait(LOOK_EVERY):
            with self._lock:
                is_idle = not self._tasks and monotonic() - self._used > IDLE
            if is_idle:
                self._clear()

    def _clear(self) -> None:
        with self._lock:
            free, self._free = self._free, []
            self._results = {}
        for workshop in free:
            workshop.close()

    def tell(self, event: object) -> None:
        """To the one who submits; `log_event` may be called in any thread."""
        self.worker.log_event(self.name, (self.worker.address, pickle.dumps(event)))

    def do(self, key: str, task: Task, skew: float, before: dict[str, object]) -> object:
        """Runs a task in a free workshop. `skew` is how far the clock of the one who submitted it is ahead."""
        if key in self._results:  # the worker that had this result has died, but it has been here as well
            return self._results[key]
        self._results.update(before)
        self.tell(Started(key))
        workshop = self._enter()
        channel = _BenchChannel(key, self, skew)
        try:
            result = task(workshop, list(before.values()), channel)
        except BaseException:
            workshop.close()
            self._leave(None)
            raise
        finally:
            self.kept.pop(key, None)
        self._leave(workshop)
        if channel.forsaken:
            self._clear()
            raise Reschedule  # should Dask change its mind: half a result must not pass for a whole one
        return result

    def _enter(self) -> Workshop:
        with self._lock:
            workshop = self._free.pop() if self._free else Workshop(self._subject_here())
            self._tasks += 1
            return workshop

    def _leave(self, workshop: Workshop | None) -> None:
        """Takes a workshop back; None stands for one that was closed."""
        with self._lock:
            self._tasks -= 1
            self._used = monotonic()
            self._free += [] if workshop is None else [workshop]
        if self._closed.is_set():
            self._clear()

    def _subject_here(self) -> Subject:
        """The subject with the folder that it has on this machine. Its grammar and its settings came with it."""
        here = self.worker.address
        if bonsai_version() != self._version:
            raise refused(f"the worker {here}", bonsai_version(), self._version)
        subject = self._subject
        if self._bundled is not None:
            return replace(subject, folder=BUNDLED / self._bundled)
        if subject.target is not None and not subject.folder.is_dir():
            raise BonsaiError(
                f"the worker {here} has no folder {subject.folder}",
                "the program under test has to be there too: share the folder, or copy it",
            )
        return subject


class OwnSession(WorkerPlugin):
    """For workers that were started here: a Ctrl-C at the terminal is for the one who submits."""

    name = "bonsai-own-session"

    def setup(self, worker: Worker) -> None:
        with suppress(OSError):  # it has one already
            os.setsid()


class _BenchChannel:
    """Events over Dask. A task that nobody waits for any more, since its run is gone, is asked to finish too."""

    def __init__(self, key: str, bench: Bench, skew: float) -> None:
        self._key = key
        self._bench = bench
        self._skew = skew
        self._name: Any = bench.worker.get_current_task()
        self._tasks = bench.worker.state.tasks
        self.forsaken = False

    def tell(self, news: object) -> None:
        self._bench.tell(Told(self._key, news))

    def keep(self, state: bytes) -> None:
        self._bench.kept[self._key] = state
        self._bench.tell(KeptHere(self._key))

    def stopping(self) -> bool:
        task = self._tasks.get(self._name)
        if task is None or task.state != "executing":
            self.forsaken = True
        return self.forsaken or self._bench.stopping

    def now(self) -> float:
        return time() + self._skew


def _bench(name: str, worker: Worker) -> Bench:
    bench = worker.plugins.get(name)
    if not isinstance(bench, Bench):
        raise BonsaiError(f"the worker {worker.address} does not know this run", "is its Bonsai the same as here?")
    return bench


def perform(name: str, key: str, task: Task, sent: float, after: Sequence[str], *before: object) -> object:
    """Runs a task as a Dask task: the results that it comes after are arguments, so they travel between workers.

    `sent` is when the task was sent, by the clock of the one who submitted it.
    """
    try:
        return _bench(name, get_worker()).do(key, task, sent - time(), dict(zip(after, before, strict=True)))
    except Reschedule:
        raise
    except Exception as error:
        raise as_bonsai_error(error) from None


def hand_on(result: object) -> object:
    """The Dask task of a result that was there before: unlike scattered data, it survives its worker."""
    return result


def ask_to_stop(name: str, dask_worker: Worker) -> None:
    """Let the tasks of a run finish early. Runs in the worker's event loop."""
    _bench(name, dask_worker).stopping = True


def fetch_kept(name: str, key: str, dask_worker: Worker) -> bytes | None:
    """The last checkpoint of a task, unless it has finished. Runs in the worker's event loop."""
    return _bench(name, dask_worker).kept.get(key)
