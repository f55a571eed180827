"""The `[target]` table of a subject comes in; checked settings go out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bonsai.durations import parse_duration
from bonsai.tables import Table

_SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A Python callable that reads one text: `call` is "module:function", `cover` the modules that guide growth.

    Modules are looked for in the subject's folder, then in those of `path`, then where Python does.
    """

    engine: ClassVar[str] = "python"
    call: str
    cover: tuple[str, ...]
    invalid: tuple[str, ...]
    unparsed: tuple[str, ...]
    timeout: float
    memory: int
    path: tuple[str, ...] = ()
    hash_seed: int = 0  # sets have the same order in every run, unless asked otherwise

    def folders(self, subject: Path) -> list[Path]:
        """Where modules are looked for first; `path` is relative to the subject's folder."""
        return [subject.resolve(), *((subject / folder).resolve() for folder in self.path)]


@dataclass(frozen=True, slots=True)
class JvmTarget:
    """A Java class with a method `check(String)`: `classpath` and `maven` say where it is and what it needs."""

    engine: ClassVar[str] = "jvm"
    driver: str
    classpath: tuple[str, ...]
    maven: tuple[str, ...]
    cover: tuple[str, ...]
    invalid: tuple[str, ...]
    unparsed: tuple[str, ...]
    java: str
    heap: int
    timeout: float
    options: tuple[str, ...] = ()


TargetSettings = PythonTarget | JvmTarget


def read_target(table: Table) -> TargetSettings:
    """The settings of a target, for the engine that it names."""
    engine = table.string("engine")
    if engine not in _READERS:
        names = ", ".join(f'"{name}"' for name in _READERS)
        raise table.error("engine", f"unknown engine {engine!r}", f"the engines are {names}")
    target = _READERS[engine](table)
    table.finish()
    return target


def _read_python(table: Table) -> PythonTarget:
    call = table.string("call")
    if not re.fullmatch(r"[\w.]+:[\w.]+", call):
        raise table.error("call", f"{call!r} names no function", 'write call = "package.module:function"')
    return PythonTarget(
        call=call,
        cover=table.strings("cover", (call.split(":")[0],)),
        invalid=table.strings("invalid", ()),
        unparsed=table.strings("unparsed", ()),
        timeout=_duration(table, "timeout", "2s"),
        memory=_size(table, "memory", "1GiB"),
        path=table.strings("path", ()),
    )


def _read_jvm(table: Table) -> JvmTarget:
    driver = table.string("driver")
    if not re.fullmatch(r"[\w$]+(\.[\w$]+)*", driver):
        raise table.error("driver", f"{driver!r} names no class", 'write driver = "package.Class"')
    cover = table.strings("cover", (driver,))
    for pattern in cover:
        if not re.fullmatch(r"!?[\w$.*]+", pattern):
            raise table.error(
                "cover", f"{pattern!r} is no pattern", 'write "package.*", or "!package.*" to exclude'
            )
    return JvmTarget(
        driver=driver,
        classpath=table.strings("classpath", ()),
        maven=table.strings("maven", ()),
        cover=cover,
        invalid=table.strings("invalid", ()),
        unparsed=table.strings("unparsed", ()),
        java=table.string("java", "java"),
        heap=_size(table, "heap", "1GiB"),
        timeout=_duration(table, "timeout", "10s"),
        options=table.strings("options", ()),
    )


_READERS: dict[str, Callable[[Table], TargetSettings]] = {"python": _read_python, "jvm": _read_jvm}


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
