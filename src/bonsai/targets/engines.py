"""The settings of a target come in; the target, started and ready, goes out. New engines join the registry."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bonsai.targets.execution import Target
from bonsai.targets.jvm.engine import start_jvm
from bonsai.targets.jvm.parts import jvm_parts
from bonsai.targets.parts import Parts
from bonsai.targets.python.engine import start_python
from bonsai.targets.python.parts import python_parts
from bonsai.targets.settings import TargetSettings

Start = Callable[[Any, Path, frozenset[int]], Target]  # the first argument is the engine's own settings

FindParts = Callable[[Any, Path], Parts]  # likewise


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine starts a target, and how it finds what decides the target's results."""

    start: Start
    parts: FindParts


ENGINES: dict[str, Engine] = {
    "python": Engine(start_python, python_parts),
    "jvm": Engine(start_jvm, jvm_parts),
}


def start(settings: TargetSettings, folder: Path, omit: frozenset[int] = frozenset()) -> Target:
    """Start a target whose subject is in a folder.

    The features whose numbers are in `omit` keep their numbers and are never exercised: they cost nothing.
    """
    return ENGINES[settings.engine].start(settings, folder, omit)


def decisive_parts(settings: TargetSettings, folder: Path) -> Parts:
    """Returns a digest of each part that decides the results of a target whose subject is in a folder."""
    return ENGINES[settings.engine].parts(settings, folder)
