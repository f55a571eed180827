"""Runs tasks on a Dask cluster, each as one Dask task.

A task goes to Dask when those that it comes after are done and a thread of the cluster is free for it, so a task
that fails takes no other one with it. Results travel between the workers, and come here as well. Progress comes
over a topic of the scheduler; a checkpoint is fetched when it is announced there. A task whose worker dies is run
again by Dask, from its beginning.
"""

import asyncio
import logging
import pickle
import platform
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic, time
from typing import Any
from uuid import uuid4

from bonsai.errors import BonsaiError
from bonsai.extras import how_to_install
from bonsai.subject import Subject
from bonsai.version import DISTRIBUTION, bonsai_version
from bonsai.workers.local import cores
from bonsai.workers.tasks import (
    Event,
    Failed,
    Finished,
    Kept,
    Lost,
    Started,
    Submitted,
    Task,
    Told,
    WaitingTasks,
)

try:
    import dask
    from distributed import Client, Future, KilledWorker, LocalCluster

    from bonsai.workers.bench import Bench, KeptHere, OwnSession, ask_to_stop, fetch_kept, hand_on, perform, refused
except ImportError as error:
    raise BonsaiError(f"clusters need Dask, which is not installed ({error})", how_to_install("cluster")) from None

LOCAL = "local"
PATIENCE = 8.0  # seconds for a scheduler to answer
FIRST_WORKER = 20.0  # seconds for the first worker to be there
LAST_WORKER = 60.0  # seconds that a run waits for a new worker when all are gone
LOOK_EVERY = 2.0  # seconds between two looks at the workers
_SILENT = logging.CRITICAL + 1
_GO_ON = "go on with --resume"


@dataclass(frozen=True, slots=True)
class _Heard:
    """An event, as a worker told it."""

    worker: str
    event: Event


@dataclass(frozen=True, slots=True)
class _Ended:
    """A task will have no result."""

    key: str
    error: Exception


