"""Decides where a command may write: which folders are free, which may be replaced, and which are never touched."""

import os
import pwd
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.outputs.lock import LOCK, LOCK_TEXT, in_use, is_locked
from bonsai.outputs.manifest import (
    MANIFEST,
    MANIFEST_PART,
    SUMMARY,
    Manifest,
    OutputKind,
    is_regular,
    read_manifest,
    require_unchanged,
)
from bonsai.system_errors import hint_for

STAGING = ".bonsai.part"  # new files are complete here before they replace old ones
STAGING_MARK = ".bonsai"  # a file in it, which says whose it is
REPOSITORIES = (".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS")
ANOTHER = "name another folder"


class Existing(Enum):
    """What to do with a folder that already holds an output of the same kind."""

    REFUSE = "refuse"
    REPLACE = "replace"  # --force
    CONTINUE = "continue"  # add to it, and renew what is made from it
    UPDATE = "update"  # as CONTINUE, but changed files are refused only if they would be overwritten


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turns errors of the file system into an error that names the folder."""
    try:
        yield
    except OSError as error:
        raise BonsaiError(f"cannot write {folder}: {error.strerror or error}", hint_for(error)) from None


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
        _require_outside_outputs(folder)
        _require_writable(folder)
        require_replaceable(folder, kind, existing)
        if is_locked(folder):
            raise in_use(folder)


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


def _require_outside_outputs(folder: Path) -> None:
    """Raises an error if the folder would be part of another output, such as the corpus of another run."""
    resolved = _real(folder)
    for parent in resolved.parents:
        manifest = read_manifest(parent)
        if manifest is not None and resolved.relative_to(parent).parts[0] in manifest.folders:
            raise BonsaiError(f"{folder} is part of another output, {parent}", f"{ANOTHER} with -o")


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


def require_replaceable(folder: Path, kind: OutputKind, existing: Existing) -> Manifest | None:
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


def _is_empty(folder: Path) -> bool:
    """Returns whether there is nothing in the folder but what a killed process claimed it with."""
    if not folder.exists():
        return True
    names = set(os.listdir(folder))
    if is_regular(folder / LOCK) and (folder / LOCK).read_bytes() == LOCK_TEXT:
        names.discard(LOCK)
    manifest = read_manifest(folder)
    if manifest is not None and not manifest.files:
        names -= {MANIFEST, STAGING}
    if is_regular(folder / MANIFEST_PART):
        names.discard(MANIFEST_PART)
    return not names
