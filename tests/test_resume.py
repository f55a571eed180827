"""A run that is killed, interrupted or out of disk is resumed, and ends as one that was left alone."""

import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import bonsai
from bonsai.bounds import Bounds
from bonsai.budget import Auto, Executions
from bonsai.cli import run
from bonsai.corpus import Policy
from bonsai.errors import BonsaiError
from bonsai.evaluation.evaluating import Asked, settle
from bonsai.grow_settings import GrowSettings, asked_before
from bonsai.store import RunStore
from bonsai.subject import load_subject
from made_subjects import json_subject
from targets.jvm.tools import needs_java

KILLS = int(os.environ.get("BONSAI_KILLS", "5"))
SETTINGS = ["--bounds", "2,2,1", "--budget", "150x", "--seed", "7"]

# Two texts of the same length are valid, or not, in the same branches.
DRIVER = """
import helper
from bonsai.errors import Invalid

def check(text):
    if text.strip() == "null":
        return helper.LIMIT
    raise Invalid("something else")
"""


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


def subject_with_helper(folder: Path) -> bonsai.Subject:
    """A subject with a module beside its driver."""
    subject = json_subject(folder, DRIVER)
    (folder / "helper.py").write_text("LIMIT = 3\n")
    return subject


def small_run(folder: Path) -> Path:
    """A finished run of two nodes."""
    subject = subject_with_helper(folder / "subject")
    bonsai.grow(subject, GrowSettings(Bounds(1, 1, 1), budget=Executions(20)), folder / "out")
    return folder / "out"


