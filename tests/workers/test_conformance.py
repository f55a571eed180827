"""What all workers have in common: the order of tasks, their errors, and what happens when a worker dies."""

import re
import time
from contextlib import suppress
from pathlib import Path

from bonsai.workers.tasks import Event, Finished, Kept, Lost, Started, Task, Told, Workers
from made_subjects import json_subject
from workers.conftest import Engine
from workers.tasks_made import (
    Add,
    Die,
    Fail,
    InOrder,
    KeepAndWait,
    TargetProcess,
    WaitForStop,
    errors,
    events_of,
    events_with_stand_ins,
    results,
)

PATIENCE = 30.0  # seconds for a process to end
TELLS_ITS_PROCESS = """
import os

def check(text):
    return os.getpid()
"""


def test_a_task_runs_after_others_and_has_their_results(workers: Workers) -> None:
    events = events_of(
        workers,
        {"a": (Add(1), []), "b": (Add(2), ["a"]), "c": (Add(4), ["a"]), "d": (Add(8), ["b", "c"])},
    )
    assert results(events) == {"a": 1, "b": 3, "c": 5, "d": 16}
    order = [(type(event), event.key) for event in events]
    for before, after in ("ab", "ac", "bd", "cd"):
        assert order.index((Finished, before)) < order.index((Started, after))
    for key in "abcd":
        about = [kind for kind, about in order if about == key]
        assert about[0] is Started
        assert about[-1] is Finished
        assert about.count(Started) == about.count(Finished) == 1
    assert any(isinstance(event, Told) and event.news == "adding 8" for event in events)
    assert not any(isinstance(event, Lost) for event in events)


def test_results_come_in_the_order_in_which_they_are_named(workers: Workers) -> None:
    tasks: dict[str, tuple[Task, list[str]]] = {key: (InOrder(key), []) for key in "abc"}
    tasks |= {"forth": (InOrder("d"), ["a", "b", "c"]), "back": (InOrder("e"), ["c", "a", "b"])}
    found = results(events_of(workers, tasks))
    assert found["forth"] == "abcd"
    assert found["back"] == "cabe"


def test_results_of_an_earlier_session_are_as_good(workers: Workers) -> None:
    workers.provide("before", 5)
    assert results(events_of(workers, {"a": (Add(1), ["before"])})) == {"a": 6}
    assert results(events_of(workers, {"b": (Add(1), ["before", "a"])})) == {"b": 12}


def test_an_error_is_an_event_and_other_tasks_go_on(workers: Workers) -> None:
    events = events_of(
        workers,
        {"a": (Fail("wrong"), []), "b": (Add(1), []), "c": (Add(2), ["b"]), "d": (Add(4), ["a"])},
    )
    assert results(events) == {"b": 1, "c": 3}
    assert {key: (error.message, error.hint) for key, error in errors(events).items()} == {"a": ("wrong", "a hint")}


def test_what_comes_after_a_failed_task_runs_with_the_result_that_is_provided(workers: Workers) -> None:
    events = events_with_stand_ins(
        workers, {"a": (Fail("wrong"), []), "b": (Add(1), ["a"]), "c": (Add(2), ["a", "b"])}
    )
    assert results(events) == {"b": 101, "c": 203}


def test_a_mistake_of_ours_is_one_line_that_says_where(workers: Workers) -> None:
    [error] = errors(events_of(workers, {"a": (Fail("mistake"), [])})).values()
    assert re.fullmatch(r"ZeroDivisionError: mistake \(tasks_made.py:\d+\)", error.message)


def test_the_task_of_a_worker_that_dies_is_run_again(engine: Engine, workers: Workers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (Die(str(tmp_path), 1), []), "b": (Add(1), ["a"])})
    assert results(events) == {"a": engine.resumed, "b": 1}
    about = [type(event) for event in events if event.key == "a" and not isinstance(event, Kept)]
    assert about == [Started, Lost, Started, Finished]


def test_a_task_that_kills_its_workers_is_given_up(engine: Engine, workers: Workers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (Die(str(tmp_path), 99), []), "b": (Add(1), [])})
    assert len(list(tmp_path.iterdir())) == engine.attempts
    assert f"{engine.attempts} times" in errors(events)["a"].message
    assert results(events) == {"b": 1}
    assert results(events_of(workers, {"c": (Add(1), ["b"])})) == {"c": 2}, "others can still run"


def test_checkpoints_arrive_while_the_task_is_running(workers: Workers) -> None:
    workers.submit("a", KeepAndWait(b"state"))
    kept = []
    for event in workers.events(1):
        if isinstance(event, Kept):
            kept.append(event)
            workers.stop()
    assert kept == [Kept("a", b"state")]


def test_stopping_ends_running_tasks_and_starts_no_others(workers: Workers) -> None:
    workers.submit("a", WaitForStop())
    workers.submit("b", Add(1), ["a"])
    found: list[Event] = []
    for event in workers.events(1):
        if isinstance(event, Told):
            workers.stop()
        if event is not None:
            found.append(event)
    assert results(found) == {"a": "stopped"}
    assert {event.key for event in found} == {"a"}


def test_what_is_stopped_before_it_has_started_never_runs(workers: Workers) -> None:
    for number in range(5):
        workers.submit(str(number), Add(number))
    workers.stop()
    assert [event for event in workers.events(0.1) if event is not None] == []


def test_silence_is_told(workers: Workers) -> None:
    workers.submit("b", WaitForStop())
    heard = []
    for event in workers.events(0.001):
        heard.append(event)
        if event is None:
            workers.stop()
    assert None in heard


def test_a_slot_keeps_its_target_and_closing_ends_it(engine: Engine, tmp_path: Path) -> None:
    workers = engine.start(json_subject(tmp_path / "subject", TELLS_ITS_PROCESS))
    try:
        tasks: dict[str, tuple[Task, list[str]]] = {str(number): (TargetProcess(), []) for number in range(8)}
        targets = {process for process in results(events_of(workers, tasks)).values() if isinstance(process, int)}
    finally:
        workers.close()
    assert 1 <= len(targets) <= engine.slots
    until = time.monotonic() + PATIENCE
    while (alive := [process for process in targets if _is_alive(process)]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive


def _is_alive(process: int) -> bool:
    """Returns whether a process runs. One that has ended may still be waiting for its parent to notice."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_no_more_tasks_run_at_the_same_time_than_there_are_slots(engine: Engine, workers: Workers) -> None:
    for number in range(engine.slots + 1):
        workers.submit(str(number), WaitForStop())
    told = set()
    for event in workers.events(1):
        if isinstance(event, Told):
            told.add(event.key)
        if len(told) == engine.slots:
            workers.stop()
    assert len(told) == workers.slots == engine.slots
