"""Files by name come in; a folder with them goes out, and what has changed in it since the last time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bonsai.errors import BonsaiError

MANIFEST = ".bonsai-export.json"


class Existing(Enum):
    """What to do with an export that is there already."""

    REFUSE = "refuse"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Changes:
    """Names of files, compared with the export that was there before."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]


def require_room(folder: Path, existing: Existing) -> None:
    """Refuse to write over anything but an export that is to be updated."""
    if folder.exists() and not folder.is_dir():
        raise BonsaiError(f"{folder} is a file", "name a folder to write to")
    if existing is Existing.UPDATE:
        if not (folder / MANIFEST).is_file():
            raise BonsaiError(f"{folder} holds no export to update", "leave --update out to make one")
    elif folder.is_dir() and any(folder.iterdir()):
        hint = "--update makes it anew" if (folder / MANIFEST).is_file() else "name a new or an empty folder"
        raise BonsaiError(f"{folder} is not empty", hint)


def write_export(folder: Path, files: Mapping[str, bytes], existing: Existing) -> Changes:
    """Write the files; those of an earlier export that are no more are removed, and no other file is touched."""
    require_room(folder, existing)
    before = _earlier(folder) if existing is Existing.UPDATE else set()
    changes = Changes(
        new=tuple(sorted(files.keys() - before)),
        changed=tuple(sorted(name for name in files.keys() & before if _content(folder / name) != files[name])),
        gone=tuple(sorted(before - files.keys())),
    )
    try:
        for name in changes.gone:
            (folder / name).unlink(missing_ok=True)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / MANIFEST).write_text(json.dumps(sorted(files), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BonsaiError(f"cannot write {error.filename}: {error.strerror}", "name a folder to write to") from None
    return changes


def _earlier(folder: Path) -> set[str]:
    try:
        names = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        inside = [name for name in names if (folder / name).resolve().is_relative_to(folder.resolve())]
    except (OSError, ValueError, TypeError):
        raise BonsaiError(f"{folder / MANIFEST} cannot be read", "export to a new folder") from None
    return set(inside)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
