"""Tasks on this machine: their order, their errors, and what happens when a worker dies."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import bonsai
from bonsai.workers.local import ATTEMPTS, LocalWorkers, cores
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Lost, Started, Told
from made_subjects import json_subject
from workers.tasks_made import (
    Add,
    Die,
    Fail,
    ProcessId,
    StopItself,
    TargetProcess,
    WaitForStop,
    errors,
    events_of,
    events_with_stand_ins,
    results,
)


def test_cores_are_counted_on_every_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cores() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert cores() == 1


@pytest.fixture(autouse=True)
def _tasks_can_be_imported_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


@pytest.fixture(params=[1, 2])
def workers(request: pytest.FixtureRequest) -> Iterator[LocalWorkers]:
    made = LocalWorkers(bonsai.load_subject("json"), request.param)
    yield made
    made.close()


def test_a_task_runs_after_others_and_has_their_results(workers: LocalWorkers) -> None:
    events = events_of(
        workers,
        {"a": (Add(1), []), "b": (Add(2), ["a"]), "c": (Add(4), ["a"]), "d": (Add(8), ["b", "c"])},
    )
    assert results(events) == {"a": 1, "b": 3, "c": 5, "d": 16}
    order = [(type(event), event.key) for event in events]
    assert order.index((Finished, "b")) < order.index((Started, "d"))
    assert order.index((Finished, "c")) < order.index((Started, "d"))
    assert any(isinstance(event, Told) and event.news == "adding 8" for event in events)
    assert not any(isinstance(event, Lost) for event in events)


def test_results_of_an_earlier_session_are_as_good(workers: LocalWorkers) -> None:
    workers.provide("before", 5)
    assert results(events_of(workers, {"a": (Add(1), ["before"])})) == {"a": 6}
    assert results(events_of(workers, {"b": (Add(1), ["before", "a"])})) == {"b": 12}


def test_an_error_is_an_event_and_other_tasks_go_on(workers: LocalWorkers) -> None:
    events = events_of(
        workers,
        {"a": (Fail("wrong"), []), "b": (Add(1), []), "c": (Add(2), ["b"]), "d": (Add(4), ["a"])},
    )
    assert results(events) == {"b": 1, "c": 3}
    assert {key: (error.message, error.hint) for key, error in errors(events).items()} == {"a": ("wrong", "a hint")}


def test_what_comes_after_a_failed_task_runs_with_the_result_that_is_provided(workers: LocalWorkers) -> None:
    events = events_with_stand_ins(
        workers, {"a": (Fail("wrong"), []), "b": (Add(1), ["a"]), "c": (Add(2), ["a", "b"])}
    )
    assert results(events) == {"b": 101, "c": 203}


def test_a_mistake_of_ours_is_one_line_that_says_where(workers: LocalWorkers) -> None:
    [error] = errors(events_of(workers, {"a": (Fail("mistake"), [])})).values()
    assert re.fullmatch(r"ZeroDivisionError: mistake \(tasks_made.py:\d+\)", error.message)


def test_a_worker_that_dies_is_replaced_and_its_task_resumed(workers: LocalWorkers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (Die(str(tmp_path), ATTEMPTS - 1), []), "b": (Add(1), ["a"])})
    assert results(events)["a"] == "k" * (ATTEMPTS - 1)
    assert results(events)["b"] == 1
    assert [type(event) for event in events].count(Lost) == ATTEMPTS - 1
    assert any(isinstance(event, Kept) for event in events)


def test_a_task_that_kills_its_workers_is_given_up(workers: LocalWorkers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (Die(str(tmp_path), 99), []), "b": (Add(1), [])})
    assert errors(events)["a"].message.endswith(f"ended with status -9, {ATTEMPTS} times")
    assert results(events) == {"b": 1}
    assert results(events_of(workers, {"c": (Add(1), ["b"])})) == {"c": 2}, "others can still run"


def test_a_worker_that_is_stopped_is_given_up(workers: LocalWorkers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (StopItself(str(tmp_path), 1), []), "b": (Add(1), ["a"])})
    assert results(events) == {"a": "done", "b": 1}
    assert [type(event) for event in events].count(Lost) == 1


def test_a_worker_that_dies_with_nothing_to_do_is_no_loss() -> None:
    workers = LocalWorkers(bonsai.load_subject("json"), 2)
    try:
        workers.submit("idle", ProcessId())
        workers.submit("busy", WaitForStop())
        happened: list[Event] = []
        for event in workers.events(0.1):
            match event:
                case Finished("idle", int(process)):
                    os.kill(process, signal.SIGKILL)
                case Told("busy") if len(happened) > 10:
                    workers.stop()
            if event is not None:
                happened.append(event)
        assert results(happened)["busy"] == "stopped"
        assert not any(isinstance(event, Lost | Failed) for event in happened)
        assert len(results(events_of(workers, {"a": (ProcessId(), []), "b": (ProcessId(), [])}))) == 2
    finally:
        workers.close()


def test_stopping_ends_running_tasks_and_starts_no_others(workers: LocalWorkers) -> None:
    workers.submit("a", WaitForStop())
    workers.submit("b", Add(1), ["a"])
    found: list[Event] = []
    for event in workers.events(1):
        if isinstance(event, Told):
            workers.stop()
        if event is not None:
            found.append(event)
    assert results(found) == {"a": "stopped"}


def test_silence_is_told(workers: LocalWorkers) -> None:
    workers.submit("b", WaitForStop())
    heard = []
    for event in workers.events(0.001):
        heard.append(event)
        if event is None:
            workers.stop()
    assert None in heard


def test_a_worker_keeps_its_target(tmp_path: Path) -> None:
    workers = LocalWorkers(json_subject(tmp_path / "subject"), 1)
    try:
        found = results(events_of(workers, {"a": (TargetProcess(), []), "b": (TargetProcess(), [])}))
    finally:
        workers.close()
    assert found["a"] == found["b"]
