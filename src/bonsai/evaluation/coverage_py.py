"""Measures the lines and branches of a Python target that inputs cover, as coverage.py counts them."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.evaluation.third_party import NOTHING, Coverage, Judged, Share
from bonsai.extras import require
from bonsai.targets.python.engine import interpreter
from bonsai.targets.settings import PythonTarget


def python_coverage(settings: PythonTarget, folder: Path, judged: Sequence[Judged]) -> Coverage:
    """Runs the target under coverage.py, in an interpreter that has the environment of a target's process."""
    require("measuring coverage", "coverage")
    task = {
        "folders": [str(one) for one in settings.folders(folder)],
        "call": settings.call,
        "cover": settings.cover,
        "texts": [one.text for one in judged if _comes_back(one)],
    }
    command, environment = interpreter("bonsai.evaluation.coverage_worker", settings.hash_seed)
    done = subprocess.run(
        command, input=json.dumps(task), capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise BonsaiError(f"coverage.py could not measure {settings.call}: {reason}", "does `bonsai check` run it?")
    return _coverage(json.loads(done.stdout))


def _comes_back(one: Judged) -> bool:
    """Whether running an input again does no harm: in the worker, nothing is isolated."""
    dangers = ("no answer within", "the process ", "MemoryError")
    return not (one.execution.outcome.is_finding and one.execution.message.startswith(dangers))


def _coverage(report: dict[str, object]) -> Coverage:
    branches: dict[str, Share] = defaultdict(lambda: NOTHING)
    lines: dict[str, Share] = defaultdict(lambda: NOTHING)
    modules = report["modules"]
    assert isinstance(modules, list)
    for name, figures in modules:
        branches[name] += Share(figures["covered_branches"], figures["num_branches"])
        lines[name] += Share(figures["covered_lines"], figures["num_statements"])
    return Coverage(f"coverage.py {report['version']}", dict(branches), dict(lines))
