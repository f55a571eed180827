"""A run directory comes in; what `run.json` and `run.sqlite` say goes out, as plain values."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bonsai.bounds import Bounds
from bonsai.captions import Caption, Unparsed
from bonsai.cbgf import Finding, Growth
from bonsai.corpus import Input
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.outputs import DATABASE, SUMMARY, require_finished
from bonsai.schema import require_schema
from bonsai.store import NodeRun, require_sound_run
from bonsai.targets.execution import Outcome

_TEXTS_AND_NUMBERS: dict[str, Any] = {
    "subject": str,
    "folder": str,
    "seconds": int | float,
    "executions": int,
    "duplicates_skipped": int,
    "executions_per_second": int | float,
}
_FIGURES = {
    "features": ("covered", "total", "by_valid", "unstable"),
    "corpus": ("files", "valid", "invalid", "mean_size", "median_size", "max_size", "total_size"),
    "findings": ("crashes", "timeouts"),
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is over, as its directory tells it."""

    summary: dict[str, Any]
    features: list[str]
    takers: dict[int, int]  # of each covered feature a mask of the tests that exercise it, by their places
    corpus: list[Input]
    files: list[str]
    captions: list[Caption]
    nodes: list[NodeRun]
    growth: list[Growth]
    findings: list[Finding]
    unparsed: list[Unparsed]


def read_run(folder: Path) -> Recorded:
    """The run in a directory."""
    if not (folder / DATABASE).is_file():
        raise BonsaiError(f"there is no run in {folder}", f"a run directory has a {DATABASE}; see bonsai grow")
    require_finished(folder)
    address = f"{(folder / DATABASE).resolve().as_uri()}?mode=ro"
    with _reading(folder), closing(sqlite3.connect(address, uri=True)) as it:
        require_sound_run(it, folder)
        masks, takers = _hits(it)
        rows = it.execute(
            "SELECT id, text, choices, valid, name, rules, message, output FROM inputs ORDER BY id"
        ).fetchall()
        return Recorded(
            summary=_summary(folder / SUMMARY),
            features=[name for (name,) in it.execute("SELECT name FROM features ORDER BY id")],
            takers=takers,
            corpus=[Input(row[1], tuple(json.loads(row[2])), bool(row[3]), masks.get(row[0], 0)) for row in rows],
            files=[row[4] for row in rows],
            captions=[Caption(row[4], tuple(json.loads(row[5])), row[6], row[7]) for row in rows],
            nodes=[_node(row) for row in it.execute("SELECT * FROM nodes ORDER BY id")],
            growth=[Growth(*row) for row in it.execute("SELECT * FROM growth")],
            findings=[Finding(Outcome(row[0]), *row[1:]) for row in it.execute("SELECT * FROM findings")],
            unparsed=[Unparsed(a, b, tuple(json.loads(c))) for a, b, c in it.execute("SELECT * FROM unparsed")],
        )


def _node(row: tuple[Any, ...]) -> NodeRun:
    _, idents, items, depth, *values = row
    figures = dict(zip(NodeRun.__slots__[1:], values, strict=True))
    return NodeRun(Bounds(idents, items, depth), **figures | {"stopped": Ending(figures["stopped"])})


def _summary(path: Path) -> dict[str, Any]:
    """Returns what `run.json` says. Raises an error if it does not say what every run says."""
    summary = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(summary, dict):
        raise ValueError(f"{path.name} is not an object")
    require_schema(summary.get("schema"), path)
    for key, kind in _TEXTS_AND_NUMBERS.items():
        if not isinstance(summary.get(key), kind):
            raise ValueError(f"{path.name} has no {key}")
    for key, names in _FIGURES.items():
        figures = summary.get(key)
        if not isinstance(figures, dict) or not all(isinstance(figures.get(name), int | float) for name in names):
            raise ValueError(f"{path.name} has no {key}")
    return summary


def _hits(database: sqlite3.Connection) -> tuple[dict[int, int], dict[int, int]]:
    """For each input a mask of features; for each feature a mask of the places of inputs, from 0."""
    inputs: dict[int, bytearray] = {}  # ones are set in place: a number would be copied for each
    features: dict[int, bytearray] = {}
    tests, names = (
        database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("inputs", "features")
    )
    for one, feature in database.execute("SELECT input, feature FROM hits"):
        if one not in inputs:
            inputs[one] = bytearray(names // 8 + 1)
        if feature not in features:
            features[feature] = bytearray(tests // 8 + 1)
        inputs[one][feature >> 3] |= 1 << (feature & 7)
        features[feature][(one - 1) >> 3] |= 1 << ((one - 1) & 7)
    masks, takers = (
        {key: int.from_bytes(mask, "little") for key, mask in some.items()} for some in (inputs, features)
    )
    return masks, takers


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        raise BonsaiError(
            f"the run in {folder} cannot be read: {error}", "it is damaged, or of another version of Bonsai"
        ) from None
