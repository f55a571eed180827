"""A Dask cluster on this machine, by the commands of docs/scaling.md."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client

TESTS = Path(__file__).parents[1]
GUIDE = (TESTS.parent / "docs" / "scaling.md").read_text(encoding="utf-8")
PATIENCE = 60.0


def _command(start: str, *replacements: tuple[str, str]) -> list[str]:
    """A command of the guide, with what depends on the machine replaced."""
    line = next(line for line in GUIDE.splitlines() if line.startswith(start))
    for old, new in replacements:
        assert old in line
        line = line.replace(old, new)
    return shlex.split(line)


def _start(log: Path, command: list[str], *options: str) -> "subprocess.Popen[bytes]":
    """Start `dask`; what it says goes into a file. The tasks made for tests are found."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with log.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", *command, *options], stdout=file, stderr=file, env=environment, cwd=log.parent
        )


@contextmanager
def dask_cluster(folder: Path, workers: int, *options: str) -> Iterator[str]:
    """The address of a scheduler with so many `dask worker` processes of one worker each."""
    found = folder / "scheduler.json"
    here = ("--host", "127.0.0.1", "--no-dashboard")
    log = folder / "scheduler.log"
    scheduler = _start(log, _command("dask scheduler"), "--port", "0", "--scheduler-file", str(found), *here)
    processes = [scheduler]
    try:
        address = _address(found, scheduler)
        worker = _command("dask worker", ("tcp://host:8786", address), ("--nworkers 8", "--nworkers 1"))
        for number in range(workers):
            processes.append(_start(folder / f"worker-{number}.log", worker, *here, *options))
        if workers:
            with Client(address, timeout=PATIENCE, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=PATIENCE)
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
