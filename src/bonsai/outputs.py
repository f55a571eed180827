"""Decides where Bonsai may write, what it may replace there, and what it never touches.

Every folder that Bonsai writes holds a manifest: what kind of output it is, and the name and the hash of each file
that Bonsai wrote. What the manifest does not name, or what was changed since, belongs to the user and is never
removed. All commands write through `Output`, which also keeps other processes out (docs/decisions/013-outputs.md).
"""

import fcntl
import json
import os
import pwd
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from itertools import count
from pathlib import Path, PurePosixPath
from secrets import token_hex

from bonsai.errors import BonsaiError

MANIFEST = ".bonsai.json"
MANIFEST_PART = f"{MANIFEST}.part"
STAGING = ".bonsai.part"  # new files are complete here before they replace old ones
LOCK = ".lock"
LOCK_TEXT = b"Bonsai is writing this folder, or was killed while it did.\n"
DATABASE = "run.sqlite"
SUMMARY = "run.json"  # written last: a run directory without it holds an unfinished run
REPOSITORIES = (".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS")
ANOTHER = "name another folder"
SHOWN = 3  # names in an error


class OutputKind(Enum):
    """What an output folder holds."""

    RUN = "run"
    REDUCTION = "reduction"
    EXPORT = "export"
    EVALUATION = "evaluation"
    HEATMAP = "heat-map"


class Existing(Enum):
    """What to do with a folder that already holds an output of the same kind."""

    REFUSE = "refuse"
    REPLACE = "replace"  # --force
    CONTINUE = "continue"  # add to it, and renew what is made from it
    UPDATE = "update"  # as CONTINUE, but changed files are refused only if they would be overwritten


@dataclass(frozen=True, slots=True)
class Manifest:
    """What Bonsai wrote in a folder: files with the hashes of their possible contents, and folders."""

    kind: OutputKind
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()

    def hashes(self, name: str) -> tuple[str, ...] | None:
        """Returns the hashes that a file may have to be Bonsai's; None if it may have any content."""
        return None if name in self.live else self.files.get(name, ())

    @property
    def live(self) -> tuple[str, ...]:
        """The files that change all the time: they are Bonsai's by their names, whatever is in them."""
        return (
            tuple(f"{DATABASE}{end}" for end in ("", "-journal", "-wal", "-shm")) if DATABASE in self.files else ()
        )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turns errors of the file system into an error that names the folder."""
    try:
        yield
    except OSError as error:
        hint = "is the disk full, or the folder read-only?"
        raise BonsaiError(f"cannot write {folder}: {error.strerror or error}", hint) from None


def read_manifest(folder: Path) -> Manifest | None:
    """Returns the manifest of a folder, or None if it has none. Raises an error if it is damaged."""
    path = folder / MANIFEST
    if not _is_regular(path):
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
        files = {_inside(name): tuple(map(str, hashes)) for name, hashes in content["files"].items()}
        folders = frozenset(map(_inside, content["folders"]))
        return Manifest(OutputKind(content["kind"]), files, folders)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BonsaiError(f"{path} cannot be read", f"it is damaged; {ANOTHER}") from None


def _inside(name: str) -> str:
    """Returns the name. Raises an error if it could lead out of the folder."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise ValueError(name)
    return name


def require_finished(folder: Path) -> None:
    """Raises an error if the folder holds a run that has no result yet: its files are not a corpus."""
    if (folder / SUMMARY).is_file() or not folder.is_dir():
        return
    manifest = read_manifest(folder)
    begun = manifest is not None and manifest.kind is OutputKind.RUN and manifest.files
    if begun or (folder / DATABASE).is_file():
        raise BonsaiError(
            f"the run in {folder} has no result yet", f"wait, or go on with bonsai grow --resume {folder}"
        )


