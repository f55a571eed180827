"""Programs under test that turn against Bonsai, from the command to the report: runs end with what they found."""

import signal
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

from faults.runs import SEED, SMALL, Sandbox, results_in
from faults.subjects import AMBIGUOUS_DRIVER, write_ambiguous, write_jvm_expressions
from targets.jvm.tools import needs_java

BOUNDS = ("--bounds", "1,2,1", "--budget", "60x", "--seed", "7")
WHEN = 'if text.strip() == "a b" or text.strip() == "a a":'

GARBAGE = """
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, DATA)
        except OSError:
            pass
"""
# Each does something terrible on one or two texts, and is an ordinary program otherwise.
ATTACKS = {
    "kills its parent": "os.kill(os.getppid(), 9)",
    "stops its parent": "os.kill(os.getppid(), 19)",
    "writes garbage to all descriptors": GARBAGE.replace("DATA", r'b"\xff\x00garbage" * 50').strip(),
    "writes many zeros to all descriptors": GARBAGE.replace("DATA", r'b"\0" * 4000').strip(),
    "forges replies": GARBAGE.replace("DATA", r'b"\x00\x00\x00\x00\x00\xff\xff\xff\xff" + b"\xff" * 4').strip(),
    "exits with status 77": "os._exit(77)",
    "exits with status 0": "os._exit(0)",
    "closes all descriptors": "os.closerange(3, 64)",
    "kills its group": "os.killpg(0, 9)",
    "leaves a child behind": 'subprocess.Popen(["sleep", "600"])',
    "leaves a child behind in another session": 'subprocess.Popen(["sleep", "600"], start_new_session=True)',
    "leaves a grandchild behind": 'subprocess.run(["sh", "-c", "setsid sleep 600 & exit"])',
    "forks and stays": "os.fork() or time.sleep(600)",
    "fills its standard output": 'os.write(1, b"x" * 10**6)',
}


def hostile_subject(folder: Path, attack: str) -> None:
    """Writes the ambiguous subject with an attack on some texts; nothing of it is covered."""
    lines = attack.splitlines()
    strike = "\n".join(["def strike():", *(f"    {line.removeprefix('    ')}" for line in lines)])
    (imports, body) = AMBIGUOUS_DRIVER.split("from bonsai.errors import Invalid\n")
    check = body.replace("def check(text):\n", f"def check(text):\n    {WHEN}\n        attack.strike()\n")
    write_ambiguous(folder, f"{imports}\nimport attack\nfrom bonsai.errors import Invalid\n{check}")
    (folder / "attack.py").write_text(f"import os\nimport subprocess\nimport time\n\n\n{strike}\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_the_run_ends_with_what_it_found(name: str, box: Sandbox) -> None:
    subject = box.folder / "subject"
    hostile_subject(subject, ATTACKS[name])
    ended = box.run("grow", subject, *BOUNDS, "-o", box.out, "--jobs", 2).require(0, 1)
    box.require_no_processes()
    box.require_sound()
    box.require_no_temporary_files()
    figures = box.figures()
    texts = [path.read_text() for path in (box.out / "corpus").glob("*/*.txt")]
    assert {"a", "b"} & set(texts)
    assert len(figures["nodes"]) == 4
    assert (box.out / "report.html").read_text().rstrip().endswith("</html>")
    if figures["complete"]:
        assert ended.code == 0
        assert figures.get("failures", []) == []
    else:
        assert ended.code == 1
        reasons = [failure["reason"] for failure in figures["failures"]]
        assert reasons
        assert all(reason in ended.output + ended.errors for reason in reasons)
        assert {node["stopped"] for node in figures["nodes"]} >= {"failed"}
    require_true_features(figures)


# The same for the JVM, on one text.
JVM_ATTACKS = {
    "kills its parent": "ProcessHandle.current().parent().get().destroyForcibly();",
    "halts": "Runtime.getRuntime().halt(77);",
    "leaves a child behind": 'new ProcessBuilder("setsid", "sleep", "600").start();',
    "stops itself": 'new ProcessBuilder("sh", "-c", "kill -STOP $PPID").start();',
}


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("name", JVM_ATTACKS)
def test_the_run_of_a_jvm_ends_with_what_it_found(name: str, box: Sandbox) -> None:
    subject = box.folder / "subject"
    write_jvm_expressions(subject)
    driver = (subject / "Driver.java").read_text().replace("throws InterruptedException {", "throws Exception {")
    attack = f'if (text.equals("0*0")) {{ {JVM_ATTACKS[name]} }}\n        int value'
    (subject / "Driver.java").write_text(driver.replace("int value", attack, 1))
    toml = (subject / "bonsai.toml").read_text()
    (subject / "bonsai.toml").write_text(toml.replace('timeout = "10s"', 'timeout = "2s"'))
    box.run("grow", subject, *SMALL, "-o", box.out, "--jobs", 2).require(0, 1)
    box.require_no_processes()
    box.require_sound()
    box.require_no_temporary_files()
    assert len(list((box.out / "corpus").glob("*/*.txt"))) > 4
    if name in ("halts", "stops itself"):
        assert any(path.read_text() == "0*0" for path in (box.out / "findings").glob("*.txt"))
    assert (box.out / "report.html").exists()


def require_true_features(figures: dict[str, Any]) -> None:
    """Fails if features were made up: the subject has as many as an honest one, and some are never reached."""
    features = figures["features"]
    assert 5 < features["covered"] < features["total"]


@pytest.mark.slow
def test_exit_status_77_is_not_a_lack_of_memory(box: Sandbox) -> None:
    subject = box.folder / "subject"
    hostile_subject(subject, ATTACKS["exits with status 77"])
    box.run("grow", subject, *BOUNDS, "-o", box.out, "--jobs", 1).require(0)
    [message] = [path.read_text() for path in (box.out / "findings").glob("*.message.txt")]
    assert "77" in message
    assert "memory" not in message


@pytest.mark.slow
def test_a_target_that_is_killed_from_outside_again_and_again(box: Sandbox) -> None:
    """Somebody kills the target six times in a row, in the middle of the run."""
    subject = box.folder / "subject"
    write_ambiguous(subject)
    random = Random(SEED)
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while len(killed) < 7 and not over.is_set():
            if results_in(box.out) and box.send_to_one(signal.SIGKILL, "target", random):
                killed.append(1)

    process = box.start("grow", subject, *SMALL, "-o", box.out, "--jobs", 1, pause=0.02)
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        ended = box.wait(process)
    finally:
        over.set()
        killer.join()
    assert len(killed) >= 6
    box.require_no_processes()
    box.require_sound()
    ended.require(0, 1)
    assert box.figures()["complete"] is (ended.code == 0)
    box.run("grow", "--resume", box.out).require(0)
    assert box.figures()["complete"] is True
