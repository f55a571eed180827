"""The names of program files come in; a line of JSON for each goes out: its typed tree, with its errors.

Exits with 0 if all programs are valid, with 1 if one is not, and with 2 if a file cannot be read.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bonsai.errors import BonsaiError
from bonsai.subjects.chocopy import analyse


def main(arguments: list[str] | None = None) -> int:
    """Analyse the files and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bonsai.subjects.chocopy",
        description="Type-check ChocoPy programs; print the typed syntax tree of each as a line of JSON.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a ChocoPy program")
    files: list[Path] = parser.parse_args(arguments).files
    code = 0
    for file in files:
        try:
            answer = analyse(_read(file))
        except BonsaiError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        print("".join(_json(answer)))
        if answer["errors"]["errors"]:
            code = 1
    return code


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise BonsaiError(
            f"cannot read {file}: {error.strerror}", "give the name of a readable ChocoPy program"
        ) from error


def _json(answer: dict[str, Any]) -> Iterator[str]:
    """The parts of the answer's JSON. With a stack of its own, since `json` cannot write a deep tree."""
    pending: list[Any] = [answer]
    while pending:
        part = pending.pop()
        if isinstance(part, _Text):
            yield part
        elif isinstance(part, dict):
            pending.append(_Text("}"))
            entries = list(part.items())
            for place in range(len(entries) - 1, -1, -1):
                key, value = entries[place]
                pending += (value, _Text((", " if place else "") + json.dumps(key) + ": "))
            yield "{"
        elif isinstance(part, list):
            pending.append(_Text("]"))
            for place in range(len(part) - 1, -1, -1):
                pending.append(part[place])
                if place:
                    pending.append(_Text(", "))
            yield "["
        else:
            yield json.dumps(part)


class _Text(str):
    """JSON that is ready, between values that are still to be written."""

    __slots__ = ()


if __name__ == "__main__":
    sys.exit(main())
