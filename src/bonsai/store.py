"""A run comes in; its run directory goes out: the corpus as files, findings, `run.json` and `run.sqlite`.

While a run is going on, `run.sqlite` keeps what was asked, the results of all nodes that are done, and the latest
checkpoints of the others; that is all it takes to resume. Everything else is made from it in the end. `outputs`
puts the files into the folder: nothing half-written is ever seen.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Any, overload

from bonsai.bounds import Bounds
from bonsai.captions import INDEX, Caption, Unparsed, file_names, index
from bonsai.cbgf import Finding, Growth
from bonsai.checkpoint import Stored, is_readable
from bonsai.corpus import Input, bits
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.outputs import DATABASE, SUMMARY, Existing, Output, OutputKind, require_unchanged, writing
from bonsai.schema import SCHEMA, create_tables, require_sound
from bonsai.targets.execution import Outcome
from bonsai.wording import counted


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
    stopped: Ending
    new: int = 0  # features that its seeds did not cover
    reason: str = ""  # why it has failed, if it has

    def summary(self) -> dict[str, object]:
        """Returns its entry in `run.json`."""
        bounds = list(asdict(self.bounds).values())
        return {**asdict(self), "bounds": bounds, "stopped": self.stopped.value}


@dataclass(frozen=True, slots=True)
class MutantKill:
    """A mutant that the corpus was extended for: how it ended on which input."""

    mutant: str
    change: str
    how: str
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A part of a run that has failed, and why."""

    task: str
    reason: str


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
    unparsed: Sequence[Unparsed] = ()  # the smallest few
    captions: Sequence[Caption] = ()  # one for each test, or none at all
    kills: Sequence[MutantKill] = ()
    failures: Sequence[Failure] = ()  # in the order of the lattice
    judged: int | None = None  # inputs that the target had a verdict on, if that was counted

    def summary(self) -> dict[str, object]:
        """`run.json`."""
        executions = sum(node.executions for node in self.nodes)
        return {
            "schema": SCHEMA,
            **self.asked,
            "failures": [asdict(failure) for failure in self.failures],
            "seconds": round(self.seconds, 3),
            "executions": executions,
            "duplicates_skipped": sum(node.duplicates for node in self.nodes),
            "executions_per_second": round(executions / self.seconds, 1) if self.seconds else 0,
            "nodes": [node.summary() for node in self.nodes],
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


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turns errors of the file system and of SQLite into an error that names the file or folder."""
    try:
        with writing(folder):
            yield
    except sqlite3.Error as error:
        hint = "is the disk full, the folder read-only, or was it removed?"
        raise BonsaiError(f"cannot write {folder / DATABASE}: {error}", hint) from None


class RunStore:
    """The run directory of a run that is going on. One process at a time has it open."""

    def __init__(self, output: Output) -> None:
        self.folder = output.folder
        self._output = output
        with _writing(self.folder):
            self._database = sqlite3.connect(self.folder / DATABASE, isolation_level=None)

    @classmethod
    def create(cls, folder: Path, asked: dict[str, Any], existing: Existing = Existing.REFUSE) -> "RunStore":
        """Returns a new one. What an older run wrote there is removed as soon as the new database is complete."""
        output = Output.claim(folder, OutputKind.RUN, existing)
        try:
            with _writing(folder), output.staging() as staged:
                _create_database(staged / DATABASE, asked).close()
                output.install(staged, last=SUMMARY)
            return cls(output)
        except BaseException:
            output.close()
            raise

    @classmethod
    def open(cls, folder: Path) -> "RunStore":
        """Returns the one in a folder. Raises an error if there is none, or if somebody changed its files."""
        if not (folder / DATABASE).is_file():
            raise BonsaiError(f"there is no run to resume in {folder}", f"a run directory has a {DATABASE}")
        output = Output.reopen(folder, OutputKind.RUN)
        try:
            require_unchanged(folder, output.manifest)
            store = cls(output)
        except BaseException:
            output.close()
            raise
        try:
            require_sound_run(store._database, folder)
            store.asked()
            for state in chain((result.state for result in store.results().values()), store.checkpoints().values()):
                if not is_readable(state):
                    raise store._damaged("what one of its tasks has done cannot be read")
        except BonsaiError:
            store.close()
            raise
        return store

    def asked(self) -> dict[str, Any]:
        """Returns what was asked when the run was created."""
        rows = self._database.execute("SELECT settings FROM asked").fetchall()
        with suppress(IndexError, TypeError, ValueError):
            settings = json.loads(rows[0][0])
            if isinstance(settings, dict):
                return settings
        raise self._damaged("it does not say what was asked")

    def _damaged(self, flaw: str) -> BonsaiError:
        message = f"{self.folder / DATABASE} is damaged: {flaw}"
        return BonsaiError(message, "restore it from a copy, or make a new run in another folder")

    def results(self) -> dict[str, Stored]:
        """Returns the results of the tasks that are done, or have failed."""
        rows = self._database.execute("SELECT task, ending, state, reason FROM results")
        try:
            return {task: Stored(Ending(ending), state, reason) for task, ending, state, reason in rows}
        except ValueError as error:
            raise self._damaged(str(error)) from None

    def checkpoints(self) -> dict[str, bytes]:
        """Returns the latest checkpoints of tasks that are not done."""
        return dict(self._database.execute("SELECT task, state FROM checkpoints"))

    def save(self, task: str, ending: Ending, state: bytes, reason: str = "") -> None:
        """Keeps the result of a task. Its checkpoint is not needed any more."""
        row = (task, ending.value, state, _storable(reason))
        with _writing(self.folder), self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)
            database.execute("DELETE FROM checkpoints WHERE task = ?", [task])

    def checkpoint(self, task: str, state: bytes) -> None:
        """Keeps how far a task has come. If it was done, it is not any more; that it has failed stays known."""
        with _writing(self.folder), self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", (task, state))
            database.execute("DELETE FROM results WHERE task = ? AND ending != ?", (task, Ending.FAILED.value))

    def note(self, seconds: float, text: str) -> None:
        """Keep something that happened."""
        with _writing(self.folder), self._transaction() as database:
            database.execute("INSERT INTO events VALUES (?, ?)", (seconds, _storable(text)))

    def seconds(self) -> float:
        """How long the run has taken so far, up to the last thing that happened."""
        found = self._database.execute("SELECT max(seconds) FROM events").fetchone()[0]
        return float(found or 0)

    def finish(self, run: Run) -> None:
        """Write the corpus, the findings and the figures of a run, be it complete or not."""
        with _writing(self.folder):
            with self._transaction() as database:
                _fill(database, run)
            with self._output.staging() as staged:
                _write_files(staged, run)
                self._output.install(staged, last=SUMMARY, keep=self._output.manifest.live)

    def close(self) -> None:
        """Lets other processes have it."""
        self._database.close()
        self._output.close()

    def __enter__(self) -> "RunStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise


def require_sound_run(database: sqlite3.Connection, folder: Path) -> None:
    """Raises an error unless the database of a run directory is intact and of this version of Bonsai."""
    require_sound(database, folder / DATABASE, _GOING_ON + _TABLES)


def write_run(folder: Path, run: Run, existing: Existing = Existing.REFUSE) -> None:
    """Writes the run directory of a run that is over."""
    with Output.claim(folder, OutputKind.RUN, existing) as output:
        install_run(output, run)


def install_run(output: Output, run: Run) -> None:
    """Writes a run that is over into its folder, in the place of an older one, which stays if that fails."""
    with _writing(output.folder), output.staging() as staged:
        with closing(_create_database(staged / DATABASE, run.asked)) as database:
            database.execute("BEGIN")
            _fill(database, run)
            database.execute("COMMIT")
        _write_files(staged, run)
        output.install(staged, last=SUMMARY)


def _create_database(path: Path, asked: dict[str, Any]) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    try:
        create_tables(database, _GOING_ON + _TABLES)
        database.execute("INSERT INTO asked VALUES (?)", [json.dumps(asked)])
    except BaseException:
        database.close()
        raise
    return database


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _write_files(folder: Path, run: Run) -> None:
    _write_corpus(folder / "corpus", run)
    _write_findings(folder / "findings", run)
    _write(folder / SUMMARY, json.dumps(run.summary(), indent=2) + "\n")


def _write_corpus(folder: Path, run: Run) -> None:
    for kind in ("valid", "invalid"):
        (folder / kind).mkdir(parents=True)
    for name, one in zip(file_names(run.corpus, run.captions, run.suffix), run.corpus, strict=True):
        _write(folder / name, one.text)
    if run.captions:
        _write(folder / INDEX, index(run.corpus, run.captions, run.features, run.suffix))


def _write_findings(folder: Path, run: Run) -> None:
    folder.mkdir()
    for place, finding in enumerate(run.findings, start=1):
        stem = f"{place:04}-{finding.outcome.value}"
        _write(folder / f"{stem}{run.suffix}", finding.text)
        _write(folder / f"{stem}.message.txt", f"{finding.message}\nseen {counted(finding.times, 'time')}\n")


_GOING_ON = """
CREATE TABLE asked (settings TEXT);
CREATE TABLE results (task TEXT PRIMARY KEY, ending TEXT, state BLOB, reason TEXT);
CREATE TABLE checkpoints (task TEXT PRIMARY KEY, state BLOB);
CREATE TABLE events (seconds REAL, text TEXT);
"""

_TABLES = """
CREATE TABLE nodes (id INTEGER PRIMARY KEY, idents INTEGER, items INTEGER, depth INTEGER, validity TEXT,
                    executions INTEGER, generated INTEGER, duplicates INTEGER, seconds REAL, covered INTEGER,
                    members INTEGER, residual REAL, stopped TEXT, new INTEGER, reason TEXT);
CREATE TABLE features (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE inputs (id INTEGER PRIMARY KEY, text TEXT, choices TEXT, valid INTEGER, size INTEGER,
                     name TEXT, rules TEXT, message TEXT, output TEXT);
CREATE TABLE hits (input INTEGER REFERENCES inputs, feature INTEGER REFERENCES features);
CREATE TABLE growth (executions INTEGER, seconds REAL, covered INTEGER, covered_by_valid INTEGER, members INTEGER,
                     mean_size REAL);
CREATE TABLE findings (outcome TEXT, message TEXT, text TEXT, times INTEGER);
CREATE TABLE unparsed (text TEXT, message TEXT, suspects TEXT);
CREATE TABLE kills (mutant TEXT, change TEXT, how TEXT, text TEXT);
"""


def _fill(database: sqlite3.Connection, run: Run) -> None:
    for table in ("hits", "inputs", "features", "nodes", "growth", "findings", "unparsed", "kills"):
        database.execute(f"DELETE FROM {table}")
    for node in run.nodes:
        bounds, *rest = node.summary().values()
        assert isinstance(bounds, list)
        row = (*bounds, *(_storable(value) if isinstance(value, str) else value for value in rest))
        database.execute(f"INSERT INTO nodes VALUES (NULL{', ?' * len(row)})", row)
    database.executemany("INSERT INTO features VALUES (?, ?)", enumerate(map(_storable, run.features)))
    captions = run.captions or [Caption()] * len(run.corpus)
    names = file_names(run.corpus, run.captions, run.suffix)
    for place, (one, caption, name) in enumerate(zip(run.corpus, captions, names, strict=True), start=1):
        about = (name, json.dumps(caption.rules), _storable(caption.message), _storable(caption.output))
        row = (place, _storable(one.text), json.dumps(one.choices), one.valid, one.size[0], *about)
        database.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        hits = ((place, feature) for feature in bits(one.features))
        database.executemany("INSERT INTO hits VALUES (?, ?)", hits)
    points = ([getattr(point, name) for name in Growth.__slots__] for point in run.growth)
    database.executemany("INSERT INTO growth VALUES (?, ?, ?, ?, ?, ?)", points)
    found = ((f.outcome.value, _storable(f.message), _storable(f.text), f.times) for f in run.findings)
    database.executemany("INSERT INTO findings VALUES (?, ?, ?, ?)", found)
    strange = ((_storable(u.text), _storable(u.message), json.dumps(u.suspects)) for u in run.unparsed)
    database.executemany("INSERT INTO unparsed VALUES (?, ?, ?)", strange)
    kills = ((one.mutant, _storable(one.change), one.how, _storable(one.text)) for one in run.kills)
    database.executemany("INSERT INTO kills VALUES (?, ?, ?, ?)", kills)


@overload
def _storable(text: str) -> str: ...
@overload
def _storable(text: None) -> None: ...
def _storable(text: str | None) -> str | None:
    """A text that SQLite takes: lone surrogates are escaped. The files have the text as it is."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()
