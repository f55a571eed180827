"""Requests come in on standard input, one JSON object per line; programs, or how fast they came, go out.

The worker's side of benchmarks/sampling.py, the same for every contender. It needs the standard library alone,
because the peers' workers run in a venv that has no Bonsai.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

# That many random programs at once; bytes are as good as text, both count characters of ASCII.
Programs = Callable[[int], Sequence[str | bytes]]

# The clock is read once per batch, so that reading it costs no contender anything.
BATCH = 32


@dataclass(frozen=True, slots=True)
class Limits:
    """What the driver asks of a contender."""

    seed: int
    depth: int


def parse_limits() -> Limits:
    """The limits on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--depth", type=int, required=True)
    arguments = parser.parse_args()
    return Limits(arguments.seed, arguments.depth)


def serve(programs: Programs) -> None:
    """Answer requests until standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        answer = _texts(programs, request["show"]) if "show" in request else _timed(programs, request["seconds"])
        print(json.dumps(answer), flush=True)


def _texts(programs: Programs, count: int) -> list[str]:
    return [text if isinstance(text, str) else text.decode() for text in programs(count)]


def _timed(programs: Programs, seconds: float) -> dict[str, float]:
    count = characters = 0
    start = now = perf_counter()
    while now - start < seconds:
        characters += sum(map(len, programs(BATCH)))
        count += BATCH
        now = perf_counter()
    return {"programs": count, "characters": characters, "seconds": now - start}
