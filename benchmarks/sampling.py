"""How fast programs are sampled, side by side with grammarinator and gramfuzz: one grammar, one run, ratios.

    python benchmarks/sampling.py [--seconds S] [--passes P] [--json]

Every contender is a process of its own that stays warm and samples for a slice of time whenever it is asked to.
A pass asks all of them, one after the other; a ratio is the median of the passes' ratios, so that a machine that
is busy with something else for a while slows both sides. Where a peer runs at several depths, its best counts.
The last line is one JSON object.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import IO, Any

from lark import Lark
from lark.exceptions import LarkError

from bonsai.errors import BonsaiError

PEERS = Path(__file__).with_name("peers")
PEERS_VENV = Path(__file__).parent.parent / ".venv-peers"
REQUIREMENTS = PEERS / "requirements.txt"
GRAMMAR = PEERS / "statements.lark"
SHOWN = 100  # programs of each contender that are parsed before anything is timed
WARM_UP_SECONDS = 1.0
GOALS = {"grammarinator": 60.0, "gramfuzz": 6.0, "mutate_replay": 0.5}


@dataclass(frozen=True, slots=True)
class Contender:
    """One sampler at one depth; depths are chosen so that mean lengths of programs are comparable."""

    side: str
    depth: int
    script: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.side}, depth {self.depth}"


OURS = Contender("ours", 4, ("bonsai_worker.py", "fresh"))
MUTATED = Contender("mutate_replay", 4, ("bonsai_worker.py", "mutated"))
RIVALS = (
    *(Contender("grammarinator", depth, ("grammarinator_worker.py",)) for depth in (8, 12)),
    *(Contender("gramfuzz", depth, ("gramfuzz_worker.py",)) for depth in (8, 16)),
)
CONTENDERS = (OURS, MUTATED, *RIVALS)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a contender did in one slice of time."""

    programs: int
    characters: int
    seconds: float

    @property
    def speed(self) -> float:
        """Characters per second."""
        return self.characters / self.seconds


Pass = Mapping[Contender, Slice]


class Worker:
    """A contender's process, started and ready."""

    def __init__(self, contender: Contender, process: "subprocess.Popen[str]", complaints: IO[str]) -> None:
        self.contender = contender
        self._process = process
        self._complaints = complaints

    def show(self, count: int) -> list[str]:
        """Some programs."""
        texts: list[str] = self._ask({"show": count})
        return texts

    def sample(self, seconds: float) -> Slice:
        """Sample for a slice of time."""
        return Slice(**self._ask({"seconds": seconds}))

    def _ask(self, request: Mapping[str, float]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # a worker that has ended gives an empty answer
            print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            self._complaints.seek(0)
            reason = _last_line(self._complaints.read())
            raise BonsaiError(f"the worker of {self.contender.name} ended: {reason}", "run its script by hand")
        return json.loads(answer)


@contextmanager
def started(contender: Contender, python: Path, seed: int) -> Iterator[Worker]:
    """The contender's process; it ends with the block."""
    script, *mode = contender.script
    command = [str(python), str(PEERS / script), *mode, "--seed", str(seed), "--depth", str(contender.depth)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    pipe = subprocess.PIPE
    with (
        TemporaryFile("w+") as complaints,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=complaints, text=True, env=environment
        ) as process,
    ):
        try:
            yield Worker(contender, process, complaints)
        finally:
            process.kill()


def peers_python(venv: Path) -> Path:
    """The interpreter of the peers' venv, which is made if it is missing or out of date."""
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = venv / "peers-requirements.txt"
    wanted = REQUIREMENTS.read_text()
    if not python.exists() or not stamp.exists() or stamp.read_text() != wanted:
        print(f"making a venv for the peers in {venv}", file=sys.stderr)
        _run([sys.executable, "-m", "venv", str(venv)])
        _run([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS)])
        stamp.write_text(wanted)  # last, so that a venv that was left half made is made again
    return python


def _run(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        reason = _last_line(error.stderr) or _last_line(error.stdout)
    except OSError as error:
        reason = str(error)
    else:
        return
    raise BonsaiError(f"cannot make the peers' venv: {reason}", "pip must reach a package index; or --peers-venv")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("[notice]")]
    return lines[-1].strip() if lines else ""


