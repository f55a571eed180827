"""`bonsai check`: a quick look at a subject before growing."""

import json

import typer

from bonsai.checkup import Checkup, check_grammar
from bonsai.cli.common import BoundsOption, JsonOption, QuietOption, SeedOption, SubjectArgument, bounds_of, console
from bonsai.subject import load_subject


def check(
    subject: SubjectArgument,
    bounds: BoundsOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Look a subject over: what its grammar offers, and what in it would surprise you later.

    Exit code 1 if sampled programs do not parse back with their own grammar.

    Example: bonsai check json
    """
    loaded = load_subject(subject)
    checkup = check_grammar(loaded.grammar, bounds_of(loaded, bounds), seed)
    if as_json:
        typer.echo(json.dumps(checkup.figures()))
    else:
        _print(loaded.name, checkup, quiet)
    if checkup.unreadable:
        raise typer.Exit(1)


def _print(name: str, checkup: Checkup, quiet: bool) -> None:
    out = console()
    if not quiet:
        out.print(f"[bold]{name}[/bold] within {checkup.bounds}")
        out.print(f"  rules           {checkup.rules}, of them recursive {checkup.recursive}")
        out.print(f"  terminals       {checkup.terminals}, of them user-defined {checkup.identifiers}")
        if checkup.log10_programs is not None:
            out.print(f"  programs        about 10^{checkup.log10_programs:.4g}")
        out.print(
            f"  samples         {checkup.samples}, on average {checkup.mean_size:.0f} characters without "
            f"white space, the longest {checkup.max_size}"
        )
        read = checkup.parsed - len(checkup.unreadable)
        out.print(f"  parse back      {read} of {checkup.parsed} samples")
    for warning in checkup.warnings:
        out.print(f"[yellow]warning[/yellow] {warning}", markup=True)
    for text in checkup.unreadable[:3]:
        out.print("[red]does not parse back[/red]", end=" ")
        out.print(repr(text), markup=False)
