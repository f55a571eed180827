"""How long `analyse` takes on the published corpus of ChocoPy programs, against CPython's own `ast.parse`.

Both sides take turns in one run, a pass over all programs each; the figures are medians over the passes. The
last line is one JSON object, with the ratio.

    python benchmarks/chocopy.py [--corpus FOLDER] [--passes N]
"""

import argparse
import ast
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bonsai.subjects.chocopy import analyse

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BONSAI_SHARED", ROOT.parent / "shared"))
LARGEST_RATIO = 10.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=SHARED / "published-corpora" / "chocopy" / "bonsai")
    parser.add_argument("--passes", type=int, default=50)
    options = parser.parse_args()
    programs = [file.read_text("utf-8") for file in sorted(options.corpus.glob("*.py"))]
    if not programs:
        print(f"no *.py programs in {options.corpus} (name a folder with --corpus)", file=sys.stderr)
        return 2
    ours, theirs = measure(programs, options.passes)
    ratio = ours / theirs
    print(f"{len(programs)} programs, mean {statistics.mean(map(len, programs)):.0f} characters")
    print(f"{'analyse':<12}{ours * 1e6:8.1f} µs per program")
    print(f"{'ast.parse':<12}{theirs * 1e6:8.1f} µs per program")
    print(f"{'ratio':<12}{ratio:8.2f} (at most {LARGEST_RATIO:.0f})")
    print(json.dumps({"analyse_us": ours * 1e6, "ast_parse_us": theirs * 1e6, "ratio": ratio}))
    return 0


def measure(programs: list[str], passes: int) -> tuple[float, float]:
    """Seconds per program of `analyse` and of `ast.parse`."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(passes):
        theirs.append(one_pass(parse_as_python, programs))
        ours.append(one_pass(analyse, programs))
    return statistics.median(ours) / len(programs), statistics.median(theirs) / len(programs)


def one_pass(function: Callable[[str], object], programs: list[str]) -> float:
    start = time.perf_counter()
    for program in programs:
        function(program)
    return time.perf_counter() - start


def parse_as_python(program: str) -> None:
    try:
        ast.parse(program)
    except SyntaxError:
        return  # A few of the programs are no Python.


if __name__ == "__main__":
    sys.exit(main())
