"""What is special about the workers of a Dask cluster: who is refused, and whole runs that lose workers."""

import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client

import bonsai
from bonsai import BonsaiError, Bounds
from bonsai.budget import parse_budget
from bonsai.grow import Growing
from bonsai.grow_settings import GrowSettings
from bonsai.session import begin
from bonsai.workers import cluster
from bonsai.workers.cluster import ClusterWorkers
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Task, Told, Workers
from made_subjects import json_subject
from workers.dask_cluster import dask_cluster
from workers.tasks_made import (
    Add,
    TargetProcess,
    WaitForStop,
    errors,
    events_of,
    results,
)


@pytest.mark.slow
def test_closing_frees_the_workers(address: str) -> None:
    first = ClusterWorkers(bonsai.load_subject("json"), address)
    for number in range(2 * first.slots):
        first.submit(str(number), WaitForStop())
    next(event for event in first.events(1) if isinstance(event, Told))
    first.close()
    second = ClusterWorkers(bonsai.load_subject("json"), address)
    try:
        tasks: dict[str, tuple[Task, list[str]]] = {str(number): (Add(number), []) for number in range(6)}
        assert results(events_of(second, tasks)) == {str(number): number for number in range(6)}
    finally:
        second.close()


@pytest.mark.slow
def test_a_subject_whose_folder_is_not_there_is_refused(address: str, tmp_path: Path) -> None:
    subject = replace(json_subject(tmp_path / "subject"), folder=tmp_path / "elsewhere")
    workers = ClusterWorkers(subject, address)
    try:
        [error] = errors(events_of(workers, {"a": (TargetProcess(), [])})).values()
        assert re.match(r"the worker tcp:.* has no folder .*elsewhere", error.message)
    finally:
        workers.close()


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = bonsai.__version__
    monkeypatch.setattr(cluster, "bonsai_version", lambda: "99.1")
    with pytest.raises(BonsaiError, match=f"the worker tcp:.* has Bonsai {here}, this is Bonsai 99.1"):
        ClusterWorkers(bonsai.load_subject("json"), address)


@pytest.mark.slow
def test_a_worker_with_another_version_that_joins_later_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bonsai.workers.bench.bonsai_version", lambda: "99.1")
    workers = ClusterWorkers(bonsai.load_subject("json"), address)
    try:
        [error] = errors(events_of(workers, {"a": (Add(1), [])})).values()
        assert re.match(r"the worker tcp:.* has Bonsai .*, this is Bonsai 99\.1", error.message)
    finally:
        workers.close()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_no_scheduler_is_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with pytest.raises(BonsaiError, match=f"there is no Dask scheduler at {address}: [^\n]+$") as caught:
        ClusterWorkers(bonsai.load_subject("json"), address)
    assert "dask scheduler" in caught.value.hint


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_run(tmp_path: Path) -> None:
    with dask_cluster(tmp_path, 1) as address:
        workers = ClusterWorkers(bonsai.load_subject("json"), address)
        with Client(address, set_as_default=False) as client:
            scheduler = client.run_on_scheduler(os.getpid)
        try:
            workers.submit("a", WaitForStop())
            next(event for event in workers.events(1) if isinstance(event, Told))
            os.kill(scheduler, signal.SIGKILL)
            with pytest.raises(BonsaiError, match=f"the scheduler at {address} is gone") as caught:
                list(workers.events(1))
        finally:
            workers.close()
    assert "--resume" in caught.value.hint


@pytest.mark.slow
def test_no_workers_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "FIRST_WORKER", 0.3)
    with dask_cluster(tmp_path, 0) as address, pytest.raises(BonsaiError, match="has no workers") as caught:
        ClusterWorkers(bonsai.load_subject("json"), address)
    assert caught.value.hint == f"start some: dask worker {address} --nthreads 1"


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bonsai.workers.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BonsaiError, match="Dask") as caught:
        import bonsai.workers.cluster  # noqa: F401
    assert caught.value.hint == "in a clone of Bonsai: pip install '.[cluster]'"


def corpus_of(folder: Path) -> dict[str, bytes]:
    files = sorted((folder / "corpus").rglob("*.*"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def grown(subject: bonsai.Subject, workers: Workers, folder: Path, shards: int, stab: "Stab | None" = None) -> None:
    """A run directory; `stab` watches."""
    try:
        settings = GrowSettings(Bounds(2, 2, 2), budget=parse_budget("200x"), seed=7, shards=shards)
        session, store = begin(subject, settings, workers, folder)
        assert store is not None
        store.finish(session.grow(stab or (lambda growing: None)))
        store.close()
    finally:
        workers.close()


class Stab:
    """Kills a worker in the middle of a task, when a few nodes are done."""

    def __init__(self, workers: ClusterWorkers, address: str, after: int) -> None:
        with Client(address, set_as_default=False) as client:
            self._processes: dict[str, int] = client.run(os.getpid)
        self._workers = workers
        self._after = after
        self.victim: str | None = None

    def __call__(self, growing: Growing) -> None:
        if self.victim is None and len(growing.results) >= self._after and self._workers.running:
            self.victim = next(iter(self._workers.running.values()))
            os.kill(self._processes[self.victim], signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 2])
def test_a_run_whose_worker_is_killed_ends_with_the_same_corpus(tmp_path: Path, shards: int) -> None:
    subject = json_subject(tmp_path / "subject")
    grown(subject, LocalWorkers(subject, 2), tmp_path / "local", shards)
    (tmp_path / "dask").mkdir()
    with dask_cluster(tmp_path / "dask", 2, "--no-nanny") as address:
        workers = ClusterWorkers(subject, address)
        stab = Stab(workers, address, after=4)
        grown(subject, workers, tmp_path / "cluster", shards, stab)
        with Client(address, set_as_default=False) as client:
            assert set(client.nthreads()) == stab._processes.keys() - {stab.victim}
    assert len(corpus_of(tmp_path / "local")) > 5
    assert corpus_of(tmp_path / "cluster") == corpus_of(tmp_path / "local")


@pytest.mark.slow
def test_a_cluster_that_is_started_for_the_run_gives_the_same_corpus_too(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject")
    grown(subject, LocalWorkers(subject, 1), tmp_path / "one", 1)
    grown(subject, ClusterWorkers(subject, "local"), tmp_path / "cluster", 1)
    assert corpus_of(tmp_path / "cluster") == corpus_of(tmp_path / "one")
