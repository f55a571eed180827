"""Workers without processes that do everything that workers may do, in an order that is drawn at random.

Any task that is ready may start next, as long as a slot is free. What happens to tasks that run at the same time is
told in any order. A worker may die at a checkpoint; its task is then run again, from the last one that was told.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import time

import bonsai
from bonsai.targets.execution import Target
from bonsai.workers.tasks import Event, Finished, Kept, Lost, Started, Task, Told
from bonsai.workers.workshop import Workshop

MOST_SLOTS = 5
LOSSES = 0.1  # the chance that a worker dies at a checkpoint
MOST_LOSSES = 2  # of one task
SILENCE = 0.05  # the chance that nothing happens for a while


class _Died(BaseException):
    """The simulated end of a worker; nothing in a task may hold it up."""


class _Shared(Workshop):
    """A workshop with a target that others use as well, at other times."""

    def __init__(self, subject: bonsai.Subject, target: Target) -> None:
        super().__init__(subject)
        self._shared_target = target

    @property
    def target(self) -> Target:
        return self._shared_target

    def close(self) -> None:
        """The target stays."""


@dataclass(slots=True)
class _Recorder:
    """The channel of a task: records what it tells. It may die at a checkpoint, or be asked to stop soon."""

    key: str
    random: Random
    may_die: bool
    asks: int | None  # how often the task may ask before it hears that it is to stop
    events: list[Event] = field(default_factory=list)

    def tell(self, news: object) -> None:
        self.events.append(Told(self.key, pickle.loads(pickle.dumps(news))))

    def keep(self, state: bytes) -> None:
        self.events.append(Kept(self.key, state))
        if self.may_die and self.random.random() < LOSSES:
            raise _Died

    def stopping(self) -> bool:
        if self.asks is None:
            return False
        self.asks -= 1
        return self.asks < 0

    def now(self) -> float:
        return time()


@dataclass(slots=True)
class _Running:
    """A task on a slot; what it has still to tell is known when it was asked for the first time."""

    task: Task
    after: tuple[str, ...]
    slot: int
    events: list[Event] | None = None


class SimulatedWorkers:
    """Implements `Workers` in one process; `random` decides about everything."""

    def __init__(self, subject: bonsai.Subject, target: Target, random: Random) -> None:
        self.slots = random.randint(1, MOST_SLOTS)
        self.losses = 0
        self._subject = subject
        self._target = target
        self._random = random
        self._waiting: dict[str, tuple[Task, tuple[str, ...]]] = {}
        self._running: dict[str, _Running] = {}
        self._results: dict[str, object] = {}
        self._workshops: dict[int, Workshop] = {}
        self._lost: dict[str, int] = {}
        self._stopped = False

    def provide(self, key: str, result: object) -> None:
        self._results[key] = result

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        known = self._results.keys() | self._waiting.keys() | self._running.keys()
        assert known.issuperset(after), f"{key} comes after tasks that nobody has submitted"
        self._waiting[key] = pickle.loads(pickle.dumps(task)), tuple(after)

    def stop(self) -> None:
        self._stopped = True
        self._waiting.clear()

    def close(self) -> None:
        self._waiting.clear()
        self._running.clear()

    def events(self, patience: float) -> Iterator[Event | None]:
        random = self._random
        while True:
            ready = [key for key, (_, after) in self._waiting.items() if self._results.keys() >= set(after)]
            can_start = bool(ready) and len(self._running) < self.slots
            if not self._running and not ready:
                return
            if random.random() < SILENCE:
                yield None
            elif can_start and (not self._running or random.random() < 0.5):
                yield self._start(random.choice(ready))
            else:
                yield self._next_of(random.choice(list(self._running)))

    def _start(self, key: str) -> Started:
        task, after = self._waiting.pop(key)
        free = set(range(self.slots)) - {one.slot for one in self._running.values()}
        self._running[key] = _Running(task, after, self._random.choice(sorted(free)))
        return Started(key)

    def _next_of(self, key: str) -> Event:
        """Returns the next event of a running task. The task itself is run when its first one is asked for."""
        running = self._running[key]
        if running.events is None:
            running.events = self._performed(key, running)
        event = running.events.pop(0)
        match event:
            case Kept(_, state):
                running.task = running.task.resumed(state)
            case Finished(_, result):
                self._results[key] = result
                del self._running[key]
            case Lost():
                del self._running[key]
                self.losses += 1
                if not self._stopped:
                    self._waiting = {key: (running.task, running.after), **self._waiting}
        return event

    def _performed(self, key: str, running: _Running) -> list[Event]:
        workshop = self._workshops.setdefault(running.slot, _Shared(self._subject, self._target))
        before = [pickle.loads(pickle.dumps(self._results[one])) for one in running.after]
        asks = self._random.randint(0, 5) if self._stopped else None
        channel = _Recorder(key, self._random, self._lost.get(key, 0) < MOST_LOSSES, asks)
        try:
            result = running.task(workshop, before, channel)
        except _Died:
            self._lost[key] = self._lost.get(key, 0) + 1
            del self._workshops[running.slot]
            return [*channel.events, Lost(key, f"the simulated worker of {key} died")]
        return [*channel.events, Finished(key, pickle.loads(pickle.dumps(result)))]
