"""`bonsai report`: what people look at after a run."""

from pathlib import Path
from typing import Annotated

import typer

from bonsai.cli.common import QuietOption, console, print_error
from bonsai.errors import BonsaiError


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
    try:
        path = write_page(folder, found)
    except OSError as error:
        raise BonsaiError(f"cannot write {folder / 'report.html'}: {error.strerror}", "is the disk full?") from None
    out = console()
    if quiet:
        out.print(str(path), markup=False)
    else:
        out.print(f"{len(found.tests)} tests, in {path}", markup=False)


def write_report(folder: Path) -> None:
    """The report of a run that is over. The run itself is safe: whatever goes wrong here is said, and no more."""
    try:
        from bonsai.report.data import read_report
        from bonsai.report.page import write_page

        write_page(folder, read_report(folder))
    except Exception as error:
        print_error(f"the report could not be written: {error}", f"the run is complete; try bonsai report {folder}")
