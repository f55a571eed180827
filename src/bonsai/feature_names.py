"""The name of a feature comes in; where it is in the target's source goes out, for people to look at."""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_PYTHON = re.compile(r"(?P<module>[\w.]+):(?P<line>\d+):(?P<column>\d+):(?P<arm>[\w-]+)")


@dataclass(frozen=True, slots=True)
class Place:
    """A branch of a Python target: its module, line and column (from 0), and which arm of the branch."""

    module: str
    line: int
    column: int
    arm: str


def place_of(feature: str) -> Place | None:
    """The place that a feature's name tells; None if it tells none."""
    match = _PYTHON.fullmatch(feature)
    if match is None:
        return None
    return Place(match["module"], int(match["line"]), int(match["column"]), match["arm"])


@lru_cache(maxsize=256)
def source_of(module: str, folders: tuple[Path, ...]) -> tuple[str, ...] | None:
    """The lines of a module of the target, be it in the subject's folders or installed; None if it is not found."""
    inside = [folder / Path(*module.split(".")) for folder in folders]
    own = [path for one in inside for path in (one.with_suffix(".py"), one / "__init__.py")]
    for path in (*own, _installed(module)):
        if path is not None and path.is_file():
            return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    return None


def _installed(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None