def require_free(
    folder: Path, kind: OutputKind, existing: Existing = Existing.REFUSE, reads: Iterable[Path] = ()
) -> None:
    """Raises an error unless the folder may be written. Changes nothing, so that it can be called before long work.

    `reads` are the folders that the command reads: they must neither hold the output nor be replaced by it.
    """
    with writing(folder):
        require_allowed(folder)
        for source in map(_real, reads):
            _require_apart(folder, source, existing)
        _require_writable(folder)
        _require_replaceable(folder, kind, existing)
        if _is_locked(folder):
            raise _in_use(folder)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def require_allowed(folder: Path) -> None:
    """Raises an error if no command may write into the folder, whatever is in it."""
    if folder.parts[:1] == ("~",):
        raise BonsaiError(f"{folder} would be a folder named ~", 'write "$HOME" for the home folder')
    if folder.is_symlink():
        raise BonsaiError(f"{folder} is a symbolic link", f"name the folder itself, or {ANOTHER}")
    if os.path.lexists(folder) and not folder.is_dir():
        raise BonsaiError(f"{folder} is {'a file' if folder.is_file() else 'not a folder'}", ANOTHER)
    resolved = _real(folder)
    for what, place in (("the current folder", Path.cwd()), *_homes()):
        if place.is_relative_to(resolved):
            verb = "is" if place == resolved else "contains"
            raise BonsaiError(f"{folder} {verb} {what}", f"{ANOTHER}, for example {folder / 'out'}")
    for name in REPOSITORIES:
        if os.path.lexists(folder / name):
            hint = f"{ANOTHER}, for example {folder / 'out'}"
            raise BonsaiError(f"{folder} is the root of a repository, since it has a {name}", hint)


def _homes() -> Iterator[tuple[str, Path]]:
    with suppress(RuntimeError, KeyError, OSError):
        yield "your home folder", _real(Path.home())
    with suppress(KeyError, OSError):
        yield "your home folder", _real(Path(pwd.getpwuid(os.getuid()).pw_dir))


def _require_apart(folder: Path, source: Path, existing: Existing) -> None:
    output = _real(folder)
    if output.is_relative_to(source):
        raise BonsaiError(f"{folder} is part of the corpus that is read, {source}", f"{ANOTHER} with -o")
    if existing is Existing.REPLACE and source.is_relative_to(output):
        raise BonsaiError(f"{folder} holds the corpus that is read, {source}", f"{ANOTHER} with -o")


def _require_writable(folder: Path) -> None:
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(path))
    if ".." in folder.absolute().relative_to(existing).parts:
        raise BonsaiError(f"cannot write {folder}: there is no folder to go up from", f"{ANOTHER} with -o")
    if not existing.is_dir():
        raise BonsaiError(f"cannot write {folder}: {existing} is not a folder", f"{ANOTHER} with -o")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise BonsaiError(f"cannot write {folder}: {existing} is read-only", f"{ANOTHER} with -o")


def _require_replaceable(folder: Path, kind: OutputKind, existing: Existing) -> Manifest | None:
    """Returns the manifest of the output that is there already, if there is one."""
    if _is_empty(folder):
        return None
    manifest = read_manifest(folder)
    if manifest is None:
        raise BonsaiError(
            f"{folder} exists, and is not a folder that Bonsai wrote (it has no {MANIFEST})", f"{ANOTHER} with -o"
        )
    if manifest.kind is not kind:
        raise BonsaiError(f"{folder} holds a {manifest.kind.value}, not a {kind.value}", f"{ANOTHER} with -o")
    if existing is Existing.REFUSE:
        raise BonsaiError(f"{folder} exists", _how_to_replace(folder, kind))
    if existing is not Existing.UPDATE:
        require_unchanged(folder, manifest)
    return manifest


def _how_to_replace(folder: Path, kind: OutputKind) -> str:
    if kind is OutputKind.EXPORT:
        return f"{ANOTHER} with -o, or add --update to make it anew"
    hint = f"{ANOTHER} with -o, or add --force to replace it"
    if kind is OutputKind.RUN and not (folder / SUMMARY).is_file():
        return f"its run has no result yet: go on with bonsai grow --resume {folder}, {hint}"
    return hint


