"""Reads everything in the folder of a run except times, so that two runs can be compared."""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bonsai.checkpoint import from_bytes

Everything = dict[str, object]

TIMES = {"seconds", "executions_per_second"}
OF_THE_MACHINE = {"jobs"}  # how a run was executed, not what came out
LOGS = {"events"}  # tables that say when something happened
DATABASE = "run.sqlite"
OWN_COMPARISON = {DATABASE, "run.json", "report.html"}  # files that hold times


def everything_in(folder: Path) -> Everything:
    """Returns what is in the folder of a complete run, without times, as flat names and plain values."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    found: Everything = {
        f"file {path.relative_to(folder)}": path.read_bytes().decode("utf-8", "surrogateescape")
        for path in files
        if path.name not in OWN_COMPARISON and not path.name.startswith(".")
    }
    found["names"] = sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if not path.name.startswith(".")
    )
    summary = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    found |= {f"run.json {key}": value for key, value in without_times(summary).items()}
    found |= _tables(folder / DATABASE)
    return found


def _tables(path: Path) -> Everything:
    """Returns each table as a list of rows. Results are decoded, one entry for each task."""
    found: Everything = {}
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert {"inputs", "nodes", "results", "checkpoints", "features"} <= set(tables)
        for table in sorted(set(tables) - LOGS):
            rows = [dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid")]
            if table == "results":
                for row in rows:
                    found[f"results {row['task']}"] = {key: _decoded(value) for key, value in row.items()}
            elif table == "asked":
                found[table] = [without_times(json.loads(value)) for row in rows for value in row.values()]
            else:
                found[table] = [without_times(row) for row in rows]
    return found


def _decoded(value: object) -> object:
    if not isinstance(value, bytes):
        return value
    try:
        return without_times(from_bytes(value))
    except (ValueError, KeyError, zlib.error):
        return value


def without_times(value: Any) -> Any:
    """Returns the value as dictionaries, lists and scalars, without anything that is called a time."""
    if is_dataclass(value):
        return without_times({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in TIMES | OF_THE_MACHINE}
        return {without_times(key): without_times(inner) for key, inner in kept.items()}
    if isinstance(value, list | tuple):
        return [without_times(inner) for inner in value]
    return value.value if isinstance(value, Enum) else value


def differences(expected: Everything, actual: Everything) -> list[str]:
    """Returns one line for each place where two runs differ; an empty list if they are equal."""
    found = []
    for name in sorted(expected.keys() | actual.keys()):
        if name not in actual:
            found.append(f"{name}: is missing")
        elif name not in expected:
            found.append(f"{name}: is new: {_short(actual[name])}")
        else:
            found += _within(name, expected[name], actual[name])
    return found


def require_equal(expected: Everything, actual: Everything, about: str) -> None:
    """Fails with the first differences, one line each, if two runs are not equal."""
    found = differences(expected, actual)
    shown = "\n  ".join(found[:20])
    assert not found, f"{about}: {len(found)} differences\n  {shown}"


def _within(name: str, expected: object, actual: object) -> Iterator[str]:
    if type(expected) is type(actual) and isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            yield from _within(f"{name}.{key}", expected.get(key), actual.get(key))
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from _within(f"{name}[{index}]", left, right)
    elif isinstance(expected, list) and isinstance(actual, list):
        missing = [one for one in expected if one not in actual]
        new = [one for one in actual if one not in expected]
        yield f"{name}: {len(expected)} rows became {len(actual)}: without {_short(missing)}, with {_short(new)}"
    elif isinstance(expected, str) and isinstance(actual, str) and "\n" in expected:
        for left, right in zip_longest(expected.splitlines(), actual.splitlines()):
            if left != right:
                yield f"{name}: the line {_short(left)} became {_short(right)}"
                return
    elif expected != actual:
        yield f"{name}: {_short(expected)} became {_short(actual)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:150]}… ({len(text)} characters)"
