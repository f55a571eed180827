"""The name of a function comes in; what its import shows goes out, as JSON. Run in an interpreter of its own."""

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

HINT = "is it on the path? Install it where Bonsai is installed, or call init in the folder that it is in"


def main(module_name: str, path: str) -> None:
    """Print what was found, or what is wrong."""
    report, sys.stdout = sys.stdout, sys.stderr  # whatever the import prints is not for us
    top = module_name.split(".")[0]
    try:
        elsewhere = importlib.util.find_spec(top)
        sys.path.insert(0, os.getcwd())
        found = _look(module_name, path)
        found["here"] = _is_here(top, elsewhere.origin if elsewhere else None)
    except ModuleNotFoundError as error:
        found = {"error": f"there is no module {error.name}", "hint": HINT}
    except BaseException as error:
        found = {
            "error": f"importing {module_name} raised {type(error).__qualname__}: {error}",
            "hint": "correct it",
        }
    json.dump(found, report)
    report.flush()
    os._exit(0)  # whatever was started by the import


def _is_here(top: str, elsewhere: str | None) -> bool:
    """Whether the module is what it is only because of the folder that we are in."""
    file = getattr(sys.modules[top], "__file__", None) or next(iter(getattr(sys.modules[top], "__path__", ())), "")
    in_folder = os.path.realpath(file).startswith(os.path.join(os.path.realpath(os.getcwd()), ""))
    return in_folder and (elsewhere is None or os.path.realpath(elsewhere) != os.path.realpath(file))


def _look(module_name: str, path: str) -> dict[str, object]:
    found: Any = importlib.import_module(module_name)
    for name in path.split("."):
        if not hasattr(found, name):
            there = [other for other in sorted(vars(found)) if callable(getattr(found, other)) and other[0] != "_"]
            return {"error": f"there is no {path} in {module_name}", "hint": f"there are {', '.join(there[:12])}"}
        found = getattr(found, name)
    if not callable(found):
        return {"error": f"{module_name}:{path} cannot be called", "hint": "name a function of one text"}
    home = getattr(found, "__module__", None) or module_name
    if home not in sys.modules or home == "builtins":
        home = module_name
    return {
        "home": home,
        "package": home if hasattr(sys.modules[home], "__path__") else home.rpartition(".")[0],
        "required": _required(found),
        "exceptions": [_described(one) for one in _exceptions(home.split(".")[0])],
    }


def _required(function: object) -> int | None:
    """How many arguments the function cannot do without; None if that cannot be known."""
    assert callable(function)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return sum(one.default is inspect.Parameter.empty and one.kind not in kinds for one in parameters)


def _exceptions(package: str) -> Iterator[type[Exception]]:
    """The exception types that the modules of a package define, among those that are loaded."""
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == package:
            for value in list(vars(module).values()):
                is_exception = isinstance(value, type) and issubclass(value, Exception)
                if is_exception and value.__module__ == name and not issubclass(value, Warning):
                    yield value


def _described(kind: type[Exception]) -> list[str]:
    """Its name, then those of its ancestors."""
    return [f"{one.__module__}.{one.__qualname__}" for one in kind.__mro__ if issubclass(one, Exception)]


if __name__ == "__main__":
    main(*sys.argv[1:])
