"""The process of a Python target: imports the target, and runs it on the texts of each request.

Nothing of the target is imported before the hook is in, and nothing that a target could want instrumented is kept.
"""

import importlib
import json
import os
import resource
import sys
from collections.abc import Callable, Iterable
from typing import Any

from bonsai.targets.python.channel import Channel
from bonsai.targets.python.hook import Coverage, install
from bonsai.targets.python.modules import source_files
from bonsai.targets.python.verdicts import Exceptions, Exercised, Runner, describe

_COROUTINE = 0x80  # the flag of the code of an `async def`


class StartError(Exception):
    """The target cannot be started: what is wrong, and what to do."""


def main(descriptors: Iterable[str]) -> None:
    """Serve until the loop ends."""
    channel = Channel(*map(int, descriptors))
    settings = json.loads(channel.greeting())
    try:
        runner, features = prepare(settings)
    except StartError as error:
        message, hint = error.args
        channel.answer(json.dumps({"error": message, "hint": hint}).encode())
        os._exit(1)
    channel.answer(json.dumps({"features": features}).encode())
    run = runner.run
    try:
        while True:
            texts, wanted = channel.request()
            for text in texts:
                channel.result(run(text, wanted))
            channel.ring()
    except MemoryError:
        channel.end_without_memory()


def prepare(settings: dict[str, Any]) -> tuple[Runner, list[str]]:
    """Import the target with its probes; raises `StartError`."""
    sys.argv = [""]
    _limit_memory(settings["memory"])
    for folder in settings["folders"]:
        if not os.path.isdir(folder):
            raise StartError(f"path: there is no folder {folder}", "it is relative to the folder of bonsai.toml")
    sys.path[:0] = settings["folders"]
    coverage = _cover(settings["cover"], settings["omit"], settings["call"])
    install(coverage)
    check = _callable(settings["call"], settings["folders"])
    errors = importlib.import_module("bonsai.errors")  # only now: it may itself be covered
    reports = importlib.import_module("bonsai.reports").reports
    invalid = (errors.Invalid, *_exceptions("invalid", settings["invalid"]))
    unparsed = (errors.Unparsed, *_exceptions("unparsed", settings["unparsed"]))
    features = [*coverage.features, *(f"reported:{name}" for name in reports.close())]
    return Runner(check, Exercised(coverage.probes, reports), invalid, unparsed), features


def _limit_memory(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # elsewhere it is not enforced, or cannot be set
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        if most == resource.RLIM_INFINITY or limit <= most:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _cover(patterns: Iterable[str], omit: Iterable[int], call: str) -> Coverage:
    files = {}
    for pattern in patterns:
        found = source_files(pattern)
        if not found and pattern == call.partition(":")[0] and "." not in pattern:
            raise StartError(f"call: there is no {pattern}.py, which {call!r} names", "is it on the path?")
        if not found:
            hint = 'is it on the path? Name a module, or write "package.*" for a package and all that is below it'
            raise StartError(f"cover: there is no Python source for {pattern!r}", hint)
        files.update(found)
    try:
        return Coverage(files, frozenset(omit))
    except SyntaxError as error:
        raise StartError(f"cover: {error.msg} ({error.filename}:{error.lineno})", "correct it") from None


def _callable(call: str, folders: list[str]) -> Callable[[str], object]:
    module_name, _, path = call.partition(":")
    found: Any = _module(module_name, folders)
    for name in path.split("."):
        if not hasattr(found, name):
            raise StartError(f"call: there is no {path} in {module_name}", f"it is {_origin(module_name)}")
        found = getattr(found, name)
    if not callable(found):
        raise StartError(f"call: {call} cannot be called", "name a function of one argument, the text")
    if getattr(getattr(found, "__code__", None), "co_flags", 0) & _COROUTINE:
        raise StartError(f"call: {call} is asynchronous", "write a function that calls asyncio.run on it")
    checked: Callable[[str], object] = found
    return checked


def _module(name: str, folders: list[str]) -> object:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            hint = f"modules are looked for in {', '.join(folders)}, then where Python does: is it on the path?"
            raise StartError(f"call: there is no module {error.name}", hint) from None
        raise StartError(f"call: {name} needs the module {error.name}", f"install {error.name}") from None
    except BaseException as error:
        hint = f'"{sys.executable}" -c "import {name}" shows more, in {folders[0]}'
        raise StartError(f"call: importing {name} raised {describe(error)}", hint) from None


def _origin(module: str) -> str:
    return str(getattr(sys.modules[module], "__file__", None) or "built in")


def _exceptions(key: str, names: Iterable[str]) -> Exceptions:
    return tuple(_exception(key, name) for name in names)


def _exception(key: str, qualified: str) -> type[BaseException]:
    """An exception type by name, such as `package.module.Class`, or `ValueError`."""
    parts = qualified.split(".")
    for length in range(len(parts) - 1, -1, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]) or "builtins")
            for name in parts[length:]:
                found = getattr(found, name)
        except (ImportError, AttributeError):
            continue
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
    raise StartError(f"{key}: there is no exception {qualified!r}", 'write "package.module.Class", or "ValueError"')