def require_unchanged(folder: Path, manifest: Manifest, coming: Mapping[str, bytes] | None = None) -> None:
    """Raises an error if somebody changed what Bonsai wrote; with `coming`, only if that would be overwritten."""
    expected: dict[str, tuple[str, ...] | None]
    if coming is None:
        expected = {name: manifest.hashes(name) for name in {*manifest.files, *manifest.live}}
        blocking = [_not_a_folder(folder, name) for name in sorted(manifest.folders)]
    else:
        expected = {name: (*(manifest.hashes(name) or ()), _hash(content)) for name, content in coming.items()}
        blocking = []
    blocking += [_in_the_way(folder, name, hashes) for name, hashes in sorted(expected.items())]
    changed = list(dict.fromkeys(path for path in blocking if path is not None))
    if changed:
        raise _not_ours(changed)


def _not_ours(paths: Sequence[Path]) -> BonsaiError:
    names = ", ".join(map(str, paths[:SHOWN])) + (f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else "")
    verb = "was" if len(paths) == 1 else "were"
    return BonsaiError(
        f"{names} {verb} changed since Bonsai wrote the folder", f"move what you want to keep, or {ANOTHER}"
    )


def _in_the_way(folder: Path, name: str, hashes: tuple[str, ...] | None) -> Path | None:
    """Returns what stands at the path of a file, or of a folder above it, and is not Bonsai's."""
    blocking = _not_a_folder(folder, str(PurePosixPath(name).parent))
    path = folder / name
    if blocking is not None or not os.path.lexists(path):
        return blocking
    return None if _is_regular(path) and (hashes is None or _hash_of(path) in hashes) else path


def _not_a_folder(folder: Path, name: str) -> Path | None:
    """Returns the first path on the way to a folder that is not a folder, or is a link to one elsewhere."""
    for part in PurePosixPath(name).parts:
        folder /= part
        if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
            return folder
    return None


def _is_empty(folder: Path) -> bool:
    """Returns whether there is nothing in the folder but what a killed process claimed it with."""
    if not folder.exists():
        return True
    names = set(os.listdir(folder))
    if _is_regular(folder / LOCK) and (folder / LOCK).read_bytes() == LOCK_TEXT:
        names.discard(LOCK)
    manifest = read_manifest(folder)
    if manifest is not None and not manifest.files:
        names -= {MANIFEST, STAGING}
    if _is_regular(folder / MANIFEST_PART):
        names.discard(MANIFEST_PART)
    return not names


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _hash_of(path: Path) -> str:
    return _hash(path.read_bytes())


