"""What is special about workers on this machine: how they are resumed, stopped and replaced."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import bonsai
from bonsai.workers.local import ATTEMPTS, LocalWorkers, cores
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Lost, Told
from workers.tasks_made import (
    Add,
    Die,
    ProcessId,
    StopItself,
    WaitForStop,
    events_of,
    results,
)


def test_cores_are_counted_on_every_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cores() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert cores() == 1


@pytest.fixture(params=[1, 2])
def workers(request: pytest.FixtureRequest) -> Iterator[LocalWorkers]:
    made = LocalWorkers(bonsai.load_subject("json"), request.param)
    yield made
    made.close()


def test_a_worker_that_dies_is_replaced_and_its_task_resumed(workers: LocalWorkers, tmp_path: Path) -> None:
    events = events_of(workers, {"a": (Die(str(tmp_path), ATTEMPTS - 1), []), "b": (Add(1), ["a"])})
    assert results(events)["a"] == "k" * (ATTEMPTS - 1)
    assert results(events)["b"] == 1
    assert [type(event) for event in events].count(Lost) == ATTEMPTS - 1
    assert any(isinstance(event, Kept) for event in events)


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
