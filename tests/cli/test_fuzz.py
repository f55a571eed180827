"""`bonsai fuzz` on the ChocoPy type checker, for real."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bonsai.cli import run
from cli.conftest import Complaint
from made_subjects import json_subject

ASKED = {
    "version",
    "subject",
    "grammar_hash",
    "target_hash",
    "bounds",
    "lattice",
    "policy",
    "select",
    "seed",
    "budget",
}


def files(folder: Path) -> dict[str, bytes]:
    corpus = folder / "corpus"
    return {str(p.relative_to(corpus)): p.read_bytes() for p in sorted(corpus.rglob("*")) if p.is_file()}


def fuzz(folder: Path, *options: str) -> dict[str, bytes]:
    arguments = ["fuzz", "chocopy", "--bounds", "2,2,2", "--budget", "600x", "-o", str(folder), *options]
    assert run([*arguments, "--quiet"]) == 0
    return files(folder)


@pytest.mark.slow
def test_the_same_seed_and_executions_give_the_same_bytes(tmp_path: Path) -> None:
    one, other, third = (
        fuzz(tmp_path / name, "--seed", seed) for name, seed in (("a", "7"), ("b", "7"), ("c", "8"))
    )
    assert one == other
    assert one != third


def test_json_is_run_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fuzz", "chocopy", "--bounds", "1,1,1", "--budget", "200x", "-o", str(tmp_path / "o"), "--json"]
    assert run(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "o/run.json").read_text())
    assert set(printed) >= ASKED
    assert printed["features"]["covered"] > 50


def test_restricted_writes_valid_tests_only(tmp_path: Path) -> None:
    found = fuzz(tmp_path / "o", "--restricted")
    assert found
    assert all(name.startswith("valid") or name == "INDEX.md" for name in found)


@pytest.mark.slow
def test_the_papers_policy_and_chosen_mutators(tmp_path: Path) -> None:
    assert fuzz(tmp_path / "paper", "--policy", "paper")
    fuzz(tmp_path / "some", "--mutators", "zest, splice")
    assert json.loads((tmp_path / "some/run.json").read_text())["mutators"] == ["zest", "splice"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--budget", "fast"], "not a budget"),
        (["--mutators", "zest,bogus"], "no mutator 'bogus'"),
        (["--policy", "bogus"], "policy"),
        (["--bounds", "0,1,1"], "idents is 0"),
    ],
)
def test_wrong_options(options: list[str], words: str, tmp_path: Path, complaint: Complaint) -> None:
    assert words in complaint("fuzz", "chocopy", "-o", str(tmp_path / "o"), *options)
    assert not (tmp_path / "o").exists()


@pytest.mark.slow
def test_a_run_directory_is_not_overwritten_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = fuzz(tmp_path / "o")
    arguments = ["fuzz", "chocopy", "--budget", "100x", "-o", str(tmp_path / "o"), "--quiet"]
    assert run(arguments) == 2
    assert "exists" in capsys.readouterr().err
    assert files(tmp_path / "o") == first
    assert run([*arguments, "--force"]) == 0


def test_a_subject_without_a_target_has_nothing_to_fuzz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fuzz", "json", "-o", str(tmp_path / "o")]) == 2
    assert "bonsai sample json" in capsys.readouterr().err


@pytest.mark.slow
def test_ctrl_c_keeps_the_result(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from bonsai.cli import main; main()"]
    arguments = ["fuzz", "chocopy", "--budget", "1h", "-o", str(tmp_path / "o")]
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )
    time.sleep(8)
    os.kill(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert b"interrupted" in out
    assert b"Traceback" not in err
    assert files(tmp_path / "o")


@pytest.mark.slow
def test_a_target_that_does_not_start_again_leaves_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = tmp_path / "subject"
    json_subject(subject)
    driver = subject / "driver.py"
    gone = f"os.path.exists({str(tmp_path / 'gone')!r})"
    driver.write_text(
        f"import os\nassert not {gone}, 'I was moved'\n{driver.read_text()}\n"
        f"_check = check\n\ndef check(text):\n    if text.startswith('[['):\n"
        f"        open({str(tmp_path / 'gone')!r}, 'w').close()\n        os._exit(1)\n    return _check(text)\n"
    )
    assert run(["fuzz", str(subject), "--budget", "3000x", "-o", str(tmp_path / "o"), "--quiet"]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in errors] == [" fuzz failed", " captions failed"]
    assert all("I was moved" in line for line in errors)
    assert f"what was found until then is in {tmp_path / 'o'}" in errors[0]
    assert files(tmp_path / "o")
    figures = json.loads((tmp_path / "o/run.json").read_text())
    assert figures["nodes"][0]["stopped"] == "failed"
    assert "I was moved" in figures["nodes"][0]["reason"]
    assert figures["complete"] is False
    assert (tmp_path / "o/report.html").is_file()


def test_a_folder_that_cannot_be_written_is_noticed_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run(["fuzz", "chocopy", "--budget", "1h", "-o", str(tmp_path / "file/o")]) == 2
    assert "cannot write" in capsys.readouterr().err
