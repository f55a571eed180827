"""The words that those who have tasks share with those who run them.

submit(key, task, after)      any number of them; a task runs when those that it comes after have finished
events()                      what happens, until nothing is left to do
provide(key, result)          a result that is known already, or that stands in for a task that has failed
stop()                        running tasks are asked to finish early, waiting ones never start
close()                       at once, whatever is running

A task that fails is an event like any other. The tasks that come after it wait until a result is provided for it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bonsai.errors import BonsaiError
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

    def now(self) -> float:
        """Returns the time by the clock of the one who submitted the task, which may be on another machine."""
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


@dataclass(frozen=True, slots=True)
class Failed:
    """A task has raised an error, or has ended its worker too often. It has no result."""

    key: str
    error: BonsaiError


Event = Started | Told | Kept | Finished | Lost | Failed


@dataclass(slots=True)
class Submitted:
    """A task, the keys of the tasks that it comes after, and how often it was started."""

    task: Task
    after: tuple[str, ...]
    attempts: int = 0


class WaitingTasks:
    """The tasks that have not started yet, in the order in which they were submitted."""

    def __init__(self) -> None:
        self._tasks: dict[str, Submitted] = {}

    def add(self, key: str, submitted: Submitted) -> None:
        """Adds a task at the end."""
        self._tasks[key] = submitted

    def add_first(self, key: str, submitted: Submitted) -> None:
        """Adds a task that has run before, and is to run again before all others."""
        self._tasks = {key: submitted, **self._tasks}

    def take_ready(self, is_done: Callable[[str], bool]) -> tuple[str, Submitted] | None:
        """Removes and returns the first task whose predecessors are all done; None if there is none."""
        for key, submitted in self._tasks.items():
            if all(map(is_done, submitted.after)):
                return key, self._tasks.pop(key)
        return None

    def clear(self) -> None:
        """Forgets all of them."""
        self._tasks.clear()


class Workers(Protocol):
    """A number of places where tasks run at the same time."""

    @property
    def slots(self) -> int: ...

    def provide(self, key: str, result: object) -> None:
        """Sets the result of a task that was done in an earlier session, or that has failed."""
        ...

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        """Run a task after others, which have been submitted or provided before."""
        ...

    def events(self, patience: float) -> Iterator[Event | None]:
        """Yields what happens, until nothing is left to do; None where nothing happened for so many seconds.

        Raises an error if no task can run any more, for example because all workers are gone.
        """
        ...

    def stop(self) -> None: ...

    def close(self) -> None: ...
