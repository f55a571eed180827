"""A finished run comes in; its run directory goes out: the corpus as files, findings, `run.json` and `run.sqlite`.

Everything is written beside the directory first and then moved into place: nothing half-written is ever seen.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from bonsai.bounds import Bounds
from bonsai.cbgf import Finding, Growth
from bonsai.corpus import Input, bits
from bonsai.errors import BonsaiError
from bonsai.targets.execution import Outcome

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class NodeRun:
    """What one fuzzer did."""

    bounds: Bounds
    validity: str
    executions: int
    generated: int
    duplicates: int
    seconds: float
    covered: int
    members: int
    residual: float
    stopped: str


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked and what came out. `asked` are the first keys of `run.json`, in the words of the command."""

    asked: dict[str, object]
    suffix: str
    features: Sequence[str]
    corpus: list[Input]
    covered: int
    covered_by_valid: int
    unstable: int
    findings: list[Finding]
    nodes: list[NodeRun]
    growth: list[Growth]
    seconds: float

    def summary(self) -> dict[str, object]:
        """`run.json`."""
        executions = sum(node.executions for node in self.nodes)
        return {
            "schema": SCHEMA,
            **self.asked,
            "seconds": round(self.seconds, 3),
            "executions": executions,
            "duplicates_skipped": sum(node.duplicates for node in self.nodes),
            "executions_per_second": round(executions / self.seconds, 1) if self.seconds else 0,
            "nodes": [{**asdict(node), "bounds": list(asdict(node.bounds).values())} for node in self.nodes],
            "features": {
                "covered": self.covered.bit_count(),
                "total": len(self.features),
                "by_valid": self.covered_by_valid.bit_count(),
                "unstable": self.unstable.bit_count(),
            },
            "corpus": sizes(self.corpus),
            "findings": {
                "crashes": sum(one.outcome is Outcome.CRASH for one in self.findings),
                "timeouts": sum(one.outcome is Outcome.TIMEOUT for one in self.findings),
            },
        }


def sizes(corpus: Sequence[Input]) -> dict[str, object]:
    """How many files, how many of them valid, and how large: characters without white space."""
    found = [one.size[0] for one in corpus] or [0]
    valid = sum(one.valid for one in corpus)
    return {
        "files": len(corpus),
        "valid": valid,
        "invalid": len(corpus) - valid,
        "mean_size": round(fmean(found), 3),
        "median_size": median(found),
        "max_size": max(found),
        "total_size": sum(found),
    }


def require_free(folder: Path) -> None:
    """Refuse to write where something is already."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        raise BonsaiError(f"{folder} exists", "name another folder with -o, or add --force to replace it")


def write_run(folder: Path, run: Run) -> None:
    """The run directory, all at once; one that is there is replaced."""
    made = folder.parent / f".{folder.name}.{os.getpid()}.part"
    try:
        made.mkdir(parents=True)
        _write_corpus(made / "corpus", run)
        _write_findings(made / "findings", run)
        _write_database(made / "run.sqlite", run)
        _write(made / "run.json", json.dumps(run.summary(), indent=2) + "\n")
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    except OSError as error:
        raise BonsaiError(
            f"cannot write {folder}: {error.strerror}", "is the disk full, or the folder read-only?"
        ) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _write_corpus(folder: Path, run: Run) -> None:
    for name, wanted in (("valid", True), ("invalid", False)):
        (folder / name).mkdir(parents=True)
        for place, one in enumerate((one for one in run.corpus if one.valid is wanted), start=1):
            _write(folder / name / f"{place:04}{run.suffix}", one.text)


def _write_findings(folder: Path, run: Run) -> None:
    folder.mkdir()
    for place, finding in enumerate(run.findings, start=1):
        stem = f"{place:04}-{finding.outcome.value}"
        _write(folder / f"{stem}{run.suffix}", finding.text)
        _write(folder / f"{stem}.message.txt", f"{finding.message}\nseen {finding.times} times\n")


_TABLES = """
CREATE TABLE nodes (id INTEGER PRIMARY KEY, idents, items, depth, validity, executions, generated, duplicates,
                    seconds, covered, members, residual, stopped);
CREATE TABLE features (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE inputs (id INTEGER PRIMARY KEY, text TEXT, choices TEXT, valid INTEGER, size INTEGER);
CREATE TABLE hits (input INTEGER REFERENCES inputs, feature INTEGER REFERENCES features);
CREATE TABLE growth (executions, seconds, covered, covered_by_valid, members, mean_size);
CREATE TABLE findings (outcome TEXT, message TEXT, text TEXT, times INTEGER);
"""


def _write_database(path: Path, run: Run) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(_TABLES)
        for node in run.nodes:
            bounds, *rest = (getattr(node, name) for name in NodeRun.__slots__)
            row = (bounds.idents, bounds.items, bounds.depth, *rest)
            database.execute(f"INSERT INTO nodes VALUES (NULL{', ?' * len(row)})", row)
        database.executemany("INSERT INTO features VALUES (?, ?)", enumerate(run.features))
        for place, one in enumerate(run.corpus, start=1):
            row = (place, _storable(one.text), json.dumps(one.choices), one.valid, one.size[0])
            database.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?)", row)
            database.executemany(
                "INSERT INTO hits VALUES (?, ?)", ((place, feature) for feature in bits(one.features))
            )
        points = ([getattr(point, name) for name in Growth.__slots__] for point in run.growth)
        database.executemany("INSERT INTO growth VALUES (?, ?, ?, ?, ?, ?)", points)
        found = ((f.outcome.value, _storable(f.message), _storable(f.text), f.times) for f in run.findings)
        database.executemany("INSERT INTO findings VALUES (?, ?, ?, ?)", found)


def _storable(text: str) -> str:
    """A text that SQLite takes: lone surrogates are escaped. The files have the text as it is."""
    return text.encode("utf-8", "backslashreplace").decode()
