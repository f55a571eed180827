"""Where the time of one fuzzer goes on the ChocoPy checker, what its policies give, and whether memory stays flat.

    python benchmarks/node.py [--executions N] [--generated N] [--json]

Share: the same fuzzer at (3,3,3), with timers around the target, the deduplication and the judging of executions.
Policies: `smallest` against `paper`, same seed and executions. Memory (only with --generated): the resident size of
loop and target at ten points of a long run. The last line is one JSON object.
"""

import argparse
import json
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import bonsai
from bonsai.budget import Executions, Progress
from bonsai.cbgf import METHODS, Cbgf
from bonsai.corpus import Policy, Select
from bonsai.ending import Ending
from bonsai.feedback import Saving
from bonsai.sampler import Sampler
from bonsai.subject import start_target
from bonsai.targets.execution import Execution, Target, Wanted

SUBJECT = bonsai.load_subject("chocopy")
GOALS = {"outside": 0.30, "bookkeeping": 0.05}
T = TypeVar("T")


class Timed:
    """A target that says how long its executions took."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.features = target.features
        self.seconds = 0.0

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        start = time.perf_counter()
        found = self._target.execute(texts, wanted)
        self.seconds += time.perf_counter() - start
        return found

    def close(self) -> None:
        self._target.close()


def timed(function: Callable[..., T], seconds: list[float]) -> Callable[..., T]:
    """The function, adding up the time that it takes."""

    def wrapper(*arguments: object) -> T:
        start = time.perf_counter()
        result = function(*arguments)
        seconds.append(time.perf_counter() - start)
        return result

    return wrapper


def fuzzer(target: Target, policy: Policy, bounds: bonsai.Bounds, seed: int = 1) -> Cbgf:
    return Cbgf(Sampler(SUBJECT.grammar, bounds), target, Saving.UNRESTRICTED, METHODS[policy], seed)


def share(target: Target, executions: int) -> dict[str, float]:
    """The parts of a warm node's time: a first node warms up the sampler's states, a second is measured."""
    watched = Timed(target)
    node = fuzzer(watched, Policy.SMALLEST, bonsai.Bounds(3, 3, 3))
    node([], Executions(executions))
    bookkeeping: list[float] = []
    second = fuzzer(watched, Policy.SMALLEST, bonsai.Bounds(3, 3, 3), seed=2)
    second.sampler = node.sampler
    second._seen.add = timed(second._seen.add, bookkeeping)  # type: ignore[method-assign]
    second.corpus.interesting = timed(second.corpus.interesting, bookkeeping)  # type: ignore[method-assign]
    second.corpus.add = timed(second.corpus.add, bookkeeping)  # type: ignore[method-assign]
    watched.seconds = 0.0
    start = time.perf_counter()
    second([], Executions(executions))
    total = time.perf_counter() - start
    return {
        "seconds": round(total, 2),
        "executions_per_second": round(second.tally.executions / total),
        "outside": round(1 - watched.seconds / total, 4),
        "bookkeeping": round(sum(bookkeeping) / total, 4),
    }


def policies(target: Target, executions: int) -> dict[str, Any]:
    """What both policies have after as many executions, from the same seed."""
    found = {}
    for policy in Policy:
        node = fuzzer(target, policy, bonsai.Bounds(3, 3, 3))
        node([], Executions(executions))
        corpus = node.corpus.selected(Select.VALID_FIRST)
        found[policy.value] = {
            "features": node.corpus.covered.bit_count(),
            "by_valid": node.corpus.covered_by_valid.bit_count(),
            "files": len(corpus),
            "mean_size": round(fmean(one.size[0] for one in corpus), 2),
        }
    return found


class Generated:
    """A budget in generated inputs that looks at memory ten times on the way."""

    def __init__(self, number: int, processes: list[Path]) -> None:
        self._number = number
        self._processes = processes
        self.megabytes: list[list[float]] = []

    def left(self, progress: Progress) -> None:
        return None

    def exhausted(self, progress: Progress) -> Ending | None:
        if progress.generated >= self._number * (len(self.megabytes) + 1) / 10:
            self.megabytes.append([_resident(status) for status in self._processes])
        return Ending.FINISHED if len(self.megabytes) == 10 else None


def _resident(status: Path) -> float:
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return round(int(line.split()[1]) / 1024, 1)


def memory(target: Any, number: int) -> list[list[float]]:
    """[loop, target] in MiB, at ten points of a run."""
    pid = target._process.tree.program()
    budget = Generated(number, [Path("/proc/self/status"), Path(f"/proc/{pid}/status")])
    fuzzer(target, Policy.SMALLEST, bonsai.Bounds(2, 2, 2))([], budget)
    return budget.megabytes


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure one fuzzer on the ChocoPy checker.")
    parser.add_argument("--executions", type=int, default=20_000, help="executions per node (default: 20000)")
    parser.add_argument("--generated", type=int, default=0, help="inputs of the memory run (default: none)")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    arguments = parser.parse_args()
    target = start_target(SUBJECT)
    found: dict[str, Any] = {"benchmark": "node", "executions": arguments.executions}
    if arguments.generated:
        found["memory_mib"] = memory(target, arguments.generated)
    else:
        found["share"] = share(target, arguments.executions)
        found["policies"] = policies(target, arguments.executions)
    target.close()
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if not arguments.json:
        for key, value in found.items():
            print(f"{key}: {value}")
        for key, goal in GOALS.items() if "share" in found else ():
            reached = found["share"][key]
            print(f"{key}: {reached:.1%}, goal at most {goal:.0%}{'' if reached <= goal else ': NOT REACHED'}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
