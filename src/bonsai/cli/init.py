"""`bonsai init`: a new subject that already grows."""

from pathlib import Path
from typing import Annotated

import typer

from bonsai.cli.common import QuietOption
from bonsai.errors import BonsaiError
from bonsai.new_subject.starter import start_subject
from bonsai.new_subject.trial import trial
from bonsai.subject import is_suffix, load_subject


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write the subject into.")],
    from_lark: Annotated[
        Path | None,
        typer.Option("--from-lark", metavar="FILE", help="The grammar. (default: a small example)"),
    ] = None,
    call: Annotated[
        str | None,
        typer.Option(
            "--call",
            metavar="MODULE:FUNCTION",
            help="The program: a function of one argument, the text. (default: a small example)",
        ),
    ] = None,
    cover: Annotated[
        list[str] | None,
        typer.Option(
            "--cover",
            metavar="MODULE",
            help="What to cover, such as package.module or package.*; may be repeated. "
            "(default: the package that the function is in)",
        ),
    ] = None,
    suffix: Annotated[
        str, typer.Option("--suffix", metavar=".EXT", help="How the files of the corpus will be named.")
    ] = ".txt",
    quiet: QuietOption = False,
) -> None:
    """Start a new subject: a bonsai.toml that explains itself, a grammar and a driver. Nothing is overwritten.

    Example: bonsai init queries --from-lark sql.lark --call sqlglot:transpile
    """
    if not is_suffix(suffix):
        raise BonsaiError(f"--suffix: {suffix!r} is no file suffix", "write --suffix .py, say")
    started = start_subject(folder, from_lark, call, tuple(cover or ()), suffix)
    if quiet:
        typer.echo(str(folder))
    else:
        typer.echo(f"{folder}: {', '.join(started.files)}")
        typer.echo(f"covers {', '.join(started.cover)}")
        if started.calls is None and from_lark is not None:
            typer.echo(f"{folder}/driver.py has an example of a program: call yours there")
        typer.echo(f"Next: bonsai check {folder}, then bonsai grow {folder} -o out")
    warning = trial(load_subject(folder))
    if warning:
        typer.echo(f"warning: {' '.join(warning.split())}", err=True)
