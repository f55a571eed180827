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

    def __init__(self, path: Path, text: str, name: str, data: dict[str, Any]) -> None:
        self.path = path
        self._text = text
        self._name = name
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
        name = f"{self._name}.{key}" if self._name else key
        if not isinstance(value, dict):
            raise self.error(key, f"{key} is not a table", f"write [{name}] and its keys below")
        return Table(self.path, self._text, name, value)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._data:
            if key not in self._asked:
                where = f"[{self._name}]" if self._name else "the file"
                known = ", ".join(self._asked)
                raise self.error(key, f"unknown key {key!r} in {where}", f"the keys there are {known}")

    def _get(self, key: str, default: Any) -> Any:
        self._asked.append(key)
        if key in self._data:
            return self._data[key]
        if default is None:
            where = f"[{self._name}]" if self._name else "the file"
            raise self.error(None, f"{key!r} is missing in {where}", f"add {key} = ... there")
        return default

    def error(self, key: str | None, message: str, hint: str) -> BonsaiError:
        """An error about one key of this table, or about the table itself."""
        line = self._line_of(key)
        return BonsaiError(f"{self.path}{f':{line}' if line else ''}: {message}", hint)

    def _line_of(self, key: str | None) -> int | None:
        inside = self._name == ""
        header_line = None
        for number, line in enumerate(self._text.splitlines(), start=1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
            if header:
                name = header[1].replace('"', "")
                inside = name == self._name
                if inside:
                    header_line = number
                wanted = f"{self._name}.{key}" if self._name else key
                if key is not None and (name == wanted or name.startswith(f"{wanted}.")):
                    return number
            elif inside and key is not None and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", line):
                return number
        return header_line


def read_toml(path: Path) -> Table:
    """The root table of a TOML file."""
    try:
        text = path.read_bytes().decode("utf-8")
        return Table(path, text, "", tomllib.loads(text))
    except OSError as error:
        raise BonsaiError(f"{path}: cannot read it: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise BonsaiError(f"{path}: not UTF-8 text", "save the file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = f":{place[1]}" if place else ""
        reason = re.sub(r"\s*\(at .*\)", "", str(error))
        raise BonsaiError(f"{path}{line}: not TOML: {reason}", "texts need quotes, lists need [ ]") from None