def require_same_language(parser: Lark, worker: Worker) -> None:
    """Every program parses with our grammar, and together they use all of its terminals."""
    seen: set[str] = set()
    for text in worker.show(SHOWN):
        try:
            parser.parse(text)
        except LarkError as error:
            reason = str(error).splitlines()[0]
            raise BonsaiError(
                f"{worker.contender.name} samples another language: {text!r}: {reason}",
                f"correct its grammar in {PEERS}",
            ) from None
        seen.update(token.type for token in parser.lex(text))
    missing = {terminal.name for terminal in parser.terminals} - seen - set(parser.ignore_tokens)
    if missing:
        raise BonsaiError(
            f"{SHOWN} programs of {worker.contender.name} never use {', '.join(sorted(missing))}",
            f"correct its grammar in {PEERS}",
        )


def measure(workers: Sequence[Worker], passes: int, seconds: float) -> list[Pass]:
    """Interleaved slices of all contenders, every other pass in reverse order."""
    for worker in workers:
        worker.sample(WARM_UP_SECONDS)
    orders = [workers if number % 2 == 0 else workers[::-1] for number in range(passes)]
    return [{worker.contender: worker.sample(seconds) for worker in order} for order in orders]


def ratio(passes: Sequence[Pass], one: Contender, other: Contender) -> float:
    """How many times the characters per second of the other one has."""
    return median(slices[one].speed / slices[other].speed for slices in passes)


def summary(passes: Sequence[Pass], contender: Contender) -> dict[str, float]:
    """One contender's numbers over all passes."""
    slices = [slices[contender] for slices in passes]
    return {
        "depth": contender.depth,
        "characters_per_second": round(median(s.speed for s in slices)),
        "programs_per_second": round(median(s.programs / s.seconds for s in slices)),
        "mean_length": round(sum(s.characters for s in slices) / sum(s.programs for s in slices), 1),
    }


def report(passes: Sequence[Pass]) -> dict[str, Any]:
    """Everything that was measured, as one JSON object."""
    found: dict[str, Any] = {"benchmark": "sampling", "passes": len(passes)}
    found["ours"] = summary(passes, OURS)
    found["mutate_replay"] = summary(passes, MUTATED)
    for side in ("grammarinator", "gramfuzz"):
        rivals = [rival for rival in RIVALS if rival.side == side]
        best = min(rivals, key=lambda rival: ratio(passes, OURS, rival))
        others = [summary(passes, rival) for rival in rivals if rival is not best]
        found[side] = {**summary(passes, best), "other_depths": others}
        found[f"ratio_{side}"] = round(ratio(passes, OURS, best), 2)
    found["ratio_mutate_replay"] = round(ratio(passes, MUTATED, OURS), 3)
    return found


def table(passes: Sequence[Pass], found: Mapping[str, Any]) -> str:
    """The same for people."""
    lines = [f"{'':26}{'characters/s':>14}{'programs/s':>12}{'mean length':>13}{'ours is':>10}"]
    for contender in CONTENDERS:
        numbers = summary(passes, contender)
        lines.append(
            f"{contender.name:26}{numbers['characters_per_second']:>14,}{numbers['programs_per_second']:>12,}"
            f"{numbers['mean_length']:>13}{ratio(passes, OURS, contender):>9.2f}×"
        )
    lines.append("")
    for side, goal in GOALS.items():
        reached = found[f"ratio_{side}"]
        lines.append(f"ratio_{side}: {reached}, goal at least {goal:g}{'' if reached >= goal else ': NOT REACHED'}")
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> None:
    """Start everything, check it, time it, print it."""
    python = {"ours": Path(sys.executable), "mutate_replay": Path(sys.executable)}
    rivals_python = peers_python(arguments.peers_venv)
    parser = Lark(GRAMMAR.read_text(), parser="earley", lexer="basic")
    with ExitStack() as stack:
        workers = [
            stack.enter_context(started(c, python.get(c.side, rivals_python), arguments.seed)) for c in CONTENDERS
        ]
        for worker in workers:
            require_same_language(parser, worker)
        passes = measure(workers, arguments.passes, arguments.seconds)
    found = report(passes)
    if not arguments.json:
        print(table(passes, found))
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare sampling speed with grammarinator and gramfuzz.")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one slice (default: 1)")
    parser.add_argument("--passes", type=int, default=7, help="slices of each contender (default: 7)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers-venv", type=Path, default=PEERS_VENV, help="where the peers are installed")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    arguments = parser.parse_args()
    if arguments.passes < 1 or arguments.seconds <= 0:
        parser.error("--passes and --seconds must be positive")
    try:
        run(arguments)
    except BonsaiError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