class _Lock:
    """Held until it is released, or the process is gone. Its file is there only while somebody holds it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        while True:
            self._descriptor = self._opened()
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._descriptor)
                raise _in_use(folder) from None
            if self._is_current():
                return
            os.close(self._descriptor)  # its last holder has removed it since we opened it

    def release(self) -> None:
        with suppress(OSError):
            if self._is_current() and self._path.read_bytes() == LOCK_TEXT:
                self._path.unlink()  # while it is held: no other process can have locked this file
        os.close(self._descriptor)

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            with suppress(FileExistsError):
                descriptor = os.open(self._path, flags | os.O_CREAT | os.O_EXCL, 0o666)
                try:
                    os.write(descriptor, LOCK_TEXT)
                except OSError:
                    self._path.unlink()
                    os.close(descriptor)
                    raise
                return descriptor
            with suppress(FileNotFoundError):
                return os.open(self._path, flags)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.lstat(self._path))
        except FileNotFoundError:
            return False


def _is_locked(folder: Path) -> bool:
    if not _is_regular(folder / LOCK):
        return False
    with suppress(FileNotFoundError), open(folder / LOCK, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _in_use(folder: Path) -> BonsaiError:
    return BonsaiError(f"{folder} is in use", "another process is writing there; wait, or stop it")


class Output:
    """A folder that this process writes, and no other process until it is closed.

    If nothing was written by then, the folder is as it was before.
    """

    def __init__(self, folder: Path, kind: OutputKind, made: Sequence[Path]) -> None:
        self.folder = folder
        self._made = made
        self._manifest: Manifest | None = None  # not known before the lock is held
        with writing(folder):
            self._lock = _Lock(folder)

    @classmethod
    def claim(
        cls, folder: Path, kind: OutputKind, existing: Existing = Existing.REFUSE, reads: Iterable[Path] = ()
    ) -> "Output":
        """Returns a folder to write to, which is made if it does not exist. Raises an error if it is not free."""
        require_free(folder, kind, existing, reads)
        made = _make_folder(folder)
        try:
            output = cls(folder, kind, made)
        except BaseException:
            _remove_folders(made)
            raise
        try:
            with writing(folder):  # what was true before the lock was held may have changed
                output._manifest = _require_replaceable(folder, kind, existing)
                if output._manifest is None:
                    output._record(Manifest(kind))
        except BaseException:
            output.close()
            raise
        return output

    @classmethod
    def reopen(cls, folder: Path, kind: OutputKind) -> "Output":
        """Returns a folder that Bonsai wrote, to write more into it. Raises an error if it is not one."""
        if read_manifest(folder) is None:
            raise BonsaiError(f"{folder} is not a folder that Bonsai wrote", f"it has no {MANIFEST}")
        output = cls(folder, kind, ())
        try:
            with writing(folder):
                output._manifest = _require_replaceable(folder, kind, Existing.UPDATE) or Manifest(kind)
        except BaseException:
            output.close()
            raise
        return output

    @property
    def manifest(self) -> Manifest:
        """What Bonsai has written here so far."""
        assert self._manifest is not None
        return self._manifest

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A new folder for files that are to be installed; it is gone in the end."""
        staged = self.folder / STAGING
        with writing(self.folder):
            if os.path.lexists(staged):
                shutil.rmtree(staged)
            staged.mkdir()
            try:
                yield staged
            finally:
                shutil.rmtree(staged, ignore_errors=True)

    def install(self, staged: Path, last: str | None = None, keep: Collection[str] = ()) -> None:
        """Replaces all that Bonsai wrote here before, except `keep`, with the files of a staging folder.

        The file `last` is missing from the moment the first file changes until all are in place. What the user has
        put in the way since the folder was claimed is renamed, not removed.
        """
        with writing(self.folder):
            before = self.manifest
            found = sorted(staged.rglob("*"))
            folders = [path.relative_to(staged).as_posix() for path in found if path.is_dir()]
            files = {path.relative_to(staged).as_posix(): (_hash_of(path),) for path in found if path.is_file()}
            kept = {name: hashes for name, hashes in before.files.items() if name in keep}
            remaining = frozenset(folders).union(*map(_folders_of, kept))
            both = {name: (*before.files.get(name, ()), *files.get(name, ())) for name in {*before.files, *files}}
            self._record(Manifest(before.kind, both, before.folders.union(folders)))
            for name in (last, *before.live):
                if name is not None and name not in keep:
                    self._remove(name)
            for name in folders:
                _set_aside(_not_a_folder(self.folder, name))
                (self.folder / name).mkdir(exist_ok=True)
            for name in sorted(files, key=lambda name: (name == last, name)):
                _set_aside(_in_the_way(self.folder, name, self.manifest.hashes(name)))
                os.replace(staged / name, self.folder / name)
            for name in before.files.keys() - files.keys() - kept.keys():
                self._remove(name)
            for name in sorted(before.folders - remaining, reverse=True):
                with suppress(OSError):  # it is not empty, or gone, or not a folder any more
                    (self.folder / name).rmdir()
            self._record(Manifest(before.kind, kept | files, remaining))

    def clear(self) -> None:
        """Removes all that Bonsai wrote here before."""
        with self.staging() as staged:
            self.install(staged)

    def write(self, name: str, content: bytes) -> None:
        """Writes one file and leaves all others as they are. Raises an error if the user changed it, or made it."""
        with writing(self.folder):
            before = self.manifest
            hashes = (*before.files.get(name, ()), _hash(content))
            blocking = _in_the_way(self.folder, name, hashes)
            if blocking is not None:
                raise _not_ours([blocking])
            folders = before.folders | _folders_of(name)
            with self.staging() as staged:
                (staged / "file").write_bytes(content)
                self._record(Manifest(before.kind, {**before.files, name: hashes}, folders))
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(staged / "file", self.folder / name)
            self._record(Manifest(before.kind, {**before.files, name: hashes[-1:]}, folders))

    def close(self) -> None:
        """Lets other processes have the folder."""
        if self._manifest is not None and not self._manifest.files:
            with suppress(OSError):
                (self.folder / MANIFEST).unlink()
        self._lock.release()
        _remove_folders(self._made)

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, manifest: Manifest) -> None:
        content = {
            "kind": manifest.kind.value,
            "files": {name: list(dict.fromkeys(manifest.files[name])) for name in sorted(manifest.files)},
            "folders": sorted(manifest.folders),
        }
        part = self.folder / MANIFEST_PART
        part.unlink(missing_ok=True)
        try:
            with part.open("x", encoding="utf-8") as stream:
                stream.write(json.dumps(content, indent=1) + "\n")
            os.replace(part, self.folder / MANIFEST)
        finally:
            part.unlink(missing_ok=True)
        self._manifest = manifest

    def _remove(self, name: str) -> None:
        if _in_the_way(self.folder, name, self.manifest.hashes(name)) is None:
            with suppress(FileNotFoundError):
                (self.folder / name).unlink()


