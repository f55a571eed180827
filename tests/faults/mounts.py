"""Small and read-only file systems, for those who may mount them."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, kibibytes: int) -> Iterator[Path]:
    """Gives a folder that is a file system of that size. Skips the test where mounting is not allowed."""
    folder.mkdir(parents=True)
    _mount("-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def resize(folder: Path, kibibytes: int) -> None:
    """Makes room on a small disk, or takes it away."""
    _mount("-o", f"remount,size={kibibytes}k", str(folder))


def make_read_only(folder: Path) -> None:
    """Lets nobody write on a small disk, not even root."""
    _mount("-o", "remount,ro", str(folder))


def make_writable(folder: Path) -> None:
    """Takes `make_read_only` back."""
    _mount("-o", "remount,rw", str(folder))


def _mount(*arguments: str) -> None:
    try:
        done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"mounting is not allowed: {done.stderr.strip()}")
