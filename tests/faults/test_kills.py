"""A run that is killed at a random moment, as a whole or in parts, ends as one that was left alone."""

import signal
import time
from random import Random

import pytest

from faults.conftest import Undisturbed, WhereIs
from faults.folders import require_equal
from faults.runs import SEED, SIZE, SMALL, Sandbox, wait_until
from targets.jvm.tools import needs_java

KILLS = SIZE or 6
SUBJECTS = ("ambiguous", "json", "jvm")
VICTIMS = ("everything", "worker", "target", "parent")
LONGEST = 4.0  # seconds; about as long as a run takes


@pytest.mark.slow
@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_run_ends_as_one_that_was_left_alone(
    number: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    random = Random(f"{SEED}/{number}")
    subject, victim = SUBJECTS[number % len(SUBJECTS)], VICTIMS[number % len(VICTIMS)]
    fresh = [subject_of(subject), *SMALL, "-o", box.out]
    killed = False
    moments: list[float] = []
    while not killed:  # a run may be over before the moment
        moments.append(random.uniform(0, LONGEST / (1 + len(moments))))
        process = box.start("grow", *fresh, "--jobs", 2, *(["--force"] if box.out.exists() else []))
        time.sleep(moments[-1])
        if victim == "everything":
            killed = bool(box.send(signal.SIGKILL))
        elif wait_until(lambda: any(one.role == victim for one in box.processes()), process):
            killed = box.send_to_one(signal.SIGKILL, victim, random)
        ended = box.wait(process)
        if victim == "worker" or not killed:
            ended.require(0)
        elif (
            victim == "target" and ended.require(0, 1, 2).code == 2
        ):  # it was killed before it was ready for the first time
            ended.require_one_line()
            assert not box.out.exists()
        if victim == "parent":
            box.require_no_processes()
        box.require_sound()
    about = f"{victim} of {subject} killed after {moments} s, number {number} of BONSAI_FAULTS_SEED={SEED}"
    if ended.code:
        box.finish(fresh).require(0)
    require_equal(undisturbed(subject), box.everything(), about)


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["ambiguous", pytest.param("jvm", marks=needs_java)])
def test_a_run_that_is_killed_again_and_again_comes_to_its_end(
    subject: str, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    """Each session gets a little further, because checkpoints are kept."""
    random = Random(f"{SEED}/{subject}")
    fresh = [subject_of(subject), *SMALL, "-o", box.out]
    for _ in range(max(3, SIZE // 6)):
        started = ["--resume", box.out] if (box.out / "run.sqlite").exists() else fresh
        process = box.start("grow", *started, "--jobs", random.choice([1, 2, 3]))
        time.sleep(random.uniform(1, LONGEST))
        box.send(signal.SIGKILL)
        box.wait(process)
        box.require_sound()
    box.finish(fresh, jobs=1).require(0)
    require_equal(undisturbed(subject), box.everything(), f"BONSAI_FAULTS_SEED={SEED}")
