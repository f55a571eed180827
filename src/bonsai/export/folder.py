"""Writes an export, a folder of files by name, and says what has changed in it since the last time."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.outputs import Existing, Output, OutputKind, read_manifest, require_free, require_unchanged


@dataclass(frozen=True, slots=True)
class Changes:
    """Names of files, compared with the export that was there before."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]


def require_room(folder: Path, existing: Existing, reads: Path | None = None) -> None:
    """Raises an error unless the folder is free, or holds an export that is to be updated."""
    require_free(folder, OutputKind.EXPORT, existing, [] if reads is None else [reads])
    if existing is Existing.UPDATE and read_manifest(folder) is None:
        raise BonsaiError(f"{folder} holds no export to update", "leave --update out to make one")


def write_export(folder: Path, files: Mapping[str, bytes], existing: Existing) -> Changes:
    """Writes the files and removes those of an earlier export that are no more. No other file is touched.

    Raises an error, and writes nothing, if a file that somebody changed would be overwritten.
    """
    require_room(folder, existing)
    with Output.claim(folder, OutputKind.EXPORT, existing) as output:
        require_unchanged(folder, output.manifest, files)
        before = output.manifest.files.keys()
        changes = Changes(
            new=tuple(sorted(files.keys() - before)),
            changed=tuple(sorted(name for name in files.keys() & before if _content(folder / name) != files[name])),
            gone=tuple(sorted(before - files.keys())),
        )
        with output.staging() as staged:
            for name, content in files.items():
                (staged / name).parent.mkdir(parents=True, exist_ok=True)
                (staged / name).write_bytes(content)
            output.install(staged)
    return changes


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
