"""The `[target]` table of a subject comes in; checked settings go out."""

import re
from dataclasses import dataclass
from typing import ClassVar

from bonsai.durations import parse_duration
from bonsai.tables import Table

_SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A Python callable that reads one text: `call` is "module:function", `cover` the modules that guide growth."""

    engine: ClassVar[str] = "python"
    call: str
    cover: tuple[str, ...]
    invalid: tuple[str, ...]
    unparsed: tuple[str, ...]
    timeout: float
    memory: int
    hash_seed: int = 0  # sets have the same order in every run, unless asked otherwise


def read_target(table: Table) -> PythonTarget:
    """The settings of a target; so far there is one engine, python."""
    engine = table.string("engine")
    if engine != "python":
        raise table.error("engine", f"unknown engine {engine!r}", 'the engines are "python"')
    call = table.string("call")
    if not re.fullmatch(r"[\w.]+:[\w.]+", call):
        raise table.error("call", f"{call!r} names no function", 'write call = "package.module:function"')
    target = PythonTarget(
        call=call,
        cover=table.strings("cover", (call.split(":")[0],)),
        invalid=table.strings("invalid", ()),
        unparsed=table.strings("unparsed", ()),
        timeout=_duration(table, "timeout", "2s"),
        memory=_size(table, "memory", "1GiB"),
    )
    table.finish()
    return target


def _duration(table: Table, key: str, default: str) -> float:
    text = table.string(key, default)
    seconds = parse_duration(text)
    if seconds is None:
        raise table.error(key, f"{text!r} is no duration", f'write {key} = "2s" or "500ms"')
    return seconds


def _size(table: Table, key: str, default: str) -> int:
    text = table.string(key, default)
    size = parse_size(text)
    if size is None:
        raise table.error(key, f"{text!r} is no amount of memory", f'write {key} = "1GiB" or "512MiB"')
    return size


def parse_size(text: str) -> int | None:
    """The bytes of an amount of memory that is more than none; None if the text is no such thing."""
    match = re.fullmatch(r"(\d+)(KiB|MiB|GiB)", text)
    return int(match[1]) * _SIZES[match[2]] or None if match else None
