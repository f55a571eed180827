"""`bonsai measure`: what a corpus is worth."""

import json
from typing import Annotated

import typer
from rich.markup import escape

from bonsai.cli.common import CorpusArgument, JsonOption, QuietOption, console
from bonsai.corpus_folder import read_corpus
from bonsai.evaluation.measure import Measurement
from bonsai.evaluation.measure import measure as measure_corpus
from bonsai.evaluation.third_party import Coverage
from bonsai.extras import Missing
from bonsai.subject import load_subject


def measure(
    corpus: CorpusArgument,
    subject: Annotated[str, typer.Option("--subject", metavar="S", help="The subject whose program reads them.")],
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Sizes, validity, features, and line and branch coverage by a tool of someone else's (coverage.py, JaCoCo).

    Example: bonsai measure out --subject chocopy
    """
    loaded = load_subject(subject)
    found = measure_corpus(loaded, [file.text for file in read_corpus(corpus, loaded.suffix)])
    if as_json:
        typer.echo(json.dumps(found.figures()))
    else:
        if not quiet:
            _print(found)
        if isinstance(found.coverage, Coverage):
            _print_coverage(found.coverage, quiet)
    if isinstance(found.coverage, Missing):
        typer.echo(f"note: {found.coverage.message} (hint: {found.coverage.hint})", err=True)


def _print(found: Measurement) -> None:
    out = console()
    out.print(
        f"  inputs          {found.files}, of them {found.valid / found.files:.0%} valid ({found.valid} valid, "
        f"{found.invalid} invalid, {found.unparsed} unparsed, {found.findings} crashes or time-outs)"
    )
    out.print(
        f"  size            mean {found.mean_size:.2f}, median {found.median_size:g}, largest {found.max_size} "
        "characters without white space"
    )
    features = found.features
    out.print(f"  features        {features.covered} of {features.total}, {features.by_valid} by valid inputs")


def _print_coverage(coverage: Coverage, quiet: bool) -> None:
    out = console()
    branches, lines = coverage.total("branches"), coverage.total("lines")
    if quiet:
        out.print(f"{branches.covered} of {branches.total} branches")
        return
    out.print(f"  branches        {branches.covered} of {branches.total} ({escape(coverage.tool)})")
    for name, share in sorted(coverage.branches.items()):
        out.print(f"    {escape(name)}  {share.covered} of {share.total}")
    out.print(f"  lines           {lines.covered} of {lines.total}")
