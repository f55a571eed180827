"""A run on a Dask cluster whose workers or whose scheduler die is not lost, and ends as one that was left alone."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from distributed import Client

from faults.conftest import Undisturbed, WhereIs
from faults.folders import require_equal
from faults.runs import MARKER, SIZE, SMALL, Sandbox, results_in, wait_until
from workers.dask_cluster import dask_cluster

ALONE = "--no-nanny"  # a worker that dies is not replaced


@pytest.fixture
def folder(box: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Returns a folder for a cluster whose processes belong to the sandbox."""
    monkeypatch.setenv(MARKER, box.marker)
    (tmp_path / "dask").mkdir()
    return tmp_path / "dask"


def workers_of(address: str) -> list[int]:
    """Returns the processes of the workers of a cluster."""
    with Client(address, set_as_default=False) as client:
        found: dict[str, int] = client.run(os.getpid)
        return sorted(found.values())


def scheduler_of(address: str) -> int:
    """Returns the process of the scheduler of a cluster."""
    with Client(address, set_as_default=False) as client:
        return int(client.run_on_scheduler(os.getpid))


def require_no_targets(box: Sandbox) -> None:
    """Fails if a program under test is still running on a worker."""
    assert wait_until(lambda: not [one for one in box.processes() if one.role == "target"])


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 6, 12] if SIZE else [4])
def test_a_worker_that_is_killed(
    nodes: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox, folder: Path
) -> None:
    expected = undisturbed("ambiguous")
    with dask_cluster(folder, 2, ALONE) as address:
        victim = workers_of(address)[0]
        process = box.start("grow", subject_of("ambiguous"), *SMALL, "-o", box.out, "--cluster", address)
        assert wait_until(lambda: results_in(box.out) >= nodes, process)
        os.kill(victim, signal.SIGKILL)
        box.wait(process).require(0)
        require_no_targets(box)
    require_equal(expected, box.everything(), f"a worker killed after {nodes} nodes")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "SIGINT"])
def test_the_one_who_submits_is_ended(
    number: signal.Signals, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox, folder: Path
) -> None:
    """The cluster stays, and a further session goes on there."""
    expected = undisturbed("ambiguous")
    with dask_cluster(folder, 2) as address:
        process = box.start("grow", subject_of("ambiguous"), *SMALL, "-o", box.out, "--cluster", address)
        assert wait_until(lambda: results_in(box.out) >= 3, process)
        process.send_signal(number)
        ended = box.wait(process)
        assert ended.code in (-number, 130)
        assert "Traceback" not in ended.errors
        require_no_targets(box)  # also after SIGKILL, when nobody is left to tell the workers
        box.require_sound()
        box.run("grow", "--resume", box.out, "--cluster", address).require(0)
    require_equal(expected, box.everything(), number.name)


def _kill_scheduler(address: str) -> None:
    os.kill(scheduler_of(address), signal.SIGKILL)


def _kill_all_workers(address: str) -> None:
    for worker in workers_of(address):
        os.kill(worker, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "disaster",
    [
        _kill_scheduler,
        pytest.param(
            _kill_all_workers,
            marks=pytest.mark.skipif(not SIZE, reason="a run waits for a minute for new workers; BONSAI_FAULTS=60"),
        ),
    ],
)
def test_a_cluster_that_dies_as_a_whole(
    disaster: Callable[[str], None], subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox, folder: Path
) -> None:
    """The run ends with what it found, and goes on without the cluster."""
    expected = undisturbed("ambiguous")
    with dask_cluster(folder, 1, ALONE) as address:
        process = box.start("grow", subject_of("ambiguous"), *SMALL, "-o", box.out, "--cluster", address)
        assert wait_until(lambda: results_in(box.out) >= 3, process)
        disaster(address)
        ended = box.wait(process).require(1)
        assert "--resume" in ended.output + ended.errors
    figures = box.figures()
    assert figures["complete"] is False
    assert list((box.out / "corpus").glob("*/*.txt"))
    assert (box.out / "report.html").exists()
    box.run("grow", "--resume", box.out, "--jobs", 2).require(0)
    require_equal(expected, box.everything(), disaster.__name__)