class ClusterWorkers:
    """The workers of the Dask scheduler at an address; for `local`, one per core, started for the run."""

    def __init__(self, subject: Subject, address: str) -> None:
        self._name = f"bonsai-{uuid4().hex[:12]}"
        self._inbox: SimpleQueue[_Heard | Kept | Finished | _Ended] = SimpleQueue()
        self._waiting = WaitingTasks()
        self._futures: dict[str, Future[object]] = {}
        self._done: set[str] = set()  # the keys of results
        self._pending: set[str] = set()  # the keys of what Dask has, and is not done
        self.running: dict[str, str] = {}  # the worker of each task
        self._stopped = False
        self._address = address
        self._ending = ExitStack()
        try:
            self._ending.enter_context(_Hushed())
            self._client = self._ending.enter_context(self._connect(address))
            self._slots = _require_workers(self._client, address)
            self._with_workers = monotonic()
            self._ending.callback(self._leave)
            self._client.register_plugin(Bench(self._name, subject))
            self._client.subscribe_topic(self._name, self._hear)
            self._soon(self._look_around())
        except BaseException:
            self._ending.close()
            raise

    @property
    def slots(self) -> int:
        return self._slots

    def provide(self, key: str, result: object) -> None:
        self._futures[key] = self._to_dask("result", key, hand_on, result)
        self._done.add(key)

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        self._waiting.add(key, Submitted(task, tuple(after)))

    def events(self, patience: float) -> Iterator[Event | None]:
        while True:
            self._start_ready()
            if not self._pending:
                return
            try:
                message = self._inbox.get(timeout=patience)
            except Empty:
                self._require_workers()
                yield None
            else:
                yield from self._events_of(message)

    def _start_ready(self) -> None:
        """Hands the tasks that can start to Dask, as many as it has threads."""
        while len(self._pending) < max(self._slots, 1):
            ready = self._waiting.take_ready(self._done.__contains__)
            if ready is None:
                return
            key, submitted = ready
            before = [self._futures[earlier] for earlier in submitted.after]
            arguments = (self._name, key, submitted.task, time(), submitted.after, *before)
            future = self._to_dask("task", key, perform, *arguments)
            self._futures[key] = future
            self._pending.add(key)
            self._soon(self._await(key, future))

    def _to_dask(self, kind: str, key: str, function: Callable[..., object], *arguments: object) -> Future[object]:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            future: Future[object] = self._client.submit(function, *arguments, key=(self._name, kind, key))
            return future

    def stop(self) -> None:
        self._stopped = True
        self._waiting.clear()
        not_started = self._pending - self.running.keys()
        self._pending -= not_started
        self._soon(self._stop([self._futures[key] for key in not_started]))

    def close(self) -> None:
        self._ending.close()

    def _connect(self, address: str) -> Client:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what differs between the workers, we say what matters
            if address != LOCAL:
                return _client(address)
            scratch = self._ending.enter_context(TemporaryDirectory(prefix="bonsai-dask-"))
            self._ending.enter_context(dask.config.set({"temporary-directory": scratch}))
            client = _client(self._ending.enter_context(_local_cluster()).scheduler_address)
            client.register_plugin(OwnSession())
            return client

    def _soon(self, work: Awaitable[None]) -> None:
        """Let Dask's own thread do it, whatever it takes there."""

        async def quietly() -> None:
            with suppress(Exception):  # what goes wrong shows in the tasks, or not at all
                await work

        asyncio.run_coroutine_threadsafe(quietly(), self._client.loop.asyncio_loop)

    # ── in Dask's thread ──

    async def _await(self, key: str, future: Future[object]) -> None:
        try:
            self._inbox.put(Finished(key, await self._client.gather(future)))
        except Exception as error:
            self._inbox.put(_Ended(key, error))

    def _hear(self, message: tuple[float, tuple[str, bytes]]) -> None:
        worker, data = message[1]
        event = pickle.loads(data)
        if isinstance(event, KeptHere):
            self._soon(self._fetch(event.key, worker))
        else:
            self._inbox.put(_Heard(worker, event))

    async def _fetch(self, key: str, worker: str) -> None:
        """A checkpoint. If its worker is dead by now, there is an older one, or none."""
        found = await self._client.run(fetch_kept, self._name, key, workers=[worker])
        if found[worker] is not None:
            self._inbox.put(Kept(key, found[worker]))

    async def _stop(self, waiting: list[Future[object]]) -> None:
        await self._client.cancel(waiting)
        await self._client.run(ask_to_stop, self._name, on_error="ignore")

    async def _look_around(self) -> None:
        while True:
            self._slots = sum((await self._client.nthreads()).values())
            if self._slots:
                self._with_workers = monotonic()
            await asyncio.sleep(LOOK_EVERY)

    async def _part(self) -> None:
        """Cancelled tasks end by themselves; the benches stop their targets."""
        await self._client.cancel(list(self._futures.values()))
        await self._client.unregister_worker_plugin(self._name)

    # ── in the thread of the one who submits ──

    def _leave(self) -> None:
        if self._client.status != "running":
            return  # nobody listens
        with suppress(Exception):
            self._client.unsubscribe_topic(self._name)
            self._client.sync(self._part, callback_timeout=PATIENCE)

    def _events_of(self, message: "_Heard | Kept | Finished | _Ended") -> Iterator[Event]:
        match message:
            case Finished(key):
                if key in self._pending:
                    self._pending.discard(key)
                    self._done.add(key)
                    if self.running.pop(key, None) is None:
                        yield Started(key)
                    yield message
            case _Ended(key, error):
                if key in self._pending:
                    self._pending.discard(key)
                    self.running.pop(key, None)
                    yield Failed(key, self._error(key, error))
            case Kept(key):
                if key in self.running:
                    yield message
            case _Heard(worker, Started(key)):
                if key in self._pending:
                    yield from self._started(key, worker)
            case _Heard(worker, Told(key) as event):
                if self.running.get(key) == worker:
                    yield event

    def _started(self, key: str, worker: str) -> Iterator[Event]:
        """A task that starts for a second time has lost its first worker."""
        before = self.running.pop(key, None)
        if before is not None:
            yield Lost(key, f"the worker {before} of {key} is gone")
            if self._stopped:
                self._pending.discard(key)
                self._soon(self._client.cancel([self._futures[key]], asynchronous=True))
                return
        self.running[key] = worker
        yield Started(key)

    def _error(self, key: str, error: Exception) -> BonsaiError:
        """Returns why a task has failed. Raises an error if no other task can run, either."""
        if isinstance(error, BonsaiError):
            return error
        if isinstance(error, KilledWorker):
            times, last = error.allowed_failures + 1, error.last_worker.address
            return BonsaiError(
                f"{key} ended its worker {times} times, the last one at {last}",
                f"is there enough memory? {_GO_ON}",
            )
        if isinstance(error, CancelledError):
            raise BonsaiError(f"the scheduler at {self._address} is gone", _GO_ON)
        reason = str(error).partition("\n")[0] or type(error).__name__
        return BonsaiError(f"the cluster at {self._address} gave up {key}: {reason}", _GO_ON)

    def _require_workers(self) -> None:
        """Raises an error if all workers have been gone for long."""
        if monotonic() - self._with_workers > LAST_WORKER:
            raise BonsaiError(f"all workers of {self._address} are gone", f"start some, and {_GO_ON}")