def _set_aside(path: Path | None) -> None:
    """Renames what is in the way of a file and is not Bonsai's: it becomes `name.kept`."""
    if path is not None:
        names = (f"{path.name}.kept{number or ''}" for number in count())
        path.rename(next(free for free in map(path.with_name, names) if not os.path.lexists(free)))


def _folders_of(name: str) -> frozenset[str]:
    """Returns the folders that a file is in."""
    return frozenset(str(parent) for parent in PurePosixPath(name).parents if parent.parts)


def _make_folder(folder: Path) -> list[Path]:
    """Makes a folder and returns those that did not exist, from the outside in."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    made: list[Path] = []
    try:
        with writing(folder):
            for path in missing:
                path.mkdir(exist_ok=True)
                made.append(path)
    except BaseException:
        _remove_folders(made)
        raise
    return made


def _remove_folders(folders: Sequence[Path]) -> None:
    """Removes folders from the inside out, unless there is something in them."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def add_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes new files into a folder that may hold others; all or none. Raises an error if one of them exists."""
    made, written = _make_folder(folder), []
    try:
        for name, content in files.items():
            write_file(folder / name, content, Existing.REFUSE)
            written.append(folder / name)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        _remove_folders(made)
        raise


def require_free_file(file: Path, existing: Existing) -> None:
    """Raises an error unless a file may be written: a new one, or with REPLACE one that is there."""
    with writing(file):
        if file.is_dir():
            raise BonsaiError(f"{file} is a folder", "name a file")
        if os.path.lexists(file) and not _is_regular(file):
            raise BonsaiError(f"{file} is not a regular file", "name another file")
        if existing is Existing.REFUSE and os.path.lexists(file):
            raise BonsaiError(f"{file} exists", "name another file with -o, or add --force to replace it")
        if not file.absolute().parent.is_dir():
            raise BonsaiError(
                f"cannot write {file}: there is no such folder", "name a file in a folder that exists"
            )


def write_file(file: Path, content: bytes, existing: Existing) -> None:
    """Writes a file of which nothing is seen before it is complete. Raises an error if it is not free."""
    require_free_file(file, existing)
    part = file.with_name(f".bonsai-{token_hex(8)}.part")
    with writing(file):
        try:
            part.write_bytes(content)
            if existing is Existing.REPLACE:
                os.replace(part, file)
            else:
                _move_to_free(part, file)
        finally:
            part.unlink(missing_ok=True)


def _move_to_free(part: Path, file: Path) -> None:
    try:
        os.link(part, file)  # unlike a renaming, this never replaces a file
    except FileExistsError:
        raise BonsaiError(f"{file} exists", "name another one") from None
    except OSError:  # a file system without hard links
        part.rename(file)
