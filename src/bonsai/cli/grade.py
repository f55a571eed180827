"""`bonsai grade`: how a candidate does on a corpus, compared with the reference."""

from pathlib import Path
from typing import Annotated

import typer

from bonsai.answers import Compare
from bonsai.cli.common import CorpusArgument, JsonOption, QuietOption, SubjectOption, shown
from bonsai.corpus_folder import read_corpus
from bonsai.durations import parse_duration
from bonsai.errors import BonsaiError
from bonsai.grading.candidates import Limits, read_candidate
from bonsai.grading.formats import FORMATS, Scoring, Visibility
from bonsai.grading.grade import grade as grade_candidate
from bonsai.outputs import Existing, require_free_file, write_file
from bonsai.subject import load_subject
from bonsai.targets.settings import parse_size
from bonsai.workers.local import cores


def grade(
    corpus: CorpusArgument,
    subject: SubjectOption,
    candidate: Annotated[
        str,
        typer.Option(
            "--candidate",
            metavar="CMD_OR_CALL",
            help="A command that reads stdin, or {file}; module:function or path.py:function; path.jar or "
            "path.jar:package.Driver.",
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help=f"What to write: {', '.join(FORMATS)}.")
    ] = "text",
    compare: Annotated[
        Compare, typer.Option("--compare", help="How much of the answers must agree.")
    ] = Compare.OUTPUT,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Tests at the same time. (default: all cores)")
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            "--timeout",
            metavar="T",
            help="For each test, such as 5s; one that takes longer has a second chance with five times as long. "
            "(default: 10s for commands, the subject's for callables and jars)",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="M", help="For each test, such as 512MiB. (default: likewise, 1GiB)"),
    ] = None,
    points: Annotated[
        float, typer.Option("--points", metavar="P", min=0, help="Gradescope: the points for all tests together.")
    ] = 100.0,
    visibility: Annotated[
        Visibility, typer.Option("--visibility", help="Gradescope: when students see the tests.")
    ] = Visibility.VISIBLE,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there. (default: standard output)")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Grade a candidate: run it on a corpus and compare its answers with the reference's, the subject's own target.

    Exit code 1 if a test fails.

    Example: bonsai grade out --subject chocopy --candidate "java -jar student.jar {file}"
    """
    write = FORMATS.get("json" if as_json else form)
    if write is None:
        raise BonsaiError(f"there is no format {form!r}", f"the formats are {', '.join(FORMATS)}")
    limits = _limits(timeout, memory)
    loaded = load_subject(subject)
    files = read_corpus(corpus, loaded.suffix)
    existing = Existing.REPLACE if force else Existing.REFUSE
    if output is not None:
        require_free_file(output, existing)
    result = grade_candidate(loaded, files, read_candidate(candidate), compare, limits, jobs or cores())
    text = write(result, Scoring(points, visibility))
    if output is None:
        typer.echo(shown(text), nl=False)
    else:
        write_file(output, text.encode("utf-8", "surrogatepass"), existing)
        if not quiet:
            typer.echo(f"{len(result.passed)} of {len(result.graded)} tests passed, in {output}")
    if result.failed:
        raise typer.Exit(1)


def _limits(timeout: str | None, memory: str | None) -> Limits:
    seconds = None if timeout is None else parse_duration(timeout)
    if timeout is not None and seconds is None:
        raise BonsaiError(f"--timeout: {timeout!r} is no duration", "write 5s or 500ms, say")
    size = None if memory is None else parse_size(memory)
    if memory is not None and size is None:
        raise BonsaiError(f"--memory: {memory!r} is no amount of memory", "write 1GiB or 512MiB, say")
    return Limits(seconds, size)
