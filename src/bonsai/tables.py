"""A TOML file comes in; its tables go out through readers that refuse what is unknown, missing or of a wrong type.

Every error names the file and the line of the key that it is about.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bonsai.errors import BonsaiError


class Table:
    """One table of a TOML file. Ask for the keys that there may be, then `finish` to refuse all others."""

    def __init__(self, path: Path, text: str, names: tuple[str, ...], data: dict[str, Any]) -> None:
        self.path = path
        self._text = text
        self._names = names
        self._data = data
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def string(self, key: str, default: str | None = None) -> str:
        """A text; required if there is no default."""
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"{key} is not a text", f'write {key} = "..."')
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number; required if there is no default."""
        value = self._get(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(key, f"{key} is not a whole number", f"write {key} = 3, say")
        return value

    def strings(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of texts; required if there is no default."""
        value = self._get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"{key} is not a list of texts", f'write {key} = ["...", "..."]')
        return tuple(value)

    def table(self, key: str) -> "Table":
        """A table inside this one; empty if it is not there."""
        value = self._get(key, {})
        names = (*self._names, key)
        if not isinstance(value, dict):
            raise self.error(key, f"{key} is not a table", f"write [{'.'.join(names)}] and its keys below")
        return Table(self.path, self._text, names, value)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._data:
            if key not in self._asked:
                known = ", ".join(dict.fromkeys(self._asked))
                raise self.error(key, f"unknown key {key!r} in {self._title}", f"the keys there are {known}")

    @property
    def _title(self) -> str:
        return f"[{'.'.join(self._names)}]" if self._names else "the file"

    def _get(self, key: str, default: Any) -> Any:
        self._asked.append(key)
        if key in self._data:
            return self._data[key]
        if default is None:
            raise self.error(None, f"{key!r} is missing in {self._title}", f"add {key} = ... there")
        return default

    def error(self, key: str | None, message: str, hint: str) -> BonsaiError:
        """An error about one key of this table, or about the table itself."""
        return BonsaiError(f"{self.place(key)}: {message}", hint)

    def place(self, key: str | None) -> str:
        """Where a key of this table stands, or the table itself: `bonsai.toml:12`."""
        names = self._names if key is None else (*self._names, key)
        line = _line_of(self._text, names) if names else None
        return f"{self.path}:{line}" if line else str(self.path)


def _line_of(text: str, names: tuple[str, ...]) -> int | None:
    """The line on which a key begins: the first that makes the text above it, which has no such key, have it."""
    lines = text.replace("\r\n", "\n").split("\n")
    above = 0
    for number in range(1, len(lines) + 1):
        try:
            data = tomllib.loads("\n".join(lines[:number]))
        except tomllib.TOMLDecodeError:
            continue  # inside a value of several lines
        if _holds(data, names):
            return above + 1
        above = number
    return None


def _holds(data: Any, names: tuple[str, ...]) -> bool:
    for name in names:
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return True


def read_toml(path: Path) -> Table:
    """The root table of a TOML file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BonsaiError(f"{path}: cannot read it: {error.strerror}", "check the path") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BonsaiError(f"{path}:{line}: not UTF-8 text", "save the file in UTF-8") from None
    try:
        return Table(path, text, (), tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else text.rstrip().count("\n") + 1  # at the end of the document
        reason = re.sub(r"\s*\(at .*\)", "", str(error))
        raise BonsaiError(f"{path}:{line}: not TOML: {reason}", "texts need quotes, lists need [ ]") from None
    except RecursionError:
        raise BonsaiError(f"{path}: not TOML: nested too deeply", "tables and lists nest a few levels") from None