def refusal(out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Returns the one line that `--resume` refuses with; nothing is written."""
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert run(["grow", "--resume", str(out), "--jobs", "1"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    assert "Traceback" not in error
    assert "hint" in error
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    return error


def test_a_changed_driver_with_the_same_branches_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = small_run(tmp_path)
    (tmp_path / "subject" / "driver.py").write_text(DRIVER.replace("null", "true"))
    assert "the run cannot be resumed: driver.py has changed since it began" in refusal(out, capsys)


def test_all_that_has_changed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = small_run(tmp_path)
    (tmp_path / "subject" / "helper.py").write_text("LIMIT = 4\n")
    assert "helper.py has changed" in refusal(out, capsys)
    configuration = tmp_path / "subject" / "bonsai.toml"
    configuration.write_text(configuration.read_text() + 'timeout = "3s"\n')
    assert "setting timeout and helper.py have changed" in refusal(out, capsys)
    configuration.write_text(configuration.read_text() + 'memory = "2GiB"\ninvalid = ["ValueError"]\n')
    assert " and 1 more have changed" in refusal(out, capsys)


def test_a_changed_grammar_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = small_run(tmp_path)
    grammar = tmp_path / "subject" / "json.lark"
    grammar.write_text(grammar.read_text().replace('"null"', '"nil"'))
    assert "the grammar has changed since it began" in refusal(out, capsys)


def test_another_version_of_bonsai_does_not_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = small_run(tmp_path)
    monkeypatch.setattr("bonsai.grow_settings.bonsai_version", lambda: "99.0")
    assert "this is 99.0" in refusal(out, capsys)


def test_a_subject_that_is_gone_is_missed_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = small_run(tmp_path)
    (tmp_path / "subject").rename(tmp_path / "moved")
    error = refusal(out, capsys)
    assert f"its subject is no longer in {tmp_path / 'subject'}" in error
    assert "put it back" in error


def test_a_subject_that_was_copied_back_is_resumed(tmp_path: Path) -> None:
    out = small_run(tmp_path)
    before = corpus_of(out)
    shutil.copytree(tmp_path / "subject", tmp_path / "copy")
    shutil.rmtree(tmp_path / "subject")
    (tmp_path / "subject").symlink_to(tmp_path / "copy")
    assert run(["grow", "--resume", str(out), "--jobs", "1", "--quiet"]) == 0
    assert corpus_of(out) == before


def test_a_run_keeps_its_bounds_whatever_the_subject_says_now(tmp_path: Path) -> None:
    out = small_run(tmp_path)
    before, asked = corpus_of(out), json.loads((out / "run.json").read_text())["bounds"]
    configuration = tmp_path / "subject" / "bonsai.toml"
    text = configuration.read_text()
    assert "[bounds]" in text
    configuration.write_text(re.sub(r"(idents|items|depth) = \d+", r"\1 = 1", text))
    assert load_subject(tmp_path / "subject").bounds == Bounds(1, 1, 1)
    assert run(["grow", "--resume", str(out), "--jobs", "1", "--quiet"]) == 0
    assert corpus_of(out) == before
    assert json.loads((out / "run.json").read_text())["bounds"] == asked


def test_a_bundled_subject_is_found_whatever_is_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    bonsai.grow(load_subject("chocopy"), GrowSettings(Bounds(1, 1, 1), budget=Executions(20)), out)
    json_subject(tmp_path / "chocopy")
    monkeypatch.chdir(tmp_path)
    assert run(["grow", "--resume", "out", "--jobs", "1", "--quiet"]) == 0


@pytest.mark.parametrize("policy", Policy)
def test_a_run_with_its_own_budget_is_resumed_with_it(tmp_path: Path, policy: Policy) -> None:
    subject = subject_with_helper(tmp_path / "subject")
    settings = GrowSettings(Bounds(1, 1, 1), budget=Auto(quiet=50, quiet_per_member=1), policy=policy, seed=3)
    bonsai.grow(subject, settings, tmp_path / "out")
    with RunStore.open(tmp_path / "out") as store:
        _, found = asked_before(store.asked())
    assert found == settings
    with sqlite3.connect(tmp_path / "out" / "run.sqlite") as database:
        before = database.execute("SELECT executions, generated FROM nodes ORDER BY id").fetchall()
        database.execute("DELETE FROM results")
    database.close()
    assert run(["grow", "--resume", str(tmp_path / "out"), "--jobs", "1", "--quiet"]) == 0
    with sqlite3.connect(tmp_path / "out" / "run.sqlite") as database:
        assert database.execute("SELECT executions, generated FROM nodes ORDER BY id").fetchall() == before
    database.close()


def test_what_fuzz_merge_and_reduce_have_made_is_not_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_run(tmp_path)
    subject, corpus = str(tmp_path / "subject"), str(tmp_path / "out")
    folders = {name: tmp_path / name for name in ("fuzz", "merge", "reduce")}
    fuzz = ["fuzz", subject, "--bounds", "1,1,1", "--budget", "20x", "-o", str(folders["fuzz"])]
    assert run([*fuzz, "--quiet"]) == 0
    assert run(["merge", corpus, "--subject", subject, "-o", str(folders["merge"]), "--quiet"]) == 0
    assert run(["reduce", corpus, "--subject", subject, "-o", str(folders["reduce"]), "--quiet"]) == 0
    assert "it was made by bonsai fuzz" in refusal(folders["fuzz"], capsys)
    assert "it was made by bonsai merge" in refusal(folders["merge"], capsys)
    assert "there is no run to resume" in refusal(folders["reduce"], capsys)


def test_an_evaluation_of_a_changed_target_is_not_continued(tmp_path: Path) -> None:
    subject = subject_with_helper(tmp_path / "subject")
    asked = Asked((1, 2, 1), "20x", 0, 5, 2, 1, "16x")
    settle(tmp_path, subject, asked, ["the same features"])
    settle(tmp_path, subject, asked, ["the same features"])
    (tmp_path / "subject" / "driver.py").write_text(DRIVER.replace("null", "true"))
    with pytest.raises(BonsaiError, match="another target_hash"):
        settle(tmp_path, subject, asked, ["the same features"])


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


JAVA_DRIVER = """
public final class Driver {
    public static void check(String text) {
        if (text.trim().equals("null")) {
            return;
        }
        throw new IllegalArgumentException("something else");
    }
}
"""
JAVA_SETTINGS = """
[target]
engine = "jvm"
driver = "Driver"
invalid = ["java.lang.IllegalArgumentException"]
"""


@needs_java
@pytest.mark.slow
def test_a_changed_driver_in_java_with_the_same_branches_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = json_subject(tmp_path / "subject", settings=JAVA_SETTINGS)
    source = tmp_path / "subject" / "Driver.java"
    source.write_text(JAVA_DRIVER)
    bonsai.grow(subject, GrowSettings(Bounds(1, 1, 1), budget=Executions(20)), tmp_path / "out")
    assert run(["grow", "--resume", str(tmp_path / "out"), "--jobs", "1", "--quiet"]) == 0
    source.write_text(JAVA_DRIVER.replace("null", "true"))
    assert "Driver.java has changed since it began" in refusal(tmp_path / "out", capsys)
