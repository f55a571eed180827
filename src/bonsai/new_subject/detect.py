"""The name of a function comes in; how to call it, what to cover, and which exceptions are verdicts go out."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bonsai.errors import BonsaiError

PROBE = Path(__file__).parent / "probe.py"
PATIENCE = 120.0  # seconds for an import
MOST_EXCEPTIONS = 6
_OF_PARSERS = re.compile(r"Pars|Syntax|Lex|Token|Scan|Decod|Malformed|Unexpected")
_OF_PROGRAMS = re.compile(r"(?:Error|Exception|Invalid\w*)$")


@dataclass(frozen=True, slots=True)
class Detected:
    """What a look at a function shows; `path` is where to look for it, beside the places where Python does."""

    module: str
    function: str
    cover: tuple[str, ...]
    invalid: tuple[str, ...]
    unparsed: tuple[str, ...]
    path: tuple[Path, ...] = ()


def detect(call: str) -> Detected:
    """Import the function in another process and look around."""
    if not re.fullmatch(r"[\w.]+:[\w.]+", call):
        raise BonsaiError(f"--call: {call!r} names no function", "write --call package.module:function")
    module, _, function = call.partition(":")
    found = _probe(module, function)
    if "error" in found:
        raise BonsaiError(f"--call: {found['error']}", found["hint"])
    if found["required"] not in (1, None):
        raise BonsaiError(
            f"--call: {call} takes {found['required']} arguments, not one text",
            "put a function of one text into a file, and name that",
        )
    invalid, unparsed = _verdicts(found["exceptions"])
    path = (Path.cwd(),) if found["here"] else ()
    return Detected(module, function, _cover(found["home"], found["package"]), invalid, unparsed, path)


def _probe(module: str, function: str) -> dict[str, Any]:
    command = [sys.executable, "-P", str(PROBE), module, function]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        found: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise BonsaiError(f"--call: importing {module} takes too long", "see what it does when imported") from None
    except ValueError:
        raise BonsaiError(
            f"--call: importing {module} ended the process", "see what it does when imported"
        ) from None
    return found


def _cover(home: str, package: str) -> tuple[str, ...]:
    """The package that the function is in, and all that is below; a module alone if it is in none."""
    return (f"{package}.*",) if package else (home,)


def _verdicts(exceptions: list[list[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that say that an input is invalid, and that it is unparsed: by their names, the most general ones."""
    names = {one[0] for one in exceptions}
    of_parsers = {name for name in names if _OF_PARSERS.search(name.rpartition(".")[2])}
    unparsed = [one[0] for one in exceptions if one[0] in of_parsers and not of_parsers.intersection(one[1:])]
    others = {name for name in names - of_parsers if _OF_PROGRAMS.search(name)}
    invalid = [one[0] for one in exceptions if one[0] in others and not others.intersection(one[1:])]
    return tuple(invalid[:MOST_EXCEPTIONS]), tuple(unparsed[:MOST_EXCEPTIONS] or ["SyntaxError"])
