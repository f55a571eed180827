"""Agreement with the reference compiler, on all of its answers that we have."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bonsai.subjects.chocopy import ChocoPySyntaxError, Json, analyse, parse, to_json

from .answers import SHARED

DATA = SHARED / "chocopy"
PUBLISHED = SHARED / "published-corpora" / "chocopy"

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the reference's answers are not there (set BONSAI_SHARED to their folder)"
)


def programs(folder: str) -> list[Path]:
    return sorted((DATA / folder).rglob("*.py"))


def verdict(answer: Json) -> tuple[bool, bool]:
    """Whether the program parses, and whether it is valid."""
    errors = answer["errors"]["errors"]
    return not any(error.get("syntax") for error in errors), not errors


@needs_data
@pytest.mark.parametrize("file", programs("pa1"), ids=lambda file: file.stem)
def test_untyped_trees(file: Path) -> None:
    expected = json.loads(Path(f"{file}.ast").read_text())
    text = file.read_bytes().decode()
    if expected["errors"]["errors"]:
        with pytest.raises(ChocoPySyntaxError):
            parse(text)
    else:
        assert to_json(parse(text)) == expected


@needs_data
@pytest.mark.parametrize("file", programs("pa2"), ids=lambda file: file.stem)
def test_typed_trees(file: Path) -> None:
    text = file.read_bytes().decode()
    assert to_json(parse(text)) == json.loads(Path(f"{file}.ast").read_text())
    assert analyse(text) == json.loads(Path(f"{file}.ast.typed").read_text())


def published() -> Iterator[tuple[str, Json]]:
    for line in (DATA / "published-corpora.typed.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield (PUBLISHED / row["corpus"] / row["file"]).read_bytes().decode(), row


def answered() -> Iterator[tuple[str, Json]]:
    with gzip.open(DATA / "reference-answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["text"], row


@needs_data
@pytest.mark.parametrize(("rows", "least"), [(published, 343), (answered, 4_000)])
def test_verdicts_and_typed_trees(rows: Callable[[], Iterator[tuple[str, Json]]], least: int) -> None:
    count = 0
    differing = []
    for text, row in rows():
        count += 1
        answer = analyse(text)
        if verdict(answer) != (row["parsed"], row["valid"]) or (row["parsed"] and answer != row["typed_ast"]):
            differing.append(text)
    assert count >= least
    assert differing == []


@needs_data
def test_syntax_errors_are_located_where_the_reference_finds_the_first() -> None:
    """The wording is our own, but the place is the reference's."""
    differing = []
    for text, row in published():
        if not row["parsed"]:
            expected = row["typed_ast"]["errors"]["errors"][0]["location"]
            if analyse(text)["errors"]["errors"][0]["location"] != expected:
                differing.append(text)
    assert differing == []
