"""What the system refuses is said in one line: which file, why, and a hint that fits."""

import errno
import os

import pytest

from bonsai.cli import explained


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room on the disk"),
        (errno.EACCES, "permissions"),
        (errno.EPERM, "permissions"),
        (errno.EROFS, "not read-only"),
        (errno.EMFILE, "ulimit -n"),
        (errno.ENOENT, "check the path"),
        (errno.ENOTDIR, "is a file, not a folder"),
        (errno.EAGAIN, "fewer --jobs"),
        (errno.ENOMEM, "memory"),
        (errno.EXDEV, "check the path"),
    ],
)
def test_the_hint_fits_the_error_and_the_file_is_named(number: int, hint: str) -> None:
    message, said = explained(OSError(number, os.strerror(number), "some/file"))
    assert message == f"cannot go on: some/file: {os.strerror(number)}"
    assert hint in said
    assert ("room" in said) == (number == errno.ENOSPC)


def test_an_error_of_two_files_names_both() -> None:
    message, _ = explained(OSError(errno.EXDEV, "Invalid cross-device link", "a", None, "b"))
    assert message == "cannot go on: a and b: Invalid cross-device link"


def test_an_error_without_a_number_still_says_something() -> None:
    assert explained(OSError("gone"))[0] == "cannot go on: gone"
    assert explained(TimeoutError())[0] == "cannot go on: TimeoutError"
