"""Writes single files, and new files beside others, without ever replacing what the user did not name."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from bonsai.errors import BonsaiError
from bonsai.outputs.manifest import is_regular
from bonsai.outputs.permission import Existing, writing


def make_folder(folder: Path) -> list[Path]:
    """Makes a folder and returns those that did not exist, from the outside in."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    made: list[Path] = []
    try:
        with writing(folder):
            for path in missing:
                path.mkdir(exist_ok=True)
                made.append(path)
    except BaseException:
        remove_folders(made)
        raise
    return made


def remove_folders(folders: Sequence[Path]) -> None:
    """Removes folders from the inside out, unless there is something in them."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def add_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes new files into a folder that may hold others; all or none. Raises an error if one of them exists."""
    made, written = make_folder(folder), []
    try:
        for name, content in files.items():
            write_file(folder / name, content, Existing.REFUSE)
            written.append(folder / name)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        remove_folders(made)
        raise


def require_free_file(file: Path, existing: Existing) -> None:
    """Raises an error unless a file may be written: a new one, or with REPLACE one that is there."""
    with writing(file):
        if file.is_dir():
            raise BonsaiError(f"{file} is a folder", "name a file")
        if os.path.lexists(file) and not is_regular(file):
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
