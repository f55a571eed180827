"""The lock of an output folder: one process at a time writes there."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.outputs.manifest import is_regular

LOCK = ".lock"
LOCK_TEXT = b"Bonsai is writing this folder, or was killed while it did.\n"


class Lock:
    """Held until it is released, or the process is gone. Its file is there only while somebody holds it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        while True:
            self._descriptor = self._opened()
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._descriptor)
                raise in_use(folder) from None
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


def is_locked(folder: Path) -> bool:
    if not is_regular(folder / LOCK):
        return False
    with suppress(FileNotFoundError), open(folder / LOCK, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def in_use(folder: Path) -> BonsaiError:
    return BonsaiError(f"{folder} is in use", "another process is writing there; wait, or stop it")
