"""What the tests of faults share: subjects, and what an undisturbed run of each leaves behind."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from faults.folders import Everything
from faults.runs import SMALL, Sandbox, sandbox
from faults.subjects import SUBJECTS

Undisturbed = Callable[[str], Everything]
WhereIs = Callable[[str], Path]


@pytest.fixture(scope="package")
def subject_of(tmp_path_factory: pytest.TempPathFactory) -> WhereIs:
    """Returns the folder of a subject by its name."""

    @cache
    def written(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name) / "subject"
        SUBJECTS[name](folder)
        return folder

    return written


@pytest.fixture(scope="package")
def undisturbed(subject_of: WhereIs, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Returns everything that a run of a subject leaves behind if nothing happens to it."""

    @cache
    def grown(name: str) -> Everything:
        with sandbox(tmp_path_factory.mktemp("undisturbed") / name) as box:
            box.run("grow", subject_of(name), *SMALL, "-o", box.out, "--jobs", 2).require(0)
            return box.everything()

    return grown


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox; what still runs in it after the test is killed."""
    with sandbox(tmp_path / "box") as made:
        yield made
