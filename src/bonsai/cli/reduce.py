"""`bonsai reduce`: the inputs of a corpus made smaller by delta debugging, the paper's baseline."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from time import monotonic
from typing import Annotated

import typer

from bonsai.cli.common import (
    CorpusArgument,
    ForceOption,
    JobsOption,
    JsonOption,
    QuietOption,
    SubjectOption,
    console,
)
from bonsai.cli.progress import Counter
from bonsai.corpus import size_of
from bonsai.corpus_folder import CorpusFile, corpus_root, read_corpus
from bonsai.outputs import Existing, Output, OutputKind
from bonsai.reduction.reducing import Method, Reduction, reduce_corpus
from bonsai.subject import load_subject
from bonsai.wording import harmless

DETAILS = "reduction.json"


def reduce(
    corpus: CorpusArgument,
    subject: SubjectOption,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the reduced corpus goes.")],
    method: Annotated[
        Method,
        typer.Option("--method", help="picire on characters, or picireny on the grammar, also with hoisting."),
    ] = Method.HOIST,
    jobs: JobsOption = 1,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Reduce each input of a corpus, as long as it is still worth saving. Ctrl-C keeps what is done.

    Each input keeps the features that were new when it was saved; a valid one stays valid.

    Example: bonsai reduce out --subject chocopy --method hoist -o out-reduced
    """
    loaded = load_subject(subject)
    files = read_corpus(corpus, loaded.suffix)
    existing = Existing.REPLACE if force else Existing.REFUSE
    with Output.claim(output, OutputKind.REDUCTION, existing, [corpus_root(corpus)]) as claimed:
        started, before = monotonic(), sum(os.times()[:4])
        with Counter("inputs reduced", quiet or as_json) as view:
            reductions = reduce_corpus(loaded, [file.text for file in files], method, jobs, view)
        seconds = {"seconds": monotonic() - started, "cpu_seconds": sum(os.times()[:4]) - before}
        figures: dict[str, object] = {"subject": loaded.name, "method": method.value, "jobs": jobs}
        figures |= {name: round(value, 3) for name, value in seconds.items()} | summary(files, reductions)
        _write(claimed, files, reductions, figures)
    if as_json:
        typer.echo(json.dumps(figures))
    else:
        _print(figures, output, quiet)


def summary(files: Sequence[CorpusFile], reductions: Sequence[Reduction]) -> dict[str, object]:
    """The figures of a reduction."""
    return {
        "files": len(files),
        "before": _sizes([one.original for one in reductions]),
        "after": _sizes([one.text for one in reductions]),
        "tests": sum(one.tests for one in reductions),
        "interrupted": any(one.note.startswith("interrupted") for one in reductions),
        "notes": [
            {"file": file.name, "note": one.note} for file, one in zip(files, reductions, strict=True) if one.note
        ],
    }


def _sizes(texts: Sequence[str]) -> dict[str, float]:
    found = [size_of(text)[0] for text in texts]
    return {
        "mean_size": round(fmean(found), 3),
        "median_size": median(found),
        "max_size": max(found),
        "total_size": sum(found),
    }


def _write(
    output: Output, files: Sequence[CorpusFile], reductions: Sequence[Reduction], figures: dict[str, object]
) -> None:
    """Writes the corpus under its old names, and `reduction.json`."""
    details = [
        {
            "file": file.name,
            "outcome": one.outcome.value,
            "before": size_of(one.original)[0],
            "after": size_of(one.text)[0],
            "tests": one.tests,
            "seconds": round(one.seconds, 3),
            "note": one.note,
        }
        for file, one in zip(files, reductions, strict=True)
    ]
    with output.staging() as staged:
        for file, one in zip(files, reductions, strict=True):
            path = staged / "corpus" / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.text.encode("utf-8", "surrogatepass"))
        (staged / DETAILS).write_text(json.dumps(figures | {"inputs": details}, indent=2) + "\n")
        output.install(staged, last=DETAILS)


def _print(figures: dict[str, object], output: Path, quiet: bool) -> None:
    out = console()
    if quiet:
        out.print(str(output), markup=False)
        return
    before, after, notes = figures["before"], figures["after"], figures["notes"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert isinstance(notes, list)
    out.print(
        f"[bold]{figures['files']} inputs[/bold], on average {before['mean_size']:.1f} characters without white "
        f"space before, {after['mean_size']:.1f} after; {figures['tests']} tests in {figures['seconds']:.1f} s, "
        f"{figures['cpu_seconds']:.1f} s of processor time"
    )
    for note in notes:
        out.print(harmless(f"{note['file']}: {note['note']}"), markup=False)
    out.print(f"the reduced corpus is in {output}/corpus, details in {output}/reduction.json", markup=False)
