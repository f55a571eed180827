"""The manifest of an output folder: what Bonsai wrote there, so that everything else is known to be the user's."""

import json
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from pathlib import Path, PurePosixPath

from bonsai.errors import BonsaiError

MANIFEST = ".bonsai.json"
MANIFEST_PART = f"{MANIFEST}.part"
DATABASE = "run.sqlite"
SUMMARY = "run.json"  # written last: a run directory without it holds an unfinished run
SHOWN = 3  # names in an error


class OutputKind(Enum):
    """What an output folder holds."""

    RUN = "run"
    REDUCTION = "reduction"
    EXPORT = "export"
    EVALUATION = "evaluation"
    HEATMAP = "heat-map"


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


def read_manifest(folder: Path) -> Manifest | None:
    """Returns the manifest of a folder, or None if it has none. Raises an error if it is damaged."""
    path = folder / MANIFEST
    if not is_regular(path):
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
        files = {_inside(name): tuple(map(str, hashes)) for name, hashes in content["files"].items()}
        folders = frozenset(map(_inside, content["folders"]))
        return Manifest(OutputKind(content["kind"]), files, folders)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BonsaiError(f"{path} cannot be read", "it is damaged; name another folder") from None


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


def require_unchanged(folder: Path, manifest: Manifest, coming: Mapping[str, bytes] | None = None) -> None:
    """Raises an error if somebody changed what Bonsai wrote; with `coming`, only if that would be overwritten."""
    expected: dict[str, tuple[str, ...] | None]
    if coming is None:
        expected = {name: manifest.hashes(name) for name in {*manifest.files, *manifest.live}}
        blocking = [not_a_folder(folder, name) for name in sorted(manifest.folders)]
    else:
        expected = {
            name: (*(manifest.hashes(name) or ()), hash_of_bytes(content)) for name, content in coming.items()
        }
        blocking = []
    blocking += [in_the_way(folder, name, hashes) for name, hashes in sorted(expected.items())]
    changed = list(dict.fromkeys(path for path in blocking if path is not None))
    if changed:
        raise not_ours(changed)


def not_ours(paths: Sequence[Path]) -> BonsaiError:
    names = ", ".join(map(str, paths[:SHOWN])) + (f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else "")
    verb = "was" if len(paths) == 1 else "were"
    return BonsaiError(
        f"{names} {verb} changed since Bonsai wrote the folder",
        "move what you want to keep, or name another folder",
    )


def in_the_way(folder: Path, name: str, hashes: tuple[str, ...] | None) -> Path | None:
    """Returns what stands at the path of a file, or of a folder above it, and is not Bonsai's."""
    blocking = not_a_folder(folder, str(PurePosixPath(name).parent))
    path = folder / name
    if blocking is not None or not os.path.lexists(path):
        return blocking
    return None if is_regular(path) and (hashes is None or hash_of(path) in hashes) else path


def not_a_folder(folder: Path, name: str) -> Path | None:
    """Returns the first path on the way to a folder that is not a folder, or is a link to one elsewhere."""
    for part in PurePosixPath(name).parts:
        folder /= part
        if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
            return folder
    return None


def is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def hash_of_bytes(content: bytes) -> str:
    return sha256(content).hexdigest()


def hash_of(path: Path) -> str:
    return hash_of_bytes(path.read_bytes())
