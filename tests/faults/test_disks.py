"""Full disks, read-only folders, folders that vanish, and damaged databases: one line, and nothing is lost."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bonsai.cli import run
from bonsai.store import RunStore
from faults.conftest import Undisturbed, WhereIs
from faults.folders import DATABASE, require_equal
from faults.mounts import make_read_only, make_writable, resize, small_disk
from faults.runs import SIZE, SMALL, Ended, Sandbox, require_sound_database, results_in, wait_until

LARGE = 64 * 1024  # kibibytes; more than any run here needs
SIZES = (40, 80, 120, 160, 200, 240, 280, 320) if SIZE else (60, 160)


def require_full(ended: Ended, out: Path) -> None:
    """Fails unless the command says that it cannot write.

    The exit code is 1 if the run has nevertheless written what it found until then, and 2 if it could not.
    """
    ended.require(1, 2)
    assert "cannot write" in ended.errors
    assert all(line.startswith("error: ") and "(hint: " in line for line in ended.errors.splitlines())
    if ended.code == 1:
        assert json.loads((out / "run.json").read_text())["complete"] is False
    else:
        ended.require_one_line()


@pytest.mark.slow
@pytest.mark.parametrize("kibibytes", SIZES)
def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(
    kibibytes: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    """Depending on the size, the disk is full at the beginning, in the middle, or when the corpus is written."""
    with small_disk(box.out, kibibytes):
        out = box.out / "run"
        fresh = [subject_of("ambiguous"), *SMALL, "-o", out]
        ended = box.run("grow", *fresh, "--jobs", 2, "--quiet")
        resize(box.out, LARGE)
        box.require_no_processes()
        if ended.code:
            require_full(ended, out)
            if (out / DATABASE).exists():
                require_sound_database(out / DATABASE)
            arguments = ["--resume", out] if (out / DATABASE).exists() else [*fresh, "--force"]
            box.run("grow", *arguments, "--jobs", 2).require(0)
        else:
            assert kibibytes > min(SIZES), "the smallest disk is too small"
            if not (out / "report.html").exists():  # all the rest is there, so this is no more than a warning
                assert "the report could not be written" in ended.require_one_line()
                box.run("report", out).require(0)
        box.out = out
        require_equal(undisturbed("ambiguous"), box.everything(), f"a disk of {kibibytes} KiB")


@pytest.mark.slow
def test_a_disk_that_is_full_at_the_very_end(subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    """All nodes are done and saved, and then there is no room for the corpus."""
    with small_disk(box.out, LARGE):
        out = box.out / "run"
        box.run("grow", subject_of("ambiguous"), *SMALL, "-o", out, "--jobs", 2).require(0)
        for path in (out / "corpus", out / "findings"):
            shutil.rmtree(path)
        for path in (out / "run.json", out / "report.html"):
            path.unlink()
        resize(box.out, _used(box.out))
        ended = box.run("grow", "--resume", out, "--quiet").require(2)
        assert "cannot write" in ended.require_one_line()
        require_sound_database(out / DATABASE)
        assert results_in(out) > 16
        resize(box.out, LARGE)
        box.run("grow", "--resume", out).require(0)
        box.out = out
        require_equal(undisturbed("ambiguous"), box.everything(), "full at the end")


def _used(folder: Path) -> int:
    """Returns how many kibibytes of a disk are in use."""
    return shutil.disk_usage(folder).used // 1024


@pytest.mark.slow
@pytest.mark.parametrize("room", [0, 4])
def test_a_limit_on_the_size_of_files_is_like_a_full_disk(
    room: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    """This needs no rights, so it is tested everywhere."""
    RunStore.create(box.folder / "empty", {}).close()
    limit = (box.folder / "empty" / DATABASE).stat().st_size + room * 1024
    shutil.rmtree(box.folder / "empty")
    fresh = [subject_of("ambiguous"), *SMALL, "-o", box.out]
    ended = box.run("grow", *fresh, "--jobs", 2, "--quiet", largest_file=limit)
    require_full(ended, box.out)
    box.require_no_processes()
    box.require_sound()
    box.run("grow", "--resume", box.out).require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), f"{room} KiB more")


@pytest.mark.slow
def test_a_folder_that_becomes_read_only(subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    with small_disk(box.out, LARGE):
        make_read_only(box.out)
        out = box.out / "run"
        fresh = [subject_of("ambiguous"), *SMALL, "-o", out]
        refused = box.run("grow", *fresh).require(2).require_one_line()
        assert "cannot write" in refused
        assert list(box.out.iterdir()) == []
        make_writable(box.out)
        process = box.start("grow", *fresh, "--jobs", 2, "--quiet")
        assert wait_until(lambda: results_in(out) >= 2, process)
        # What is open for writing keeps a disk writable, so it is full instead, at once.
        resize(box.out, max(_used(box.out), 4))
        require_full(box.wait(process), out)
        make_read_only(box.out)
        box.run("grow", "--resume", out).require(2).require_one_line()
        make_writable(box.out)
        resize(box.out, LARGE)
        box.run("grow", "--resume", out).require(0)
        box.out = out
        require_equal(undisturbed("ambiguous"), box.everything(), "read-only for a while")


@pytest.mark.slow
def test_a_folder_that_is_removed_under_way(subject_of: WhereIs, box: Sandbox) -> None:
    process = box.start("grow", subject_of("ambiguous"), *SMALL, "-o", box.out, "--jobs", 2, "--quiet")
    assert wait_until(lambda: results_in(box.out) >= 2, process)
    beside = box.folder / "subject"
    beside.write_text("of somebody else")
    shutil.rmtree(box.out, ignore_errors=True)
    ended = box.wait(process).require(2)
    assert "cannot write" in ended.require_one_line()
    assert beside.read_text() == "of somebody else"
    assert list(box.temporary.iterdir()) == []
    box.require_no_processes()


@pytest.mark.slow
def test_two_runs_in_one_folder(subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    """The second one is refused, however it is asked for, and the first one does not notice."""
    fresh = [subject_of("ambiguous"), *SMALL, "-o", box.out]
    process = box.start("grow", *fresh, "--jobs", 1, pause=0.05)
    assert wait_until(lambda: results_in(box.out) >= 1, process)
    for arguments, complaint in (
        (["--resume", box.out], "in use"),
        ([*fresh, "--force"], "in use"),
        (fresh, "exists"),
    ):
        assert complaint in box.run("grow", *arguments).require(2).require_one_line()
    assert process.poll() is None, "the first run was over too soon for this test"
    box.wait(process).require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), "two runs in one folder")


@pytest.mark.slow
def test_two_runs_that_begin_at_the_same_moment(
    subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    fresh = [subject_of("ambiguous"), *SMALL, "-o", box.out, "--jobs", 1]
    ended = [box.wait(process) for process in [box.start("grow", *fresh) for _ in range(3)]]
    assert sorted(one.code for one in ended) == [0, 2, 2], ended
    for one in ended:
        if one.code:
            one.require_one_line()
    require_equal(undisturbed("ambiguous"), box.everything(), "three at once")


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is not a database" * 100)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def _without_table(path: Path) -> None:
    _execute(path, "DROP TABLE results")


def _without_settings(path: Path) -> None:
    _execute(path, "DELETE FROM asked")


def _with_strange_settings(path: Path) -> None:
    _execute(path, "UPDATE asked SET settings = '[1, 2'")


def _with_other_settings(path: Path) -> None:
    _execute(path, "UPDATE asked SET settings = '{}'")


def _with_a_damaged_result(path: Path) -> None:
    _execute(path, "UPDATE results SET state = x'00112233'")


def _with_a_result_of_another_kind(path: Path) -> None:
    _execute(path, "UPDATE results SET state = 'text'")


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement)


DAMAGES: dict[str, Callable[[Path], None]] = {
    damage.__name__.removeprefix("_"): damage
    for damage in (
        _garbage, _empty, _cut, _overwritten, _without_table, _without_settings, _with_strange_settings,
        _with_other_settings, _with_a_damaged_result, _with_a_result_of_another_kind, _a_folder,
    )
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(subject_of: WhereIs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run that is over."""
    out = tmp_path_factory.mktemp("finished") / "out"
    arguments = ["--bounds", "1,2,1", "--budget", "40x", "--jobs", "1", "--quiet"]
    assert run(["grow", str(subject_of("ambiguous")), *arguments, "-o", str(out)]) == 0
    return out


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_database_is_one_line_and_nothing_is_overwritten(
    damage: str, finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    DAMAGES[damage](out / DATABASE)
    before = files_of(out)
    assert run(["grow", "--resume", str(out)]) == 2
    errors = capfd.readouterr().err
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert "(hint: " in errors
    assert files_of(out) == before
    # A report is made from other tables than a run is resumed from, so it may still be possible.
    code = run(["report", str(out)])
    errors = capfd.readouterr().err
    assert (code, errors.count("\n")) in ((0, 0), (2, 1)), errors
    after = files_of(out)
    if code == 0:
        before.pop("report.html")
        after.pop("report.html")
    assert after == before


def files_of(folder: Path) -> dict[str, bytes]:
    """Returns the contents of all files of a folder except the lock."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if path.name != ".lock"
    }
