"""How much faster a run gets with more workers: measured tasks, simulated workers.

    python benchmarks/scaling.py [--bounds M,N,D] [--budget B] [--shards 1,4] [--json]

The tasks of a real run on the ChocoPy checker are timed, one at a time, once for every number of shards. Then list
scheduling is simulated for 1 to 1,000 workers: a worker that is free takes the first task whose predecessors are
done. Nothing is added for the network; what would travel is printed. The last line is one JSON object.
"""

import argparse
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from time import perf_counter
from typing import Any

import bonsai
from bonsai.budget import parse_budget
from bonsai.grow_settings import GrowSettings
from bonsai.grow_tasks import PRUNE, TARGET
from bonsai.session import begin
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Event, Finished, Started, Task

SUBJECT = bonsai.load_subject("chocopy")
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)


@dataclass(frozen=True, slots=True)
class Timed:
    """A task that was done: what it came after, how long it took, and how large its result is in transit."""

    after: tuple[str, ...]
    seconds: float
    size: int


@dataclass(slots=True)
class Watched:
    """Local workers, one task at a time, with a watch."""

    workers: LocalWorkers
    after: dict[str, tuple[str, ...]] = field(default_factory=dict)
    done: dict[str, Timed] = field(default_factory=dict)

    @property
    def slots(self) -> int:
        return self.workers.slots

    def provide(self, key: str, result: object) -> None:
        self.workers.provide(key, result)

    def submit(self, key: str, task: Task, after: Sequence[str] = ()) -> None:
        self.after[key] = tuple(after)
        self.workers.submit(key, task, after)

    def events(self, patience: float) -> Iterator[Event | None]:
        started = 0.0
        for event in self.workers.events(patience):
            match event:
                case Started():
                    started = perf_counter()
                case Finished(key, result):
                    seconds = perf_counter() - started
                    self.done[key] = Timed(self.after[key], seconds, len(pickle.dumps(result)))
            yield event

    def stop(self) -> None:
        self.workers.stop()

    def close(self) -> None:
        self.workers.close()


def simulated(tasks: Mapping[str, Timed], workers: int) -> float:
    """When the last task ends, if so many workers take the tasks in the order in which they were submitted."""
    places = {key: place for place, key in enumerate(tasks)}
    waiting = {key: len(task.after) for key, task in tasks.items()}
    then: dict[str, list[str]] = {key: [] for key in tasks}
    for key, task in tasks.items():
        for before in task.after:
            then[before].append(key)
    ready = [(places[key], key) for key, number in waiting.items() if not number]
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            key = heappop(ready)[1]
            heappush(running, (now + tasks[key].seconds, key))
        now, ended = heappop(running)
        for key in then[ended]:
            waiting[key] -= 1
            if not waiting[key]:
                heappush(ready, (places[key], key))
    return now


def measured(settings: GrowSettings) -> tuple[dict[str, Timed], dict[str, Any]]:
    """The tasks of a run, and what it found."""
    workers = Watched(LocalWorkers(SUBJECT, 1))
    try:
        session, _ = begin(SUBJECT, settings, workers, None)
        summary: Mapping[str, Any] = session.grow().summary()
    finally:
        workers.close()
    done = {key: workers.done[key] for key in workers.after if key != TARGET}
    found = {"features": summary["features"]["covered"], "mean_size": summary["corpus"]["mean_size"]}
    return done, found


def scaling(tasks: Mapping[str, Timed]) -> dict[str, Any]:
    """What the simulation says of one run."""
    longest = max(tasks.values(), key=lambda task: sum(tasks[key].size for key in task.after))
    return {
        "tasks": len(tasks),
        "seconds": {workers: round(simulated(tasks, workers), 2) for workers in WORKERS},
        "critical_path": round(simulated(tasks, len(tasks)), 2),
        "pruning": round(tasks[PRUNE].seconds, 2),
        "largest_result": max(task.size for task in tasks.values()),
        "most_to_one_task": sum(tasks[key].size for key in longest.after),
    }


def show(shards: int, found: Mapping[str, Any], alone: float) -> None:
    """One table."""
    path, pruning = found["critical_path"], found["pruning"]
    print(f"shards: {shards}, tasks: {found['tasks']}, critical path: {path} s, of which {pruning} s are pruning")
    print(f"  found: {found['features']} features, mean size {found['mean_size']}")
    print(f"  largest result: {found['largest_result']:,} bytes; most to one task: {found['most_to_one_task']:,}")
    print(f"  {'workers':>7}  {'seconds':>8}  {'speed-up':>8}  efficiency")
    for workers, seconds in found["seconds"].items():
        print(f"  {workers:7,}  {seconds:8.2f}  {alone / seconds:8.2f}  {alone / seconds / workers:10.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate many workers from the times of real tasks.")
    parser.add_argument("--bounds", default="2,2,2", help="upper bounds (default: 2,2,2)")
    parser.add_argument("--budget", default="500x", help="for each node (default: 500x)")
    parser.add_argument("--shards", default="1,4", help="numbers of shards (default: 1,4)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    arguments = parser.parse_args()
    bounds = bonsai.Bounds(*map(int, arguments.bounds.split(",")))
    runs = {}
    for shards in map(int, arguments.shards.split(",")):
        settings = GrowSettings(bounds, budget=parse_budget(arguments.budget), seed=arguments.seed, shards=shards)
        tasks, found = measured(settings)
        runs[shards] = {**scaling(tasks), **found}
        if not arguments.json:
            show(shards, runs[shards], runs[min(runs)]["seconds"][1])
    print(
        json.dumps({"benchmark": "scaling", "bounds": arguments.bounds, "budget": arguments.budget, "runs": runs})
    )


if __name__ == "__main__":
    main()
