"""Who owns a folder: what is free, what is replaced, what is never touched, and who holds the lock."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

import pytest

from bonsai.errors import BonsaiError
from bonsai.outputs import MANIFEST, Existing, Output, OutputKind, read_manifest, require_free, write_file
from bonsai.outputs.lock import LOCK, Lock
from bonsai.outputs.permission import STAGING

RUN = OutputKind.RUN
FILES = {"run.json": "{}", "run.sqlite": "data", "corpus/valid/1": "one", "corpus/INDEX.md": "index"}
NOBODY = 65534


def fill(output: Output, files: dict[str, str], last: str | None = "run.json") -> None:
    with output.staging() as staged:
        for name, text in files.items():
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_text(text)
        output.install(staged, last)


def written(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A folder with an output that is complete."""
    with Output.claim(folder, RUN) as output:
        fill(output, FILES if files is None else files)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """The files below a folder, without the manifest."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in found.items() if name != MANIFEST}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with all that may be in the way; the home folder is beside it."""
    for name in ("home/me", "work/empty", "work/repository/.git", "work/theirs", "work/hidden"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("work/file", "work/theirs/notes.md", "work/hidden/.env"):
        (tmp_path / name).write_text("mine")
    os.mkfifo(tmp_path / "work/fifo")
    for name, target in (("link", "run"), ("dangling", "nowhere"), ("loop", "loop"), ("up", "..")):
        (tmp_path / "work" / name).symlink_to(target)
    monkeypatch.setenv("HOME", str(tmp_path / "home/me"))
    monkeypatch.chdir(tmp_path / "work")
    written(Path("run"))
    written(Path("versioned"))
    Path("versioned/.git").mkdir()
    return tmp_path / "work"


REFUSED = {
    "": "is the current folder",
    ".": "is the current folder",
    "..": "contains the current folder",
    "empty/..": "is the current folder",
    "/": "contains the current folder",
    "../home/me": "is your home folder",
    "../home": "contains your home folder",
    "~": "would be a folder named ~",
    "~/out": "would be a folder named ~",
    "repository": "root of a repository",
    "versioned": "root of a repository",
    "link": "symbolic link",
    "link/": "symbolic link",
    "dangling": "symbolic link",
    "loop": "symbolic link",
    "loop/out": "cannot write loop/out",
    "up": "symbolic link",
    "file": "is a file",
    "file/out": "is not a folder",
    "fifo": "is not a folder",
    "fifo/out": "is not a folder",
    "theirs": "not a folder that Bonsai wrote",
    "hidden": "not a folder that Bonsai wrote",
    "run/corpus": "is part of another output",
    "absent/../run": "no folder to go up from",
    "n" * 300: "cannot write",
}


@pytest.mark.parametrize("existing", Existing)
@pytest.mark.parametrize("name", REFUSED)
def test_places_that_nobody_may_write_to(name: str, existing: Existing, work: Path) -> None:
    before = sorted(work.parent.rglob("*"))
    with pytest.raises(BonsaiError, match=REFUSED[name]) as caught:
        Output.claim(Path(name), RUN, existing)
    assert caught.value.hint
    assert sorted(work.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["new", "new/", "deep/er/new", "empty", "empty/../new", "up/new"])
def test_a_missing_or_empty_folder_is_free_and_comes_back_if_nothing_is_written(name: str, work: Path) -> None:
    before = sorted(work.parent.rglob("*"))
    with Output.claim(Path(name), RUN):
        assert os.listdir(name)
    assert sorted(work.parent.rglob("*")) == before
    written(Path(name))
    assert contents(Path(name)) == FILES


def test_an_output_is_replaced_only_by_its_own_kind_and_if_asked_to(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    with pytest.raises(BonsaiError, match="exists") as caught:
        require_free(folder, RUN)
    assert "--force" in caught.value.hint
    with pytest.raises(BonsaiError, match="holds a run, not a reduction"):
        require_free(folder, OutputKind.REDUCTION, Existing.REPLACE)
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        assert contents(folder).items() >= FILES.items()
        fill(output, {"run.json": "new"})
    assert contents(folder) == {"run.json": "new"}
    assert sorted(os.listdir(folder)) == [MANIFEST, "run.json"]


def test_what_the_user_added_stays(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    mine = {"notes.md": "mine", "corpus/valid/mine": "mine", "corpus/.hidden": "mine"}
    for name, text in mine.items():
        (folder / name).write_text(text)
    (folder / "corpus/link").symlink_to(tmp_path)
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        output.clear()
    assert contents(folder) == mine
    assert (folder / "corpus/link").is_symlink()


@pytest.mark.parametrize("name", ["corpus/valid/1", "corpus/valid", "corpus", "run.json"])
@pytest.mark.parametrize("how", ["changed", "link", "folder"])
def test_what_the_user_changed_is_refused_beforehand(name: str, how: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    elsewhere = shutil.copytree(folder, tmp_path / "elsewhere")
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    if how == "changed":
        path.write_text("mine")
    elif how == "link":
        path.symlink_to(elsewhere / name)  # the same content, but elsewhere
    else:
        path.mkdir()
    if how == "folder" and name.startswith("corpus") and name != "corpus/valid/1":
        require_free(folder, RUN, Existing.REPLACE)  # the files are gone, and nothing is in the way
        return
    for existing in (Existing.REPLACE, Existing.CONTINUE):
        with pytest.raises(BonsaiError, match=f"{name} was changed"):
            require_free(folder, RUN, existing)
    assert contents(elsewhere) == FILES


def test_the_database_is_bonsais_whatever_is_in_it(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    (folder / "run.sqlite").write_text("later")
    (folder / "run.sqlite-journal").write_text("killed")
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        fill(output, {"run.sqlite": "new"})
    assert contents(folder) == {"run.sqlite": "new"}  # no journal that SQLite would roll back into it


def test_what_gets_in_the_way_later_is_kept_under_another_name(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        (folder / "corpus/valid/1").write_text("mine")
        (folder / "corpus/valid/1.kept").write_text("mine, too")
        (folder / "report.html").mkdir()
        (folder / "report.html/page").write_text("mine")
        shutil.rmtree(folder / "corpus")
        (folder / "corpus").symlink_to(tmp_path)
        fill(output, {**FILES, "report.html": "page"})
    assert contents(folder) == {**FILES, "report.html": "page", "report.html.kept/page": "mine"}
    assert (folder / "corpus.kept").readlink() == tmp_path
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_that_is_written_alone_replaces_only_bonsais_own(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    with Output.reopen(folder, RUN) as output:
        output.write("report.html", b"1")
        output.write("report.html", b"2")
        (folder / "report.html").write_text("mine")
        with pytest.raises(BonsaiError, match=r"report\.html was changed"):
            output.write("report.html", b"3")
        output.write("report.html", b"mine")
    assert contents(folder) == {**FILES, "report.html": "mine"}


@pytest.mark.parametrize("reads", ["corpus", "corpus/valid", "."])
def test_what_is_read_is_neither_replaced_nor_written_into(reads: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    with pytest.raises(BonsaiError, match="corpus that is read"):
        require_free(folder, RUN, Existing.REPLACE, [folder / reads])
    with pytest.raises(BonsaiError, match="corpus that is read"):
        require_free(folder / reads / "new", RUN, Existing.REFUSE, [folder / reads])
    require_free(folder / "new", RUN, Existing.REFUSE, [folder / "corpus"])


@pytest.mark.parametrize("steps", range(12))
def test_killed_at_any_moment_nothing_is_lost_and_nothing_stays(steps: int, tmp_path: Path) -> None:
    """The process is gone before it renames another file; the next one starts afresh."""
    folder = written(tmp_path / "out")
    (folder / "notes.md").write_text("mine")
    left = iter(range(steps))
    replace = os.replace

    def killed(source: Path, target: Path) -> None:
        if next(left, None) is None:
            os._exit(9)
        replace(source, target)

    child = os.fork()
    if child == 0:
        with patch("os.replace", killed):
            fill(Output.claim(folder, RUN, Existing.REPLACE), {"run.json": "new", "corpus/valid/2": "two"})
            os._exit(0)
    os.waitpid(child, 0)
    assert (folder / "notes.md").read_text() == "mine"
    texts = contents(folder)
    if "run.json" in texts:
        whole = [FILES, {"run.json": "new", "corpus/valid/2": "two"}]
        tests = {name: text for name, text in texts.items() if name.startswith(("corpus", "run.json"))}
        assert any(tests.items() >= {n: t for n, t in one.items() if n != "run.sqlite"}.items() for one in whole)
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        fill(output, {"run.json": "last"})
    assert contents(folder) == {"run.json": "last", "notes.md": "mine"}
    assert sorted(os.listdir(folder)) == [MANIFEST, "notes.md", "run.json"]


@pytest.mark.parametrize("files", [[LOCK], [LOCK, MANIFEST], [LOCK, MANIFEST, STAGING]])
def test_a_folder_that_a_killed_process_only_claimed_is_free(files: list[str], tmp_path: Path) -> None:
    output = Output.claim(tmp_path / "out", RUN)
    with output.staging():
        shutil.copytree(tmp_path / "out", tmp_path / "killed")
    output.close()
    for name in {LOCK, MANIFEST, STAGING}.difference(files):
        path = tmp_path / "killed" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    written(tmp_path / "killed")
    assert contents(tmp_path / "killed") == FILES


def test_one_process_at_a_time_has_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Output.claim(folder, RUN) as output:
        fill(output, FILES)
        before = {path: path.stat() for path in folder.rglob("*")}
        for existing in Existing:
            with pytest.raises(BonsaiError):
                Output.claim(folder, RUN, existing)
        with pytest.raises(BonsaiError, match="in use"):
            require_free(folder, RUN, Existing.REPLACE)
        with pytest.raises(BonsaiError, match="in use"):
            Output.reopen(folder, RUN)
        assert {path: path.stat() for path in folder.rglob("*")} == before
    assert not (folder / LOCK).exists()
    Output.reopen(folder, RUN).close()


def test_a_lock_whose_file_was_removed_meanwhile_is_not_the_lock(tmp_path: Path) -> None:
    """One process opens the file, its holder removes it, a third process locks a new file: only one has it."""
    first = Lock(tmp_path)
    third: list[Lock] = []
    flock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        if not third:
            third.append(first)  # once
            first.release()
            third[0] = Lock(tmp_path)
        flock(descriptor, operation)

    with patch("bonsai.outputs.lock.fcntl.flock", late), pytest.raises(BonsaiError, match="in use"):
        Lock(tmp_path)
    assert os.listdir(tmp_path) == [LOCK]
    third[0].release()
    assert os.listdir(tmp_path) == []


def test_a_lock_of_the_users_is_left_alone(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    (folder / LOCK).write_text("of another program")
    with Output.claim(folder, RUN, Existing.REPLACE) as output:
        fill(output, {"run.json": "new"})
    assert contents(folder) == {"run.json": "new", LOCK: "of another program"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOCK).touch()
    with pytest.raises(BonsaiError, match="not a folder that Bonsai wrote"):
        Output.claim(tmp_path / "other", RUN)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"kind": "cake", "files": {}, "folders": []}',
        '{"kind": "run", "files": {}, "folders": ["/"]}',
    ],
)
def test_a_damaged_manifest_is_an_error_and_nothing_is_removed(content: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    (folder / MANIFEST).write_text(content)
    for act in (Output.claim, Output.reopen):
        with pytest.raises(BonsaiError, match="cannot be read"):
            act(folder, RUN)
    assert contents(folder) == FILES


def test_a_link_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / MANIFEST).symlink_to(written(tmp_path / "out") / MANIFEST)
    (tmp_path / "mine/run.json").write_text("{}")
    assert read_manifest(tmp_path / "mine") is None
    with pytest.raises(BonsaiError, match="not a folder that Bonsai wrote"):
        Output.claim(tmp_path / "mine", RUN, Existing.REPLACE)


@contextmanager
def _without_privileges() -> Iterator[None]:
    """Read-only folders are not read-only to root."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_read_only_folder_is_one_error() -> None:
    root = Path(mkdtemp())
    try:
        root.chmod(0o755)
        (root / "inside").mkdir()
        folder = written(root / "out")
        for path in (root / "inside", folder, root):
            path.chmod(0o555)
        with _without_privileges():
            for name, existing in (
                ("inside", Existing.REFUSE),
                ("new/er", Existing.REFUSE),
                ("out", Existing.REPLACE),
            ):
                with pytest.raises(BonsaiError, match="read-only"):
                    Output.claim(root / name, RUN, existing)
            with pytest.raises(BonsaiError, match="cannot write"):
                Output.reopen(folder, RUN)
        assert contents(folder) == FILES
    finally:
        for path in (root, *root.glob("*")):
            path.chmod(0o755)
        shutil.rmtree(root)


def test_a_full_disk_leaves_the_old_output(tmp_path: Path) -> None:
    folder = written(tmp_path / "out")
    manifest = json.loads((folder / MANIFEST).read_text())

    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with Output.claim(folder, RUN, Existing.REPLACE) as output, patch("os.replace", full):
        with pytest.raises(BonsaiError, match="No space left"):
            fill(output, {"run.json": "new"})
        with pytest.raises(BonsaiError, match="No space left"):
            output.write("report.html", b"new")
    assert contents(folder) == FILES
    assert json.loads((folder / MANIFEST).read_text()) == manifest
    with patch("os.replace", full), pytest.raises(BonsaiError, match="No space left"):
        Output.claim(tmp_path / "deep/new", RUN)
    assert os.listdir(tmp_path) == ["out"]


def test_a_single_file_is_replaced_only_if_asked_to(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    write_file(file, b"1", Existing.REFUSE)
    with pytest.raises(BonsaiError, match="exists"):
        write_file(file, b"2", Existing.REFUSE)
    write_file(file, b"3", Existing.REPLACE)
    assert file.read_bytes() == b"3"
    (tmp_path / "link").symlink_to(file)
    for wrong in ("link", "absent/file", "."):
        with pytest.raises(BonsaiError):
            write_file(tmp_path / wrong, b"4", Existing.REPLACE)
    assert file.read_bytes() == b"3"
    assert sorted(os.listdir(tmp_path)) == ["link", "results.json"]
