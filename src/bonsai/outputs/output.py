"""A folder that a command writes: claimed first, filled in one step at the end."""

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path, PurePosixPath

from bonsai.errors import BonsaiError
from bonsai.outputs.files import make_folder, remove_folders
from bonsai.outputs.lock import Lock
from bonsai.outputs.manifest import (
    MANIFEST,
    MANIFEST_PART,
    Manifest,
    OutputKind,
    hash_of,
    hash_of_bytes,
    in_the_way,
    not_a_folder,
    not_ours,
    read_manifest,
)
from bonsai.outputs.permission import (
    STAGING,
    STAGING_MARK,
    Existing,
    require_free,
    require_replaceable,
    writing,
)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


class Output:
    """A folder that this process writes, and no other process until it is closed.

    If nothing was written by then, the folder is as it was before.
    """

    def __init__(self, folder: Path, kind: OutputKind, made: Sequence[Path]) -> None:
        self.folder = folder
        self._made = made
        self._manifest: Manifest | None = None  # not known before the lock is held
        with writing(folder):
            self._lock = Lock(folder)

    @classmethod
    def claim(
        cls, folder: Path, kind: OutputKind, existing: Existing = Existing.REFUSE, reads: Iterable[Path] = ()
    ) -> "Output":
        """Returns a folder to write to, which is made if it does not exist. Raises an error if it is not free."""
        require_free(folder, kind, existing, reads)
        made = make_folder(folder)
        try:
            output = cls(folder, kind, made)
        except BaseException:
            remove_folders(made)
            raise
        try:
            with writing(folder):  # what was true before the lock was held may have changed
                output._manifest = require_replaceable(folder, kind, existing)
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
                output._manifest = require_replaceable(folder, kind, Existing.UPDATE) or Manifest(kind)
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
            if (staged / STAGING_MARK).is_file():
                shutil.rmtree(staged)  # a process that was killed has left it behind
            elif os.path.lexists(staged) and not _is_empty_folder(staged):
                raise BonsaiError(f"{staged} is in the way", "rename it: Bonsai puts new files there first")
            staged.mkdir(exist_ok=True)
            (staged / STAGING_MARK).touch()
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
            found = sorted(path for path in staged.rglob("*") if path != staged / STAGING_MARK)
            folders = [path.relative_to(staged).as_posix() for path in found if path.is_dir()]
            files = {path.relative_to(staged).as_posix(): (hash_of(path),) for path in found if path.is_file()}
            kept = {name: hashes for name, hashes in before.files.items() if name in keep}
            remaining = frozenset(folders).union(*map(_folders_of, kept))
            both = {name: (*before.files.get(name, ()), *files.get(name, ())) for name in {*before.files, *files}}
            self._record(Manifest(before.kind, both, before.folders.union(folders)))
            for name in (last, *before.live):
                if name is not None and name not in keep:
                    self._remove(name)
            for name in folders:
                _set_aside(not_a_folder(self.folder, name))
                (self.folder / name).mkdir(exist_ok=True)
            for name in sorted(files, key=lambda name: (name == last, name)):
                _set_aside(in_the_way(self.folder, name, self.manifest.hashes(name)))
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
            hashes = (*before.files.get(name, ()), hash_of_bytes(content))
            blocking = in_the_way(self.folder, name, hashes)
            if blocking is not None:
                raise not_ours([blocking])
            folders = before.folders | _folders_of(name)
            with self.staging() as staged:
                (staged / "file").write_bytes(content)
                self._record(Manifest(before.kind, {**before.files, name: hashes}, folders))
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(staged / "file", self.folder / name)
            self._record(Manifest(before.kind, {**before.files, name: hashes[-1:]}, folders))

    def close(self) -> None:
        """Releases the folder."""
        if self._manifest is not None and not self._manifest.files:
            with suppress(OSError):
                (self.folder / MANIFEST).unlink()
        self._lock.release()
        remove_folders(self._made)

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
        if in_the_way(self.folder, name, self.manifest.hashes(name)) is None:
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
