"""What is resumed is what was begun: a run whose subject or settings have changed is refused.

`tests/faults/` has the runs that are killed, interrupted or out of disk.
"""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
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

# Two texts of the same length are valid, or not, in the same branches.
DRIVER = """
import helper
from bonsai.errors import Invalid

def check(text):
    if text.strip() == "null":
        return helper.LIMIT
    raise Invalid("something else")
"""


def grow(arguments: list[str]) -> "subprocess.Popen[str]":
    """Starts `bonsai grow`."""
    return subprocess.Popen(
        [sys.executable, "-c", "from bonsai.cli import main; main()", "grow", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def corpus_of(out: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(out)): path.read_bytes() for path in (out / "corpus").rglob("*.json")}
    assert found
    return found


@pytest.mark.slow
def test_a_run_is_resumed_only_as_it_was(tmp_path: Path) -> None:
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
