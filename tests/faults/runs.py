"""Starts `bonsai grow` in a sandbox where every process and every temporary file of it can be found again."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from faults.folders import DATABASE, Everything, everything_in
from faults.subjects import PAUSE_VARIABLE

SIZE = int(os.environ.get("BONSAI_FAULTS", "0"))  # 0 for the small suite
SEED = os.environ.get("BONSAI_FAULTS_SEED", "7")
HANGS = 300.0  # seconds; nothing takes as long, even on a busy machine
PAUSE = 0.002  # seconds that a program under test takes for a text
LINGERS = 30.0  # seconds for the processes of a run to end after it
MARKER = "BONSAI_TEST_RUN"
PROGRAM = "from bonsai.__main__ import main; main()"  # as the console script does
SMALL = ("--bounds", "2,2,2", "--budget", "120x", "--seed", "7")
VISIBLE = {DATABASE, f"{DATABASE}-journal", "run.json", "corpus", "findings", "report.html"}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    output: str
    errors: str

    def require(self, *codes: int) -> "Ended":
        """Fails unless the exit code is one of these, and there is no traceback."""
        assert self.code in codes, f"exit code {self.code}\n{self.output}\n{self.errors}"
        assert "Traceback" not in self.output + self.errors, self.errors
        return self

    def require_one_line(self) -> str:
        """Returns the error if it is one line with a hint."""
        assert self.errors.startswith("error: "), self.errors
        assert self.errors.count("\n") == 1, self.errors
        assert "(hint: " in self.errors
        return self.errors


@dataclass(frozen=True, slots=True)
class Running:
    """A process of a sandbox."""

    pid: int
    command: str

    @property
    def role(self) -> str:
        """Whether it is the parent, a worker, a target, or something that was left behind."""
        if PROGRAM in self.command:
            return "parent"
        if "bonsai.workers.process" in self.command:
            return "worker"
        return (
            "target" if "targets.python.server" in self.command or "bonsai.jvm.Server" in self.command else "other"
        )


class Sandbox:
    """A folder for one test. All processes that are started in it have a mark in their environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self._printed = folder / "printed"
        self._printed.mkdir()
        self.marker = uuid4().hex
        self._started = 0

    def start(
        self, *arguments: object, largest_file: int | None = None, pause: float = PAUSE, hash_seed: int = 0
    ) -> "subprocess.Popen[bytes]":
        """Starts a command of Bonsai that makes many checkpoints.

        No file may become larger than `largest_file` bytes. The program under test takes `pause` seconds a text.
        """

        def prepare() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))

        self._started += 1
        printed = self._printed / str(self._started)
        with open(f"{printed}.out", "wb") as output, open(f"{printed}.err", "wb") as errors:
            process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env=self._environment(pause, hash_seed),
                preexec_fn=prepare,
                start_new_session=True,
            )
        process.printed = printed  # type: ignore[attr-defined]
        return process

    def _environment(self, pause: float, hash_seed: int) -> dict[str, str]:
        return {
            **os.environ,
            MARKER: self.marker,
            "TMPDIR": str(self.temporary),
            "BONSAI_CHECKPOINT_EVERY": "0.05",
            PAUSE_VARIABLE: str(pause),
            "PYTHONHASHSEED": str(hash_seed),
        }

    def wait(self, process: "subprocess.Popen[bytes]") -> Ended:
        """Waits for a command to end."""
        try:
            code = process.wait(HANGS)
        except subprocess.TimeoutExpired:
            self.kill_everything()
            process.wait()
            raise AssertionError(f"hangs\n{_printed(process)}") from None
        return Ended(code, *_printed(process))

    def run(
        self, *arguments: object, largest_file: int | None = None, pause: float = PAUSE, hash_seed: int = 0
    ) -> Ended:
        """Runs a command of Bonsai to its end."""
        return self.wait(self.start(*arguments, largest_file=largest_file, pause=pause, hash_seed=hash_seed))

    def processes(self) -> list[Running]:
        """Returns the processes that were started in this sandbox, directly or not, and are still there."""
        found = []
        mark = f"{MARKER}={self.marker}".encode()
        for path in Path("/proc").iterdir():
            if path.name.isdigit() and int(path.name) != os.getpid():
                with suppress(OSError):
                    if mark in (path / "environ").read_bytes().split(b"\0"):
                        command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                        found.append(Running(int(path.name), command))
        return found

    def send(self, number: signal.Signals, *roles: str) -> list[Running]:
        """Sends a signal to all processes with these roles, or to all; returns those that were there."""
        victims = [one for one in self.processes() if not roles or one.role in roles]
        return [one for one in victims if _sent(one.pid, number)]

    def send_to_one(self, number: signal.Signals, role: str, random: Random) -> bool:
        """Sends a signal to one of the processes with a role; returns whether there was one."""
        victims = [one for one in self.processes() if one.role == role]
        return bool(victims) and _sent(random.choice(victims).pid, number)

    def kill_everything(self) -> None:
        """Kills whatever is left, until nothing is."""
        while self.send(signal.SIGKILL):
            time.sleep(0.05)

    def require_no_processes(self) -> None:
        """Fails if a process stays behind, however long one waits."""
        end = time.monotonic() + LINGERS
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        if left:
            self.kill_everything()
        assert not left, f"left behind: {left}"

    def require_no_temporary_files(self) -> None:
        """Fails if anything is left in TMPDIR, in the run's folder or beside it."""
        assert list(self.temporary.iterdir()) == []
        assert {path.name for path in self.folder.iterdir()} <= {"out", "tmp", "printed", "subject"}
        hidden = {path.name for path in self.out.rglob(".*")}
        assert hidden <= {".lock", ".bonsai.json"}, hidden
        assert {path.name for path in self.out.iterdir()} - hidden <= VISIBLE - {f"{DATABASE}-journal"}

    def require_sound(self) -> None:
        """Fails if anything that is visible in the run's folder is not whole."""
        if not self.out.exists():
            return
        if (self.out / DATABASE).exists():
            require_sound_database(self.out / DATABASE)
        if (self.out / "run.json").exists():
            json.loads((self.out / "run.json").read_text())
        visible = {path.name for path in self.out.iterdir() if not path.name.startswith(".")}
        assert visible <= VISIBLE

    def finish(self, fresh: list[object], jobs: int = 2) -> Ended:
        """Resumes the run, or starts it if nothing of it is there, and lets it end."""
        if (self.out / DATABASE).exists():
            return self.run("grow", "--resume", self.out, "--jobs", jobs)
        return self.run("grow", *fresh, "--jobs", jobs)

    def figures(self) -> dict[str, Any]:
        """Returns `run.json`."""
        found: dict[str, Any] = json.loads((self.out / "run.json").read_text())
        return found

    def everything(self) -> Everything:
        """Returns all that a complete run left behind. Fails if anything is left that should not be."""
        self.require_no_processes()
        self.require_sound()
        self.require_no_temporary_files()
        assert self.figures()["complete"] is True
        assert (self.out / "report.html").read_text().rstrip().endswith("</html>")
        found = everything_in(self.out)
        assert found["checkpoints"] == []
        return found


