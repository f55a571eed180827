"""The settings of a target come in; the target, started and ready, goes out. New engines join the registry."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bonsai.targets.execution import Target
from bonsai.targets.jvm.engine import start_jvm
from bonsai.targets.python.engine import start_python
from bonsai.targets.settings import TargetSettings

Start = Callable[[Any, Path, frozenset[int]], Target]  # the first argument is the engine's own settings

ENGINES: dict[str, Start] = {"python": start_python, "jvm": start_jvm}


def start(settings: TargetSettings, folder: Path, omit: frozenset[int] = frozenset()) -> Target:
    """Start a target whose subject is in a folder.

    The features whose numbers are in `omit` keep their numbers and are never exercised: they cost nothing.
    """
    return ENGINES[settings.engine](settings, folder, omit)
