"""Every engine: whatever the target does, each text has its execution, and the run goes on."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bonsai.errors import BonsaiError, TargetLost
from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.isolated import WROTE_TO_PIPES, IsolatedTarget
from bonsai.targets.process import Program
from bonsai.targets.supervisor import processes
from conformance.conftest import LIMIT, Starter
from targets.processes import LEFT_BEHIND, exists, is_gone, left_behind, number_in

NOT_THERE = "not there"
BEFORE, AFTER = ["branch left", "invalid before"], ["branch right", "invalid after"]


@pytest.fixture
def normal(target: IsolatedTarget) -> list[Execution]:
    """What the texts around a fault lead to when nothing is wrong."""
    return target.execute([*BEFORE, *AFTER])


@pytest.mark.parametrize(
    ("text", "outcome", "messages"),
    [
        (
            "hang",
            Outcome.TIMEOUT,
            {"": f"no answer within {LIMIT:g} seconds, nor within {5 * LIMIT:g} when tried again"},
        ),
        ("eat", Outcome.CRASH, {"python": "MemoryError", "jvm": "OutOfMemoryError"}),
        ("reserve", Outcome.CRASH, {"python": NOT_THERE, "jvm": "OutOfMemoryError"}),
        ("gulp", Outcome.CRASH, {"python": "MemoryError", "jvm": "OutOfMemoryError"}),
        (
            "recurse",
            Outcome.CRASH,
            {"python": "RecursionError: maximum recursion depth exceeded", "jvm": "StackOverflowError"},
        ),
        (
            "segfault",
            Outcome.CRASH,
            {"python": "the process was killed by SIGSEGV", "jvm": "the process exited with status 1"},
        ),
        (
            "kill",
            Outcome.CRASH,
            {"python": "the process was killed by SIGTERM", "jvm": "the process exited with status 143"},
        ),
        ("leave early", Outcome.CRASH, {"python": "SystemExit: early", "jvm": "System.exit(5)"}),
        ("leave caught", Outcome.CRASH, {"python": "SystemExit: caught", "jvm": "System.exit(6)"}),
        ("vanish 0", Outcome.CRASH, {"": "the process exited with status 0"}),
        ("vanish 3", Outcome.CRASH, {"": "the process exited with status 3"}),
        ("vanish 77", Outcome.CRASH, {"": "the process exited with status 77"}),
        ("starve", Outcome.CRASH, {"": "the process ran out of memory"}),
        ("shut", Outcome.CRASH, {"python": "the process ", "jvm": NOT_THERE}),
        ("scribble x", Outcome.CRASH, {"": WROTE_TO_PIPES}),
        ("scribble \n\0\x7f", Outcome.CRASH, {"": WROTE_TO_PIPES}),
        ("forge", Outcome.CRASH, {"": WROTE_TO_PIPES}),
        ("forge_well 4", Outcome.CRASH, {"python": WROTE_TO_PIPES, "jvm": NOT_THERE}),
        ("steal", Outcome.TIMEOUT, {"python": "no answer within", "jvm": NOT_THERE}),
        ("stop", Outcome.TIMEOUT, {"": "no answer within"}),
        ("signal_parent SIGKILL", Outcome.CRASH, {"": "the process was killed by SIGKILL"}),
        ("signal_parent SIGTERM", Outcome.CRASH, {"": "the process was killed by SIGTERM"}),
        ("signal_parent SIGSTOP", Outcome.VALID, {"": ""}),
        ("signal_group SIGKILL", Outcome.CRASH, {"python": "the process was killed by SIGKILL", "jvm": NOT_THERE}),
        ("signal_group SIGSTOP", Outcome.TIMEOUT, {"python": "no answer within", "jvm": NOT_THERE}),
        ("escape", Outcome.CRASH, {"python": "the process exited with status 0", "jvm": NOT_THERE}),
        ("split", Outcome.VALID, {"python": "", "jvm": NOT_THERE}),
        ("noise x", Outcome.VALID, {"": ""}),
        ("thread", Outcome.VALID, {"": ""}),
        ("fork", Outcome.VALID, {"python": "", "jvm": NOT_THERE}),
        ("count", Outcome.VALID, {"": ""}),
    ],
)
def test_a_fault_in_the_middle_of_a_batch(
    target: IsolatedTarget,
    engine: str,
    normal: list[Execution],
    text: str,
    outcome: Outcome,
    messages: dict[str, str],
) -> None:
    message = messages.get(engine, messages.get("", ""))
    if message == NOT_THERE:
        pytest.skip(f"a target of the {engine} engine cannot do this")
    executions = target.execute([*BEFORE, text, *AFTER])
    assert [*executions[:2], *executions[3:]] == normal
    assert executions[2].outcome is outcome
    assert executions[2].message.startswith(message)
    assert target.execute([*BEFORE, *AFTER]) == normal


def test_output_of_the_target_goes_nowhere(target: IsolatedTarget, capfd: pytest.CaptureFixture[str]) -> None:
    [execution] = target.execute(["noise x"], Wanted.OUTPUT)
    assert execution.output == '"quiet: "'
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_fork_is_not_heard(target: IsolatedTarget, engine: str) -> None:
    if engine == "jvm":
        pytest.skip("a JVM cannot fork itself")
    executions = target.execute(["fork", "echo", "fork", "echo"], Wanted.OUTPUT)
    assert [e.output for e in executions] == ["1", '"echo"', "1", '"echo"']


def test_global_state_lasts_until_the_process_is_replaced(starter: Starter) -> None:
    target = starter()
    executions = target.execute(["count", "count", "vanish 1", "count"], Wanted.OUTPUT)
    assert [e.output for e in executions] == ["1", "2", None, "1"]


def test_a_time_out_that_does_not_recur_is_none(starter: Starter, tmp_path: Path) -> None:
    target = starter()
    execution, after = target.execute([f"slow_once {tmp_path / 'flag'}", "text"], Wanted.OUTPUT)
    assert (execution.outcome, execution.output) == (Outcome.VALID, '"slow"')
    assert after.output == '"text"'


@pytest.mark.parametrize("command", ["leak", "tire"])
def test_a_text_is_not_to_blame_for_what_others_left_behind(starter: Starter, command: str) -> None:
    texts = [f"{command} {index}" for index in range(12)]
    executions = starter(timeout=2.0).execute(texts)
    assert [(e.outcome, e.message) for e in executions] == [(Outcome.VALID, "")] * 12


@pytest.mark.parametrize(
    ("how", "outcome", "message"),
    [
        ("assertion", Outcome.CRASH, "AssertionError: assertion"),
        ("exception", Outcome.CRASH, "ExceptionInInitializerError"),
        ("exit", Outcome.CRASH, "System.exit(7)"),
        ("recursion", Outcome.CRASH, "StackOverflowError"),
        ("caught", Outcome.VALID, ""),
        ("apart", Outcome.CRASH, "AssertionError: apart"),
        ("apart caught", Outcome.VALID, ""),
    ],
)
def test_a_class_that_is_lost_to_one_text_is_there_for_the_next(
    starter: Starter, engine: str, how: str, outcome: Outcome, message: str
) -> None:
    if engine == "python":
        pytest.skip("a Python class whose body fails does not come to be, and is tried again")
    well = "initialise apart well" if how.startswith("apart") else "initialise well"
    before, failed, *after = starter(timeout=2.0).execute(["text", f"initialise {how}", well, well])
    assert (failed.outcome, failed.message.startswith(message)) == (outcome, True)
    assert [(one.outcome, one.message) for one in (before, *after)] == [(Outcome.VALID, "")] * 3


STRAYS = {
    "python": "KeyError: '{}' (conformance_target.py:",
    "jvm": "IllegalStateException: {} (ConformanceTarget.",
}


@pytest.mark.parametrize("how", ["early", "invalid"])
def test_a_thread_that_dies_is_a_crash_of_its_text(target: IsolatedTarget, engine: str, how: str) -> None:
    before, died, after = target.execute(["text", f"stray {how}", "text"])
    assert died.outcome is Outcome.CRASH
    assert died.message.startswith(STRAYS[engine].format(how))
    assert died.message.endswith(" in a thread")
    assert (before, before.outcome) == (after, Outcome.VALID)


def test_a_thread_that_dies_later_is_no_crash_of_another_text(target: IsolatedTarget) -> None:
    executions = target.execute(["stray late", *(f"wait {number}" for number in range(10))])
    assert {one.outcome for one in executions} == {Outcome.VALID}


def test_a_process_that_dies_while_idle_is_nobody_s_fault(starter: Starter) -> None:
    target = starter()
    before = target.execute(["branch left"])
    os.kill(pid_of(target), signal.SIGKILL)
    time.sleep(0.1)
    assert target.execute(["branch left"]) == before


def test_a_closed_target_starts_again(starter: Starter) -> None:
    target = starter()
    before = target.execute(["branch left"])
    target.close()
    target.close()
    assert target.execute(["branch left"]) == before


def test_an_interruption_leaves_no_stale_results(starter: Starter, normal: list[Execution]) -> None:
    target = starter(timeout=30.0)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        target.execute([*BEFORE, "hang"])
    assert target.execute([*BEFORE, *AFTER]) == normal


def interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("text", ["hang", "text"])
def test_the_process_ends_with_its_parent(text: str, engine: str) -> None:
    """Also in the middle of an endless loop."""
    with started_apart(engine, text) as (parent, process):
        time.sleep(0.2)
        assert exists(process)
        parent.kill()
    assert is_gone(process)


@contextmanager
def started_apart(engine: str, text: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Yields another process that has executed a text, and the number of its target's process."""
    script = (
        "from conformance.conftest import STARTERS; from conformance.test_faults import pid_of\n"
        f"target = STARTERS[{engine!r}](60.0, frozenset())\n"
        f"print(pid_of(target), flush=True); target.execute([{text!r}]); input()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        yield parent, int(parent.stdout.readline())


KINDS = sorted(LEFT_BEHIND)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_target_has_started_ends_when_it_is_closed(starter: Starter, tmp_path: Path, kind: str) -> None:
    target = starter(timeout=10.0)
    [execution] = target.execute([f"start {left_behind(kind, tmp_path / 'number')}"])
    assert execution.outcome is Outcome.VALID
    child = number_in(tmp_path / "number")
    assert exists(child)
    target.close()
    assert not exists(child)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a daemon without a parent is not found")
def test_a_daemon_that_is_a_copy_of_the_target_ends_with_it(starter: Starter, engine: str, tmp_path: Path) -> None:
    if engine == "jvm":
        pytest.skip("a JVM cannot fork itself")
    target = starter(timeout=10.0)
    target.execute([f"daemonise {tmp_path / 'number'}"])
    child = number_in(tmp_path / "number")
    assert exists(child)
    target.close()
    assert not exists(child)


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are known on Linux only")
def test_a_process_that_is_always_another_one_ends(starter: Starter, engine: str, tmp_path: Path) -> None:
    if engine == "jvm":
        pytest.skip("a JVM cannot fork itself")
    target = starter(timeout=10.0)
    target.execute([f"relay {tmp_path / 'number'}"])
    session = number_in(tmp_path / "number")
    try:
        assert any(process.session == session for process in processes())
        target.close()
        assert not any(process.session == session for process in processes())
    finally:
        with suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_target_has_started_ends_when_its_process_is_replaced(
    starter: Starter, tmp_path: Path, kind: str
) -> None:
    target = starter(timeout=10.0)
    target.execute([f"start {left_behind(kind, tmp_path / 'number')}"])
    child = number_in(tmp_path / "number")
    target.execute(["vanish 3"])
    assert not exists(child)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_target_has_started_ends_with_a_bonsai_that_is_killed(
    engine: str, tmp_path: Path, kind: str
) -> None:
    with started_apart(engine, f"start {left_behind(kind, tmp_path / 'number')}") as (parent, process):
        child = number_in(tmp_path / "number")
        assert exists(child)
        parent.kill()
    assert is_gone(process)
    assert is_gone(child)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a target outlives its supervisor for a while")
def test_what_a_target_has_started_in_its_session_ends_even_if_the_supervisor_is_killed(
    starter: Starter, tmp_path: Path
) -> None:
    target = starter(timeout=10.0)
    target.execute([f"start {left_behind('child', tmp_path / 'number')}"])
    child, process = number_in(tmp_path / "number"), pid_of(target)
    os.kill(supervisor_of(target), signal.SIGKILL)
    assert is_gone(process)
    target.close()
    assert is_gone(child)


def supervisor_of(target: IsolatedTarget) -> int:
    assert target._process is not None
    return target._process.tree.supervisor


def pid_of(target: IsolatedTarget) -> int:
    """The process in which the texts run."""
    assert target._process is not None
    program = target._process.tree.program()
    assert program is not None
    return program


def faulty(number: int, share: int) -> Iterator[str]:
    faults = ("hang", "vanish 1", "crash", "segfault", "leave", "eat")
    for index in range(number):
        yield faults[index // share % len(faults)] if index % share == share // 2 else f"text {index}"


@pytest.mark.parametrize("number", [600, pytest.param(2000, marks=pytest.mark.slow)])
def test_one_text_in_a_hundred_is_faulty(starter: Starter, number: int) -> None:
    """All findings are recorded, everything else is as it should be, and afterwards nothing has to be restarted."""
    target = starter(timeout=0.5)
    texts = list(faulty(number, 100))
    executions = []
    for first in range(0, len(texts), 50):
        executions += target.execute(texts[first : first + 50])
    found = {text: e.outcome for text, e in zip(texts, executions, strict=True) if not text.startswith("text")}
    assert found.pop("eat").is_finding  # on a busy machine, eating takes longer than the limit
    assert found == {text: Outcome.TIMEOUT if text == "hang" else Outcome.CRASH for text in found}
    assert sum(e.outcome.is_finding for e in executions) == number // 100
    assert sum(e.outcome is Outcome.VALID for e in executions) == number - number // 100
    target.execute(["text"])
    before = pid_of(target)
    assert all(e.outcome is Outcome.VALID for e in target.execute([f"text {index}" for index in range(2000)]))
    assert pid_of(target) == before


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little time between the attempts to start a target."""
    monkeypatch.setattr("bonsai.targets.isolated.PAUSES", (0.01,) * 6)


@pytest.mark.usefixtures("hasty")
def test_a_target_that_no_longer_starts(starter: Starter) -> None:
    target = starter()
    target._program = replace(target._program, command=("/bin/false",))
    target.close()
    with pytest.raises(TargetLost, match="ended while it was started: the process exited with status 1"):
        target.execute(["text"])


def failing_first(program: Program, how: str, flags: Path, times: int) -> Program:
    """A program that does not start the first times."""
    flags.mkdir()
    script = f'if [ "$(ls {flags} | wc -l)" -lt {times} ]; then mktemp {flags}/XXXXXX; {how}; fi; exec "$@"'
    return replace(program, command=("/bin/sh", "-c", script, "sh", *program.command))


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(("how", "times"), [("kill -9 $$", 10), ("exit 3", 6)])
def test_a_target_that_starts_again_after_some_attempts(
    starter: Starter, tmp_path: Path, normal: list[Execution], how: str, times: int
) -> None:
    target = starter()
    target._program = failing_first(target._program, how, tmp_path / "flags", times)
    target.close()
    assert target.execute([*BEFORE, *AFTER]) == normal


@pytest.mark.usefixtures("hasty")
def test_a_target_that_is_lost_is_not_waited_for_a_second_time(
    starter: Starter, tmp_path: Path, normal: list[Execution]
) -> None:
    flags = tmp_path / "flags"
    target = starter()
    target._program = failing_first(target._program, "exit 3", flags, 10**6)
    target.close()
    starts = []
    for _ in range(3):
        with pytest.raises(TargetLost):
            target.execute([*BEFORE])
        starts.append(len(list(flags.iterdir())))
    assert starts[0] > 6
    assert starts[2] - starts[1] == starts[1] - starts[0] == 2  # once more, to see what it prints
    target._program = starter()._program
    assert target.execute([*BEFORE, *AFTER]) == normal


@pytest.mark.usefixtures("hasty")
def test_a_target_that_is_killed_when_it_is_first_started(
    starter: Starter, tmp_path: Path, normal: list[Execution]
) -> None:
    program = failing_first(starter()._program, "kill -9 $$", tmp_path / "flags", 3)
    with IsolatedTarget(program, LIMIT) as target:
        assert target.execute([*BEFORE, *AFTER]) == normal


@pytest.mark.usefixtures("hasty")
def test_a_target_that_ends_when_it_is_first_started_is_an_error_at_once(starter: Starter, tmp_path: Path) -> None:
    program = failing_first(starter()._program, "exit 3", tmp_path / "flags", 6)
    with pytest.raises(BonsaiError, match="the process exited with status 3"):
        IsolatedTarget(program, LIMIT)
    assert len(list((tmp_path / "flags").iterdir())) == 2  # once more, to see what it prints


@pytest.mark.slow
@pytest.mark.parametrize("victim", [pid_of, supervisor_of])
def test_kills_at_random_moments_change_nothing(
    starter: Starter, engine: str, victim: Callable[[IsolatedTarget], int]
) -> None:
    """While it is starting, while texts run, and between two batches."""
    target = starter(timeout=20.0)
    texts = [text for number in range(6) for text in (*BEFORE, f"wait {number}", "crash x", "vanish 3", *AFTER)]
    expected = target.execute(texts)
    kills, longest = (15, 0.4) if engine == "python" else (4, 3.0)
    stopped = threading.Event()

    def kill() -> None:
        draws = Random(victim.__name__)
        for _ in range(kills):
            time.sleep(draws.uniform(0, longest))
            with suppress(AssertionError, ProcessLookupError):  # there is no process at the moment
                os.kill(victim(target), signal.SIGKILL)
        stopped.set()

    killer = threading.Thread(target=kill)
    killer.start()
    executed = []
    while not stopped.is_set():
        executed.append(target.execute(texts))
    killer.join()
    executed.append(target.execute(texts))
    assert all(executions == expected for executions in executed)


@pytest.mark.parametrize("victim", [pid_of, supervisor_of])
def test_a_process_that_is_stopped_from_outside_changes_nothing(
    starter: Starter, victim: Callable[[IsolatedTarget], int]
) -> None:
    target = starter(timeout=1.0)
    texts = [*BEFORE, *(f"wait {number}" for number in range(10)), *AFTER]
    expected = target.execute(texts)
    stop = threading.Timer(0.2, lambda: os.kill(victim(target), signal.SIGSTOP))
    stop.start()
    assert target.execute(texts) == expected
    stop.join()
    assert target.execute(texts) == expected
    target.close()


@pytest.mark.parametrize("name", ["KILL", "ABRT", "TERM"])
def test_a_text_is_not_to_blame_for_a_death_that_does_not_recur(
    starter: Starter, tmp_path: Path, name: str
) -> None:
    """Even if it was the first of its process."""
    target = starter(timeout=10.0)
    script = f"[ -e {tmp_path / 'flag'} ] || {{ touch {tmp_path / 'flag'}; kill -{name} $PPID; sleep 9; }}"
    [execution] = target.execute([f"start {script}"])
    assert (execution.outcome, execution.message) == (Outcome.VALID, "")
