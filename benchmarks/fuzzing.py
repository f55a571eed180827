"""What fuzzing costs beside the target's own time, on the ChocoPy checker: ratios of one run.

    python benchmarks/fuzzing.py [--passes P] [--published FOLDER] [--json]

Probes: each contender is a process of its own that stays warm and runs the checker on the same inputs whenever it
is asked to. A pass asks all of them, one after the other; a ratio is the median of the passes' ratios to the
checker without probes. The last line is one JSON object.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

PUBLISHED = Path(__file__).parents[2] / "shared" / "published-corpora" / "chocopy"
CALL = "bonsai.subjects.chocopy.driver:check"
ANALYSIS, FRONT_END = "bonsai.subjects.chocopy.analysis.*", "bonsai.subjects.chocopy.*"
SAMPLES = 200
BATCH = 50
GOAL = 1.4

CONTENDERS = {
    "plain": "without probes",
    "none": "all probes left out: the bookkeeping alone",
    "half": "every other probe left out",
    "all": "all probes",
    "front_end": "all probes, also in lexer, parser and output",
    "coverage_py": "coverage.py, branches, reset for each input",
}

Run = Callable[[str], object]


# In the contenders' processes, which import as little as a target's process does


def worker(contender: str) -> None:
    """Run the texts of the first line once for each further line; say how long it took."""
    texts: list[str] = json.loads(sys.stdin.readline())
    run = {"plain": plain, "coverage_py": coverage_py}.get(contender, lambda: probed(contender))()
    for _ in sys.stdin:
        start = time.perf_counter()
        for text in texts:
            run(text)
        print(json.dumps(time.perf_counter() - start), flush=True)


def plain() -> Run:
    """The checker as it is."""
    from bonsai.subjects.chocopy.driver import check

    def run(text: str) -> None:
        with suppress(Exception):
            check(text)

    return run


def probed(contender: str) -> Run:
    """As the target's process runs it, with mask and result, but for the pipes."""
    from bonsai.targets.python.hook import Coverage
    from bonsai.targets.python.modules import source_files
    from bonsai.targets.python.server import prepare
    from bonsai.targets.wire import FEATURES_WANTED

    cover = FRONT_END if contender == "front_end" else ANALYSIS
    number = len(Coverage(source_files(cover)).features)
    omit = {"none": range(number), "half": range(0, number, 2)}.get(contender, range(0))
    settings = {"folder": "/", "call": CALL, "cover": [cover], "invalid": [], "unparsed": [], "memory": 1 << 30}
    runner, _ = prepare({**settings, "omit": [*omit]})
    return lambda text: runner.run(text, FEATURES_WANTED)


def coverage_py() -> Run:
    """Its data are emptied in place after each input, which is faster than anything that its interface offers."""
    import coverage

    from bonsai.subjects.chocopy import analysis

    check = plain()
    measured = coverage.Coverage(
        data_file=None, branch=True, include=[f"{Path(analysis.__file__).parent}/*"], config_file=False
    )
    measured.start()
    collector: Any = measured._collector

    def run(text: str) -> None:
        check(text)
        for arcs in collector.data.values():
            arcs.clear()

    return run


# In the benchmark's own process


@contextmanager
def started(contender: str, texts: Sequence[str]) -> Iterator[Callable[[], float]]:
    """A contender; calling it gives the seconds of one pass."""
    with subprocess.Popen(
        [sys.executable, __file__, "--worker", contender],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def ask(line: str) -> str:
            print(line, file=stdin, flush=True)
            return stdout.readline()

        print(json.dumps(texts), file=stdin, flush=True)
        try:
            yield lambda: float(json.loads(ask("go")))
        finally:
            process.kill()


def cost(texts: Sequence[str], passes: int) -> dict[str, float]:
    """The ratios of all contenders to the checker without probes, and its microseconds per input."""
    with ExitStack() as stack:
        asked = {contender: stack.enter_context(started(contender, texts)) for contender in CONTENDERS}
        for ask in asked.values():
            ask()  # warm up
        names = list(asked)
        seconds = [
            {name: asked[name]() for name in (names if number % 2 else names[::-1])} for number in range(passes)
        ]
    ratios = {name: median(one[name] / one["plain"] for one in seconds) for name in names[1:]}
    microseconds = median(one["plain"] for one in seconds) / len(texts) * 1e6
    return {"microseconds": round(microseconds, 1), **{name: round(ratio, 3) for name, ratio in ratios.items()}}


def exchange(passes: int) -> float:
    """Microseconds per input of a target that does nothing, in batches: what the process and its pipes cost."""
    from bonsai.targets.engines import start
    from bonsai.targets.settings import PythonTarget

    with TemporaryDirectory() as folder:
        Path(folder, "nothing.py").write_text("def check(text):\n    pass\n")
        settings = PythonTarget("nothing:check", ("nothing", ANALYSIS), (), (), 5.0, 1 << 30)
        with closing(start(settings, Path(folder))) as target:
            texts = ["x" * 300] * BATCH
            seconds = []
            for _ in range(100 * passes):
                begin = time.perf_counter()
                target.execute(texts)
                seconds.append(time.perf_counter() - begin)
    return median(seconds) / BATCH * 1e6


def inputs(published: Path) -> Iterator[tuple[str, list[str]]]:
    """Sets of inputs by name."""
    import bonsai

    subject = bonsai.load_subject("chocopy")
    yield "sampled", [program.text for program in bonsai.sample(subject, SAMPLES, bonsai.Bounds(3, 3, 3), seed=1)]
    files = sorted(path for path in published.rglob("*") if path.is_file()) if published.is_dir() else []
    if files:
        yield "published", [path.read_text(encoding="utf-8", errors="replace") for path in files]


def table(found: Mapping[str, Any]) -> str:
    """The same for people."""
    lines = []
    for name, ratios in found["inputs"].items():
        lines.append(f"{name}: {ratios['inputs']} inputs, {ratios['microseconds']} µs per input without probes")
        lines += [f"  {ratios[one]:>7.3f}×  {what}" for one, what in CONTENDERS.items() if one != "plain"]
    lines.append(
        f"exchange with the target's process: {found['exchange_microseconds']} µs per input, batches of {BATCH}"
    )
    reached = found["ratio_instrumented"]
    lines.append(f"ratio_instrumented: {reached}, goal at most {GOAL}{'' if reached <= GOAL else ': NOT REACHED'}")
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> None:
    """Time everything and print it."""
    found: dict[str, Any] = {"benchmark": "fuzzing", "passes": arguments.passes, "inputs": {}}
    for name, texts in inputs(arguments.published):
        found["inputs"][name] = {"inputs": len(texts), **cost(texts, arguments.passes)}
    found["exchange_microseconds"] = round(exchange(arguments.passes), 2)
    for key, contender in (("instrumented", "all"), ("half", "half"), ("coverage_py", "coverage_py")):
        found[f"ratio_{key}"] = max(ratios[contender] for ratios in found["inputs"].values())
    if not arguments.json:
        print(table(found))
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what fuzzing costs beside the target's own time.")
    parser.add_argument("--passes", type=int, default=9, help="passes over the inputs (default: 9)")
    parser.add_argument("--published", type=Path, default=PUBLISHED, help="a folder of ChocoPy programs")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    parser.add_argument("--worker", choices=CONTENDERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.passes < 1:
        parser.error("--passes must be positive")
    if arguments.worker:
        worker(arguments.worker)
    else:
        run(arguments)


if __name__ == "__main__":
    main()
