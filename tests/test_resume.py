"""A run that is killed, interrupted or out of disk is resumed, and ends as one that was left alone."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bonsai.store import RunStore
from made_subjects import json_subject

KILLS = int(os.environ.get("BONSAI_KILLS", "5"))
SETTINGS = ["--bounds", "2,2,1", "--budget", "150x", "--seed", "7"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "subject"
    json_subject(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(subject: Path) -> dict[str, bytes]:
    out = subject.parent / "undisturbed"
    grow([str(subject), *SETTINGS, "--jobs", "1", "-o", str(out)]).communicate()
    return corpus_of(out)


def grow(arguments: list[str], limit: int | None = None) -> "subprocess.Popen[str]":
    """`bonsai grow` with many checkpoints; perhaps with a limit on the size of files, as on a full disk."""

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    return subprocess.Popen(
        [sys.executable, "-c", "from bonsai.cli import main; main()", "grow", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BONSAI_CHECKPOINT_EVERY": "0.02"},
        preexec_fn=prepare,
    )


def corpus_of(out: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(out)): path.read_bytes() for path in (out / "corpus").rglob("*.json")}
    assert found
    return found


def kill_tree(root: int) -> None:
    """SIGKILL for a process and all that descend from it."""
    family = [root]
    for one in family:
        with suppress(FileNotFoundError, ProcessLookupError):
            for task in Path(f"/proc/{one}/task").iterdir():
                family += map(int, (task / "children").read_text().split())
    for one in family:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def require_sound(out: Path) -> None:
    """Whatever is visible is whole."""
    if (out / "run.sqlite").exists():
        database = sqlite3.connect(out / "run.sqlite")
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()
    if (out / "run.json").exists():
        json.loads((out / "run.json").read_text())
    visible = {path.name for path in out.iterdir() if not path.name.startswith(".")} if out.exists() else set()
    assert visible <= {"run.sqlite", "run.sqlite-journal", "run.json", "corpus", "findings", "report.html"}
    assert all(path.stat().st_size for path in out.rglob("corpus/*/*.json"))


@pytest.mark.slow
def test_killed_at_random_moments_and_resumed(subject: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    moments = random.Random(3)
    finished = False
    killed = 0
    while not finished:
        began = (out / "run.sqlite").exists()
        arguments = ["--resume", str(out)] if began else [str(subject), *SETTINGS, "-o", str(out)]
        process = grow([*arguments, "--jobs", "2"])
        try:
            process.communicate(timeout=moments.uniform(0.2, 3) if killed < KILLS else 300)
            assert process.returncode == 0
            finished = killed >= KILLS
            if not finished:  # too fast for us: once more from the start
                arguments = [str(subject), *SETTINGS, "-o", str(out), "--force"]
                process = grow(arguments)
                time.sleep(moments.uniform(0.2, 2))
                kill_tree(process.pid)
                process.communicate()
                killed += 1
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)
            process.communicate()
            killed += 1
        require_sound(out)
    assert corpus_of(out) == undisturbed
    assert json.loads((out / "run.json").read_text())["complete"] is True


@pytest.mark.slow
def test_interrupted_once_keeps_everything_and_can_be_resumed(
    subject: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = grow([str(subject), *SETTINGS, "-o", str(out), "--jobs", "2"])
    wait_for_a_result(out)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "--resume" in output
    assert "Traceback" not in errors
    summary = json.loads((out / "run.json").read_text())
    assert summary["complete"] is False
    assert summary["corpus"]["files"] == len(corpus_of(out))
    require_sound(out)
    resumed = grow(["--resume", str(out), "--jobs", "2"])
    _, errors = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, errors
    assert corpus_of(out) == undisturbed


@pytest.mark.slow
def test_interrupted_twice_stops_at_once_and_can_be_resumed(
    subject: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = grow([str(subject), *SETTINGS, "-o", str(out), "--jobs", "1"])
    wait_for_a_result(out)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    require_sound(out)
    _, errors = grow(["--resume", str(out)]).communicate(timeout=120)
    assert corpus_of(out) == undisturbed


def wait_for_a_result(out: Path) -> None:
    """Until some node is done."""
    for _ in range(600):
        time.sleep(0.05)
        if (out / "run.sqlite").exists():
            database = sqlite3.connect(f"file:{out / 'run.sqlite'}?mode=ro", uri=True)
            with suppress(sqlite3.OperationalError):
                if database.execute("SELECT count(*) FROM results").fetchone()[0]:
                    database.close()
                    return
            database.close()
    raise AssertionError("no node is ever done")


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_the_run_can_be_resumed(subject: Path, tmp_path: Path) -> None:
    out, settings = tmp_path / "out", ["--bounds", "2,2,2", "--budget", "300x"]
    RunStore.create(tmp_path / "empty", {}).close()
    room = (tmp_path / "empty" / "run.sqlite").stat().st_size + 8192
    process = grow([str(subject), *settings, "-o", str(out), "--quiet"], limit=room)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert errors.count("\n") == 1, errors
    assert "cannot write" in errors
    assert "hint" in errors
    require_sound(out)
    process = grow(["--resume", str(out)])
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    grow([str(subject), *settings, "-o", str(tmp_path / "straight")]).communicate()
    assert corpus_of(out) == corpus_of(tmp_path / "straight")


@pytest.mark.slow
def test_a_run_is_resumed_only_as_it_was(subject: Path, tmp_path: Path) -> None:
    folder = tmp_path / "subject"
    json_subject(folder)
    out = tmp_path / "out"
    grow([str(folder), "--bounds", "1,1,1", "--budget", "20x", "-o", str(out)]).communicate()
    for arguments, complaint in (
        (["--resume", str(out), "--seed", "3"], "--seed cannot be combined with --resume"),
        (["json", "--resume", str(out)], "SUBJECT cannot be combined with --resume"),
        (["--resume", str(out), "--force"], "--force cannot be combined with --resume"),
        (["--resume", str(tmp_path)], "no run to resume"),
        ([str(folder), "-o", str(out)], "exists"),
    ):
        process = grow(arguments)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 2
        assert complaint in errors
    (folder / "driver.py").write_text("def check(text):\n    return text if text else 0\n")
    process = grow(["--resume", str(out)])
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "the target has changed" in errors


@pytest.mark.slow
def test_two_processes_cannot_grow_in_one_folder(subject: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = grow([str(subject), "--bounds", "2,2,2", "--budget", "4s", "-o", str(out)])
    try:
        wait_for_a_result(out)
        second = grow(["--resume", str(out)])
        _, errors = second.communicate(timeout=60)
        assert second.returncode == 2
        assert "in use" in errors
    finally:
        kill_tree(first.pid)
        first.communicate()
