"""The settings of a Python target come in; the target in a fresh interpreter goes out."""

import json
import os
import sys
from pathlib import Path

from bonsai.targets.execution import Target
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.process import Program
from bonsai.targets.settings import PythonTarget

SERVER = "bonsai.targets.python.server"
# The server is found where this Bonsai is, and this folder is then out of the way.
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from {} import main; del sys.path[0]; main(sys.argv[2:])"
_UNWANTED = ("PYTHONOPTIMIZE", "PYTHONINSPECT", "PYTHONPROFILEIMPORTTIME", "PYTHONWARNINGS")


def start_python(settings: PythonTarget, folder: Path, omit: frozenset[int] = frozenset()) -> Target:
    """Start a callable in an interpreter of its own; modules in the subject's folders come first."""
    command, environment = interpreter(SERVER, settings.hash_seed)
    program = Program(command, environment, json.dumps(greeting(settings, folder, omit)).encode())
    return IsolatedTarget(program, settings.timeout)


def greeting(settings: PythonTarget, folder: Path, omit: frozenset[int] = frozenset()) -> dict[str, object]:
    """What a server is told first."""
    return {
        "folders": [str(one) for one in settings.folders(folder)],
        "call": settings.call,
        "cover": settings.cover,
        "invalid": settings.invalid,
        "unparsed": settings.unparsed,
        "memory": settings.memory,
        "omit": sorted(omit),
    }


def interpreter(server: str, hash_seed: int = 0) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command of a fresh interpreter that runs one of our servers, and its environment."""
    # Sets have the same order in every run; assertions are checked, whatever the settings around us.
    environment = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    environment["PYTHONHASHSEED"] = str(hash_seed)
    root = str(Path(__file__).parents[3])
    return (sys.executable, "-P", "-c", _BOOT.format(server), root), environment
