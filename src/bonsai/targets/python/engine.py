"""The settings of a Python target come in; the target in a fresh interpreter goes out."""

import json
import os
import sys
from pathlib import Path

from bonsai.targets.execution import Target
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.process import Program
from bonsai.targets.settings import PythonTarget

# The server is found where this Bonsai is, and this folder is then out of the way.
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from bonsai.targets.python.server import main; del sys.path[0]; main(sys.argv[2:])"
)
_UNWANTED = ("PYTHONOPTIMIZE", "PYTHONINSPECT", "PYTHONPROFILEIMPORTTIME", "PYTHONWARNINGS")


def start_python(settings: PythonTarget, folder: Path, omit: frozenset[int] = frozenset()) -> Target:
    """Start a callable in an interpreter of its own; modules in the subject's folder come first."""
    greeting = {
        "folder": str(folder.resolve()),
        "call": settings.call,
        "cover": settings.cover,
        "invalid": settings.invalid,
        "unparsed": settings.unparsed,
        "memory": settings.memory,
        "omit": sorted(omit),
    }
    # Assertions are checked, whatever the caller's settings.
    environment = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    environment["PYTHONHASHSEED"] = str(settings.hash_seed)
    root = str(Path(__file__).parents[3])
    program = Program((sys.executable, "-P", "-c", _BOOT, root), environment, json.dumps(greeting).encode())
    return IsolatedTarget(program, settings.timeout)
