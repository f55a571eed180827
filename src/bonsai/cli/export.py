"""`bonsai export`: a corpus for those who do not have Bonsai."""

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from bonsai.cli.common import CorpusArgument, JsonOption, QuietOption, SubjectOption
from bonsai.corpus_folder import CorpusFile, corpus_root, read_corpus
from bonsai.export.expectations import Expectations, expect
from bonsai.export.folder import Changes, require_room, write_export
from bonsai.export.golden import golden_files
from bonsai.export.pytest_suite import pytest_suite
from bonsai.export.seeds import seed_zip
from bonsai.outputs import Existing
from bonsai.subject import Subject, load_subject


class Form(Enum):
    """What is exported."""

    PYTEST = "pytest"
    FILES = "files"
    ZIP = "zip"


def export(
    corpus: CorpusArgument,
    subject: SubjectOption,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="A test suite; golden files, each input with its answer; or seeds for OSS-Fuzz and AFL++.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    update: Annotated[
        bool, typer.Option("--update", help="Make an export anew, with what the target answers now.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Export a corpus with what the subject's target says to each input; what is exported needs no Bonsai.

    Example: bonsai export out --subject chocopy --format pytest -o tests/grown
    """
    existing = Existing.UPDATE if update else Existing.REFUSE
    loaded = load_subject(subject)
    files = read_corpus(corpus, loaded.suffix)
    require_room(output, existing, corpus_root(corpus))
    expected, content = _content(loaded, files, form, output)
    changes = write_export(output, content, existing)
    if as_json:
        typer.echo(json.dumps(_figures(files, expected, changes)))
    elif quiet:
        typer.echo(str(output))
    else:
        _print(files, expected, changes, output, existing)


def _content(
    subject: Subject, files: list[CorpusFile], form: Form, output: Path
) -> tuple[Expectations | None, dict[str, bytes]]:
    if form is Form.ZIP:
        return None, {f"{subject.name}_seed_corpus.zip": seed_zip(files)}
    expected = expect(subject, files)
    if form is Form.PYTEST:
        return expected, pytest_suite(subject, expected.known, output)
    return expected, golden_files(expected.known)


def _figures(files: list[CorpusFile], expected: Expectations | None, changes: Changes) -> dict[str, object]:
    return {
        "tests": len(expected.known) if expected else len(files),
        "left_out": list(expected.unknown) if expected else [],
        "varying": expected.varying if expected else 0,
        "new": list(changes.new),
        "changed": list(changes.changed),
        "gone": list(changes.gone),
    }


def _print(
    files: list[CorpusFile], expected: Expectations | None, changes: Changes, output: Path, existing: Existing
) -> None:
    typer.echo(f"{len(expected.known) if expected else len(files)} tests in {output}")
    if existing is Existing.UPDATE:
        typer.echo(f"{len(changes.new)} files new, {len(changes.changed)} changed, {len(changes.gone)} gone")
        for name in changes.changed:
            typer.echo(f"  {name}")
    if expected and expected.unknown:
        typer.echo(f"left out, since the target crashes or hangs on them: {', '.join(expected.unknown)}")
    if expected and expected.varying:
        typer.echo(f"{expected.varying} answers vary from run to run; only what recurs is expected")
