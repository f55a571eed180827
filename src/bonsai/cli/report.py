"""`bonsai report`: what people look at after a run."""

from pathlib import Path
from typing import Annotated

import typer

from bonsai.cli.common import QuietOption, console


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    compare: Annotated[
        Path | None,
        typer.Option("--compare", metavar="CORPUS", help="Another corpus, to compare the sizes of tests with."),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option("--subject", metavar="SUBJECT", help="Where the target's source is. (default: the run's)"),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Write report.html into a run directory: the corpus, how it grew, and what each test is there for.

    Example: bonsai report out --compare tests/programs
    """
    from bonsai.report.data import read_report
    from bonsai.report.page import write_page  # Jinja and Pygments are slow to import

    found = read_report(folder, subject, compare)
    path = write_page(folder, found)
    out = console()
    if quiet:
        out.print(str(path), markup=False)
    else:
        out.print(f"{len(found.tests)} tests, in {path}", markup=False)