@contextmanager
def sandbox(folder: Path) -> Iterator[Sandbox]:
    """Gives a sandbox; whatever still runs in it at the end is killed."""
    made = Sandbox(folder)
    try:
        yield made
    finally:
        made.kill_everything()


def require_sound_database(path: Path) -> None:
    """Fails unless SQLite finds nothing wrong."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def wait_until(condition: Callable[[], object], process: "subprocess.Popen[bytes] | None" = None) -> bool:
    """Waits until something is so; returns False if the process ends before."""
    end = time.monotonic() + HANGS
    while time.monotonic() < end:
        if condition():
            return True
        if process is not None and process.poll() is not None:
            return bool(condition())
        time.sleep(0.02)
    raise AssertionError("never happens")


def results_in(out: Path) -> int:
    """Returns how many tasks of a run are done so far."""
    with suppress(sqlite3.Error):
        if (out / DATABASE).exists():
            with closing(sqlite3.connect(f"{(out / DATABASE).resolve().as_uri()}?mode=ro", uri=True)) as database:
                return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
    return 0


def _sent(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def _printed(process: "subprocess.Popen[bytes]") -> tuple[str, str]:
    printed = process.printed  # type: ignore[attr-defined]
    return tuple(Path(f"{printed}.{end}").read_text(errors="replace") for end in ("out", "err"))  # type: ignore[return-value]