def _local_cluster() -> LocalCluster:
    return LocalCluster(
        n_workers=cores(),
        threads_per_worker=1,
        processes=True,
        memory_limit=0,
        dashboard_address=None,
        silence_logs=_SILENT,
    )


def _client(address: str) -> Client:
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False, name="bonsai")
    except (OSError, TypeError, ValueError) as error:
        reason = "nobody answers" if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise BonsaiError(
            f"there is no Dask scheduler at {address}: {reason}",
            "start one with `dask scheduler`, which prints its address; or use --cluster local",
        ) from None


def _require_workers(client: Client, address: str) -> int:
    """How many tasks run at the same time. All workers have to have this Bonsai, and this Python."""
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER)
    except TimeoutError:
        raise BonsaiError(
            f"the scheduler at {address} has no workers", f"start some: dask worker {address} --nthreads 1"
        ) from None
    ours = bonsai_version()
    found = {f"the worker {worker}": theirs for worker, theirs in _everywhere(client, version, DISTRIBUTION)}
    found[f"the scheduler {address}"] = _at_scheduler(client)  # which reads the tasks, too
    for place, theirs in found.items():
        if theirs != ours:
            raise refused(place, theirs if isinstance(theirs, str) else None, ours)
    here = platform.python_version_tuple()[:2]
    for worker, there in _everywhere(client, platform.python_version_tuple):
        if tuple(there[:2]) != here:  # the features of a target in Python are those of its syntax trees
            raise BonsaiError(
                f"the worker {worker} has Python {'.'.join(there[:2])}, this is Python {'.'.join(here)}",
                "use the same Python everywhere",
            )
    return sum(client.nthreads().values())


def _everywhere(client: Client, function: Callable[..., object], *arguments: str) -> list[tuple[str, Any]]:
    """What a function of the standard library returns, or raises, on each worker that is still there."""
    found = client.run(function, *arguments, on_error="return").items()
    return sorted((worker, result) for worker, result in found if not isinstance(result, OSError))


def _at_scheduler(client: Client) -> str | None:
    try:
        return str(client.run_on_scheduler(version, DISTRIBUTION))
    except PackageNotFoundError:
        return None


class _Hushed:
    """Dask says what it does on the terminal, which is in use; what matters becomes an event or an error."""

    def __enter__(self) -> None:
        names = [
            name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")
        ]
        self._levels = {name: logging.getLogger(name).level for name in [*names, "asyncio"]}
        for name in self._levels:
            logging.getLogger(name).setLevel(_SILENT)

    def __exit__(self, *_: object) -> None:
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
