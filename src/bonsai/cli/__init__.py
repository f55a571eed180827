"""The command line: one module per command; this one puts them together and turns errors into one line each."""

import os
import sys
from io import TextIOWrapper
from itertools import zip_longest
from typing import Annotated

import typer

from bonsai import __version__
from bonsai.cli import (
    check,
    count,
    doctor,
    evaluate,
    explain,
    export,
    fuzz,
    grade,
    grow,
    heatmap,
    init,
    measure,
    merge,
    mutants,
    reduce,
    report,
    sample,
)
from bonsai.cli.common import INTERRUPTED, print_error
from bonsai.cli.flags import Command, Group
from bonsai.errors import BonsaiError
from bonsai.system_errors import hint_for

app = typer.Typer(
    name="bonsai",
    cls=Group,
    help="Grow a concise test corpus for any program that reads a structured language.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PANELS = {
    "Start": (grow.grow, init.init, check.check, doctor.doctor),
    "Use": (report.report, explain.explain, measure.measure, grade.grade, export.export, merge.merge),
    "Study": (
        sample.sample,
        count.count,
        fuzz.fuzz,
        heatmap.heatmap,
        reduce.reduce,
        mutants.mutants,
        evaluate.evaluate,
    ),
}
for _panel, _commands in PANELS.items():
    for _command in _commands:
        app.command(_command.__name__, cls=Command, rich_help_panel=_panel)(_command)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"bonsai {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


def main() -> None:
    """Run the command line; the exit code is 0 if all is well, 1 if a check failed, 2 if the call was wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # the same output whatever the locale
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """One call of the command line, as its exit code."""
    try:
        result = app(_completed(arguments), prog_name="bonsai", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except BonsaiError as error:
        print_error(error.message, error.hint)
        return 2
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        print_error(error.format_message(), f"see {context.command_path if context else 'bonsai'} --help")
        return 2
    except (typer.Abort, KeyboardInterrupt):
        print_error("interrupted", "run the same command again to start over")
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads on, as in `| head`
        _drop_output()
        return 0
    except SystemExit as end:  # Typer ends so, after a completion or when nobody reads on
        return _ended(end)
    except OSError as error:
        print_error(*explained(error))
        _drop_output()
        return 2
    except RecursionError:
        print_error("something is nested too deeply", "nest the groups of the grammar, or the text, less deeply")
        return 2


def explained(error: OSError) -> tuple[str, str]:
    """Returns what an operation of the system failed at, and what to do about it."""
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    where = f"{' and '.join(names)}: " if names else ""
    reason = error.strerror or str(error) or type(error).__name__
    return f"cannot go on: {where}{reason}", hint_for(error)


def _ended(end: SystemExit) -> int:
    if isinstance(end.__context__, BrokenPipeError):
        _drop_output()
        return 0
    sys.stdout.flush()
    return end.code if isinstance(end.code, int) else 0


def _completed(arguments: list[str]) -> list[str]:
    """With the values that may be left out, which Typer does not know: `--kill-mutants` alone has its default."""
    completed = []
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        completed.append(argument)
        if argument == "--kill-mutants" and not following[:1].isdigit():
            completed.append(grow.KILLING)
    return completed


def _drop_output() -> None:
    """Let what is still to be written go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
