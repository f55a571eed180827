"""The version of the files in a run directory, and the checks before a database is read.

A database that is damaged, or that another version of Bonsai wrote, is refused as a whole before anything is taken
from it or written to it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from enum import Enum
from pathlib import Path

from bonsai.errors import BonsaiError

SCHEMA = 2
# What SQLite may store in a column of each declared type.
_TYPES = {"INTEGER": "integer", "REAL": "real integer", "TEXT": "text", "BLOB": "blob"}


class RunKind(Enum):
    """Which command made a run. Only what is grown is made step by step, and can be resumed."""

    GROW = "grow"
    FUZZ = "fuzz"
    MERGE = "merge"


def create_tables(database: sqlite3.Connection, tables: str) -> None:
    """Creates the tables that a script declares, and stores the version of the schema with them."""
    database.executescript(f"BEGIN; {tables} PRAGMA user_version = {SCHEMA}; COMMIT;")


def require_schema(version: object, path: Path) -> None:
    """Raises an error unless a file was written with the schema of this version of Bonsai."""
    if version != SCHEMA:
        message = f"{path} was written by another version of Bonsai: its schema is {version!r}, not {SCHEMA}"
        raise BonsaiError(message, "use that version, or make a new run in another folder")


def require_sound(database: sqlite3.Connection, path: Path, tables: str) -> None:
    """Raises an error unless a database is intact, and has tables and values as a script declares them."""
    try:
        [version] = database.execute("PRAGMA user_version").fetchone()
        has_tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
        if has_tables:  # an empty file is a database without tables
            require_schema(version, path)
        flaw = next(_flaws(database, tables), None)
    except sqlite3.OperationalError as error:
        raise BonsaiError(
            f"cannot read {path}: {error}", "is another process using it, or is the disk broken?"
        ) from None
    except sqlite3.DatabaseError as error:
        flaw = str(error)
    if flaw is not None:
        raise BonsaiError(
            f"{path} is damaged: {flaw}", "restore it from a copy, or make a new run in another folder"
        )


def _flaws(database: sqlite3.Connection, tables: str) -> Iterator[str]:
    """What is wrong with a database, the worst first."""
    report = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if report != "ok":
        yield " ".join(str(report).split())
    with closing(sqlite3.connect(":memory:")) as expected:
        expected.executescript(tables)
        for (table,) in expected.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = _columns(expected, table)
            if _columns(database, table) != columns:
                yield f"its table {table} is missing or has other columns"
            for column, declared in columns:
                allowed = ", ".join(f"'{kind}'" for kind in ["null", *_TYPES[declared].split()])
                query = f"SELECT count(*) FROM {table} WHERE typeof({column}) NOT IN ({allowed})"
                if database.execute(query).fetchone()[0]:
                    yield f"its table {table} has a {column} of a wrong type"


def _columns(database: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    """The names and declared types of the columns of a table; none if there is no such table."""
    return [(row[1], row[2]) for row in database.execute(f"PRAGMA table_info({table})")]
