"""The engines that run tasks, for tests that are the same for all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from distributed import Client

import bonsai
from bonsai.workers.cluster import ClusterWorkers
from bonsai.workers.local import ATTEMPTS, LocalWorkers
from bonsai.workers.tasks import Workers
from workers.dask_cluster import PATIENCE, dask_cluster


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to run tasks: how to start its workers, and where it is free to differ from others."""

    start: Callable[[bonsai.Subject], Workers]
    slots: int  # how many tasks run at the same time
    attempts: int  # how often a task is started before it is given up
    resumed: str  # what `Die` returns when its worker has died once: the checkpoint that it was resumed from


@pytest.fixture(autouse=True)
def _tasks_can_be_imported_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Dask cluster of two workers."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as found:
        yield found


@pytest.fixture(params=["local 1", "local 2", pytest.param("dask 2", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    kind, _, jobs = request.param.partition(" ")
    if kind == "local":
        return Engine(lambda subject: LocalWorkers(subject, int(jobs)), int(jobs), ATTEMPTS, "k")
    address = request.getfixturevalue("address")
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(int(jobs), timeout=PATIENCE)  # those that an earlier test has killed are back
    return Engine(lambda subject: ClusterWorkers(subject, address), int(jobs), 4, "")


@pytest.fixture
def workers(engine: Engine) -> Iterator[Workers]:
    made = engine.start(bonsai.load_subject("json"))
    yield made
    made.close()
