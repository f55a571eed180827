"""A Dask cluster on this machine, of the commands that docs/scaling.md names."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parents[1]
PATIENCE = 60.0


def _dask(log: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """One `dask` command; what it says goes into a file. The tasks made for tests are found."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with log.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], stdout=file, stderr=file, env=environment, cwd=log.parent
        )


@contextmanager
def dask_cluster(folder: Path, workers: int, *options: str) -> Iterator[str]:
    """The address of a scheduler with so many `dask worker` processes of one thread each."""
    found = folder / "scheduler.json"
    here = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = _dask(folder / "scheduler.log", "scheduler", "--port", "0", "--scheduler-file", str(found), *here)
    processes = [scheduler]
    try:
        address = _address(found, scheduler)
        for number in range(workers):
            log = folder / f"worker-{number}.log"
            processes.append(_dask(log, "worker", address, "--nthreads", "1", *here, *options))
        yield address
    finally:
        for process in reversed(processes):  # the workers first: they end their targets
            process.terminate()
        for process in reversed(processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(file: Path, scheduler: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and scheduler.poll() is None:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):  # not there yet, or half written
            time.sleep(0.1)
    raise AssertionError(f"no scheduler: {file.with_suffix('.log').read_text()}")
