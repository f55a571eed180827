"""What several commands share: their arguments, and how they print."""

import sys
from math import floor, log10
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bonsai.bounds import Bounds, parse_bounds
from bonsai.budget import Executions, parse_budget
from bonsai.errors import BonsaiError
from bonsai.subject import Subject
from bonsai.wording import harmless

INTERRUPTED = 130  # the exit code of what Ctrl-C ends, as shells have it

SubjectArgument = Annotated[
    str,
    typer.Argument(metavar="SUBJECT", help="A bundled subject by name, or a folder with a bonsai.toml."),
]
CorpusArgument = Annotated[
    Path, typer.Argument(metavar="CORPUS", help="A run directory, or any folder of input files.")
]
SubjectOption = Annotated[
    str,
    typer.Option("--subject", metavar="S", help="A bundled subject by name, or a folder with a bonsai.toml."),
]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes at a time.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace what Bonsai wrote there before.")]
BoundsOption = Annotated[
    str | None,
    typer.Option(
        "--bounds",
        metavar="M,N,D",
        help="Most identifiers, items of a repetition, and nested expansions. (default: the subject's)",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="The same seed gives the same result, unless time is limited.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print no more than the result.")]


def console() -> Console:
    """Where results are printed: colours on a terminal, plain text in a pipe."""
    return Console(highlight=False, soft_wrap=True)


def print_error(message: str, hint: str) -> None:
    """One line on standard error."""
    line = " ".join(f"error: {message} (hint: {hint})".split())
    typer.echo(harmless(line), err=True)


def print_warning(message: str, hint: str) -> None:
    """Prints one line on standard error about something that does not stop the command."""
    line = " ".join(f"warning: {message} (hint: {hint})".split())
    typer.echo(harmless(line), err=True)


def shown(text: str) -> str:
    """Returns a text that is the result itself: harmless on a terminal, and unchanged in a pipe or a file."""
    return harmless(text) if sys.stdout.isatty() else text


def bounds_of(subject: Subject, text: str | None) -> Bounds:
    """The bounds that were asked for, otherwise the subject's own."""
    return subject.bounds if text is None else parse_bounds(text)


def programs_of(text: str, option: str) -> int:
    """A budget that is a number of programs, since results are to be the same again."""
    budget = parse_budget(text)
    if not isinstance(budget, Executions):
        raise BonsaiError(f"{text!r} is no number of executions", f"write {option} 2000x, say")
    return budget.number


def power_of_ten(magnitude: float) -> str:
    """A number by its decimal logarithm, for people: plainly, as a power of ten, or as a power of a power."""
    if magnitude < 6:  # so few that rounding gives the very number
        return f"{10**magnitude:,.0f}"
    if magnitude < 9:
        return f"about {10**magnitude:,.0f}"
    if magnitude < 1e6:
        return f"about {10 ** (magnitude % 1):.2f}·10^{int(magnitude)}"
    exponent = floor(log10(magnitude))
    return f"about 10^({magnitude / 10**exponent:.2f}·10^{exponent})"
