"""Tasks come in over a connection; their events go out: the process of one local worker.

It ends when the connection does, whatever it is doing: nobody is left to whom the result would matter.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Queue
from threading import Event as Flag
from threading import Thread
from time import time

from bonsai.errors import BonsaiError
from bonsai.subject import Subject
from bonsai.workers.tasks import Failed, Finished, Kept, Task, Told
from bonsai.workers.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Do:
    """A task, the keys of the results that it needs, and those of them that this worker has not been sent yet."""

    key: str
    task: Task
    after: Sequence[str]
    new: dict[str, object]


@dataclass(frozen=True, slots=True)
class Stop:
    """Finish the running task early."""


class _PipeChannel:
    """Events over the connection; the reading thread raises the flag."""

    def __init__(self, key: str, connection: Connection, flag: Flag) -> None:
        self._key = key
        self._connection = connection
        self._flag = flag

    def tell(self, news: object) -> None:
        self._connection.send(Told(self._key, news))

    def keep(self, state: bytes) -> None:
        self._connection.send(Kept(self._key, state))

    def stopping(self) -> bool:
        return self._flag.is_set()

    def now(self) -> float:
        return time()


def serve(connection: Connection) -> None:
    """Do what comes over the connection: first a subject, then tasks."""
    subject = connection.recv()
    assert isinstance(subject, Subject)
    workshop = Workshop(subject)
    tasks: Queue[Do] = Queue()
    flag = Flag()
    Thread(target=_read, args=(connection, tasks, flag), daemon=True).start()
    results: dict[str, object] = {}
    while True:
        do = tasks.get()
        results.update(do.new)
        before = [results[key] for key in do.after]
        try:
            results[do.key] = do.task(workshop, before, _PipeChannel(do.key, connection, flag))
            connection.send(Finished(do.key, results[do.key]))
        except Exception as error:
            connection.send(Failed(do.key, as_bonsai_error(error)))


def as_bonsai_error(error: Exception) -> BonsaiError:
    """Returns an error of Bonsai's as it is; of any other one, one line that says where it came from."""
    if isinstance(error, BonsaiError):
        return BonsaiError(error.message, error.hint)  # without its cause, which may not be picklable
    if isinstance(error, MemoryError):
        return BonsaiError("there was not enough memory", "use smaller bounds, or fewer --jobs")
    last = traceback.extract_tb(error.__traceback__)[-1]
    message = f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})"
    return BonsaiError(message, "this is a mistake in Bonsai: please report it")


def _read(connection: Connection, tasks: "Queue[Do]", flag: Flag) -> None:
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Stop):
                flag.set()
            else:
                tasks.put(message)
    finally:  # the connection has ended, or carries what cannot be read
        os._exit(1)  # the targets end when this process does


def main() -> None:
    """The process: its argument is the descriptor of the connection."""
    serve(Connection(int(sys.argv[1])))
