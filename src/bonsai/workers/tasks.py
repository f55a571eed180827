"""The words that those who have tasks share with those who run them.

submit(key, task, after)      any number of them; a task runs when those that it comes after have finished
events()                      what happens, until nothing is left to do
stop()                        running tasks are asked to finish early, waiting ones never start
close()                       at once, whatever is running
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bonsai.workers.workshop import Workshop


class Channel(Protocol):
    """How a task that is running speaks with the one who submitted it."""

    def tell(self, news: object) -> None:
        """How far it has come."""
        ...

    def keep(self, state: bytes) -> None:
        """A checkpoint: from here the task can be resumed."""
        ...

    def stopping(self) -> bool:
        """Whether to finish early."""
        ...


class Task(Protocol):
    """Something to do in a workshop. It is sent to another process, so it has to be picklable."""

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> object:
        """Do it, given the results of the tasks that it comes after, in the order in which they were named."""
        ...

    def resumed(self, state: bytes) -> "Task":
        """The same task, to be continued from a checkpoint."""
        ...


@dataclass(frozen=True, slots=True)
class Started:
    """A task is running."""

    key: str


@dataclass(frozen=True, slots=True)
class Told:
    """A task has told something."""

    key: str
    news: object


@dataclass(frozen=True, slots=True)
class Kept:
    """A task has reached a checkpoint."""

    key: str
    state: bytes


@dataclass(frozen=True, slots=True)
class Finished:
    """A task is done."""

    key: str
    result: object


@dataclass(frozen=True, slots=True)
class Lost:
    """The worker of a task died; the task is run again, from its last checkpoint or from its beginning."""

    key: str
    reason: str


Event = Started | Told | Kept | Finished | Lost


class Workers(Protocol):
    """A number of places where tasks run at the same time."""

    @property
    def slots(self) -> int: ...

    def provide(self, key: str, result: object) -> None:
        """The result of a task that was done in an earlier session."""
        ...

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        """Run a task after others, which have been submitted or provided before."""
        ...

    def events(self, patience: float) -> Iterator[Event | None]:
        """What happens, until nothing is left to do; None where nothing happened for so many seconds."""
        ...

    def stop(self) -> None: ...

    def close(self) -> None: ...
