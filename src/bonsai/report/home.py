"""The file of a test comes in; the run that it belongs to goes out, and what the test is there for."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bonsai.captions import witnessed
from bonsai.corpus import bits
from bonsai.outputs import DATABASE
from bonsai.report.database import Recorded, read_run


@dataclass(frozen=True, slots=True)
class Home:
    """Where a test is at home: the subject of its run, and the features that it is the smallest to exercise."""

    subject: str
    smallest_for: tuple[str, ...] | None  # None if the file is no test of the run, or has been changed


def home_of(file: Path, text: str) -> Home | None:
    """The home of a file with this text; None if it is in no run directory."""
    for folder in file.resolve().parents:
        if (folder / DATABASE).is_file():
            run, masks = _read(folder)
            name = file.resolve().relative_to(folder).as_posix()
            known = zip(run.files, run.corpus, masks, strict=True)
            mask = next((mask for path, one, mask in known if f"corpus/{path}" == name and one.text == text), None)
            smallest = None if mask is None else tuple(run.features[feature] for feature in bits(mask))
            return Home(str(run.summary["folder"]), smallest)
    return None


@lru_cache(maxsize=1)  # several files are mostly of one run
def _read(folder: Path) -> tuple[Recorded, list[int]]:
    run = read_run(folder)
    return run, witnessed(run.corpus)
