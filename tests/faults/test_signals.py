"""Ctrl-C, once or twice, SIGTERM and SIGHUP end a run at any moment without losing anything; it can be resumed."""

import signal
import time
from random import Random

import pytest

from faults.conftest import Undisturbed, WhereIs
from faults.folders import require_equal
from faults.runs import SEED, SIZE, SMALL, Sandbox, results_in, wait_until

SIGNALS = {
    "Ctrl-C": [signal.SIGINT],
    "Ctrl-C twice": [signal.SIGINT, signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
    "SIGHUP": [signal.SIGHUP],
}
REPETITIONS = max(1, SIZE // 12)
LONGEST = 3.0  # seconds; about as long as a run takes


@pytest.mark.slow
@pytest.mark.parametrize("number", range(REPETITIONS))
@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_at_a_random_moment(
    name: str, number: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    random = Random(f"{SEED}/{name}/{number}")
    fresh = [subject_of("ambiguous"), *SMALL, "-o", box.out]
    moment = random.uniform(0, LONGEST)
    process = box.start("grow", *fresh, "--jobs", 2)
    time.sleep(moment)
    for one in SIGNALS[name]:
        process.send_signal(one)
        time.sleep(random.uniform(0, 0.2))
    ended = box.wait(process)
    about = f"{name} after {moment} s, number {number} of BONSAI_FAULTS_SEED={SEED}"
    # Before Bonsai is ready, a signal ends the process by its own means; after the run's end, it comes too late.
    assert ended.code in (0, 130, *(-one for one in SIGNALS[name])), f"{about}: {ended}"
    if "Traceback" in ended.errors:  # while Python itself starts, nobody else can answer
        assert "bonsai/" not in ended.errors, f"{about}: {ended.errors}"
    box.require_no_processes()
    box.require_sound()
    box.finish(fresh).require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), about)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Ctrl-C", "SIGTERM", "SIGHUP"])
def test_a_signal_in_the_middle_of_a_run_keeps_what_was_found(
    name: str, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    fresh = [subject_of("json"), *SMALL, "-o", box.out]
    process = box.start("grow", *fresh, "--jobs", 2)
    assert wait_until(lambda: results_in(box.out) >= 2, process)
    process.send_signal(SIGNALS[name][0])
    ended = box.wait(process).require(130)
    assert "--resume" in ended.output + ended.errors
    figures = box.figures()
    assert figures["complete"] is False
    assert list((box.out / "corpus" / "valid").iterdir())
    assert (box.out / "report.html").exists()
    assert any(node["stopped"] == "interrupted" for node in figures["nodes"]), figures["nodes"]
    box.require_no_processes()
    box.require_no_temporary_files()
    box.finish(fresh).require(0)
    require_equal(undisturbed("json"), box.everything(), name)


@pytest.mark.slow
def test_ctrl_c_six_times(subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    fresh = [subject_of("ambiguous"), *SMALL, "-o", box.out]
    process = box.start("grow", *fresh, "--jobs", 2)
    assert wait_until(lambda: results_in(box.out) >= 2, process)
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    # A signal that comes while Python itself ends is not ours to handle; shells report 130 for both.
    box.wait(process).require(130, -signal.SIGINT)
    box.require_no_processes()
    box.require_sound()
    box.finish(fresh).require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), "six times")
