"""The process in which coverage.py watches a target: reads texts as JSON, prints the figures of each package."""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import coverage

from bonsai.targets.python.modules import source_files


def measure(task: dict[str, Any]) -> dict[str, object]:
    """The figures by package, in the order of the modules' names."""
    sys.path[:0] = task["folders"]
    sys.argv = [""]
    modules = {path: module for pattern in task["cover"] for path, module in _files(pattern)}
    watch = coverage.Coverage(data_file=None, branch=True, include=list(modules), config_file=False)
    with watch.collect():
        module, _, path = task["call"].partition(":")
        check: Any = importlib.import_module(module)
        for name in path.split("."):
            check = getattr(check, name)
        for text in task["texts"]:
            with suppress(BaseException):  # a verdict or a crash: both were seen before
                check(text)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        watch.json_report(morfs=list(modules), outfile=str(report))
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    by_path = {os.path.realpath(path): module for path, module in modules.items()}
    found = [(by_path[os.path.realpath(path)], file["summary"]) for path, file in files.items()]
    return {"version": coverage.__version__, "modules": sorted(found, key=lambda pair: pair[0])}


def _files(pattern: str) -> list[tuple[str, str]]:
    """The files of a pattern, each with its package."""
    return [
        (str(path), module if path.name == "__init__.py" else module.rpartition(".")[0] or module)
        for module, path in source_files(pattern).items()
    ]


def main(_: Sequence[str]) -> None:
    """Reads one task from standard input and prints its figures."""
    task = json.load(sys.stdin)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        answer = measure(task)
    print(json.dumps(answer))
