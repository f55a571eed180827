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
from bonsai.errors import BonsaiError
from bonsai.outputs import DATABASE, SUMMARY, require_finished
from bonsai.store import NodeRun
from bonsai.targets.execution import Outcome


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
        masks, takers = _hits(it)
        rows = it.execute(
            "SELECT id, text, choices, valid, name, rules, message, output FROM inputs ORDER BY id"
        ).fetchall()
        return Recorded(
            summary=json.loads((folder / SUMMARY).read_text(encoding="utf-8")),
            features=[name for (name,) in it.execute("SELECT name FROM features ORDER BY id")],
            takers=takers,
            corpus=[Input(row[1], tuple(json.loads(row[2])), bool(row[3]), masks.get(row[0], 0)) for row in rows],
            files=[row[4] for row in rows],
            captions=[Caption(row[4], tuple(json.loads(row[5])), row[6], row[7]) for row in rows],
            nodes=[NodeRun(Bounds(*row[1:4]), *row[4:]) for row in it.execute("SELECT * FROM nodes ORDER BY id")],
            growth=[Growth(*row) for row in it.execute("SELECT * FROM growth")],
            findings=[Finding(Outcome(row[0]), *row[1:]) for row in it.execute("SELECT * FROM findings")],
            unparsed=[Unparsed(a, b, tuple(json.loads(c))) for a, b, c in it.execute("SELECT * FROM unparsed")],
        )


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
    except (sqlite3.Error, ValueError, TypeError, OSError) as error:
        raise BonsaiError(
            f"the run in {folder} cannot be read: {error}", "it is damaged, or of another version of Bonsai"
        ) from None
