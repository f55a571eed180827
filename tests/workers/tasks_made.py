"""Tasks that do little, for tests of those who run them; and what came of them."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.targets.execution import Wanted
from bonsai.workers.tasks import Channel, Event, Failed, Finished, Task, Workers
from bonsai.workers.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Add:
    """The sum of a number and all results before."""

    number: int

    def resumed(self, state: bytes) -> "Add":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> int:
        channel.tell(f"adding {self.number}")
        return self.number + sum(one for one in before if isinstance(one, int))


@dataclass(frozen=True, slots=True)
class Fail:
    """An error: a user's, or a mistake of ours."""

    message: str

    def resumed(self, state: bytes) -> "Fail":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> object:
        if self.message == "mistake":
            raise ZeroDivisionError(self.message)
        raise BonsaiError(self.message, "a hint")


@dataclass(frozen=True, slots=True)
class Die:
    """Killed in the middle, as often as there is no file of that name yet: each time leaves one behind."""

    folder: str
    times: int
    state: bytes = b""

    def resumed(self, state: bytes) -> "Die":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> str:
        deaths = len(list(Path(self.folder).iterdir()))
        if deaths < self.times:
            channel.keep(self.state + b"k")
            (Path(self.folder) / str(deaths)).touch()
            time.sleep(0.3)  # what was kept is on its way
            os.kill(os.getpid(), signal.SIGKILL)
        return self.state.decode()


@dataclass(frozen=True, slots=True)
class WaitForStop:
    """Runs until it is asked to stop."""

    def resumed(self, state: bytes) -> "WaitForStop":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> str:
        while not channel.stopping():
            channel.tell("waiting")
            time.sleep(0.02)
        return "stopped"


@dataclass(frozen=True, slots=True)
class KeepAndWait:
    """Reaches a checkpoint, then runs until it is asked to stop."""

    state: bytes

    def resumed(self, state: bytes) -> "KeepAndWait":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> None:
        channel.keep(self.state)
        while not channel.stopping():
            time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class InOrder:
    """The results before, one after the other, and a letter of its own."""

    letter: str

    def resumed(self, state: bytes) -> "InOrder":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> str:
        return "".join(map(str, before)) + self.letter


@dataclass(frozen=True, slots=True)
class TargetProcess:
    """The number of the target's process, as a target says that tells it for every input."""

    def resumed(self, state: bytes) -> "TargetProcess":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> int:
        [execution] = workshop.target.execute(["null"], Wanted.OUTPUT)
        return int(execution.output or 0)


def events_of(workers: Workers, tasks: dict[str, tuple[Task, list[str]]]) -> list[Event]:
    """All that happens when these tasks are run, each after others."""
    for key, (task, after) in tasks.items():
        workers.submit(key, task, after)
    return [event for event in workers.events(1) if event is not None]


def results(events: list[Event]) -> dict[str, object]:
    """What came out."""
    return {event.key: event.result for event in events if isinstance(event, Finished)}


def errors(events: list[Event]) -> dict[str, BonsaiError]:
    """What failed."""
    return {event.key: event.error for event in events if isinstance(event, Failed)}


def events_with_stand_ins(workers: Workers, tasks: dict[str, tuple[Task, list[str]]]) -> list[Event]:
    """All that happens when a task that fails is given a result, 100."""
    for key, (task, after) in tasks.items():
        workers.submit(key, task, after)
    happened: list[Event] = []
    for event in workers.events(1):
        if isinstance(event, Failed):
            workers.provide(event.key, 100)
        if event is not None:
            happened.append(event)
    return happened


@dataclass(frozen=True, slots=True)
class StopItself:
    """Stops its own process, as often as there is no file of that name yet."""

    folder: str
    times: int

    def resumed(self, state: bytes) -> "StopItself":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> str:
        stops = len(list(Path(self.folder).iterdir()))
        if stops < self.times:
            (Path(self.folder) / str(stops)).touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        return "done"


@dataclass(frozen=True, slots=True)
class ProcessId:
    """The process of the worker."""

    def resumed(self, state: bytes) -> "ProcessId":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> int:
        return os.getpid()
