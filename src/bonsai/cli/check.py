"""`bonsai check`: a quick look at a subject before growing."""

import json

import typer
from rich.markup import escape

from bonsai.checkup import Checkup, TargetCheckup, check_grammar, check_target, draw_samples
from bonsai.cli.common import (
    BoundsOption,
    JsonOption,
    QuietOption,
    SeedOption,
    SubjectArgument,
    bounds_of,
    console,
    power_of_ten,
)
from bonsai.subject import load_subject
from bonsai.wording import harmless


def check(
    subject: SubjectArgument,
    bounds: BoundsOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Look a subject over: what its grammar offers, and what in it would surprise you later.

    Exit code 1 if sampled programs do not parse back, or if the target parses less than 99 in 100 or judges none.

    Example: bonsai check json
    """
    loaded = load_subject(subject)
    within = bounds_of(loaded, bounds)
    samples = draw_samples(loaded.grammar, within, seed)
    checkup = check_grammar(loaded.grammar, within, samples)
    target = check_target(loaded, samples) if loaded.target else None
    if as_json:
        figures = checkup.figures() | {"target": target.figures() if target else None}
        typer.echo(json.dumps(figures))
    else:
        _print(loaded.name, checkup, quiet)
        if target:
            _print_target(target, quiet)
    if checkup.unreadable or (target and not target.is_fit):
        raise typer.Exit(1)


def _print_target(target: TargetCheckup, quiet: bool) -> None:
    out = console()
    if not quiet:
        out.print(
            f"  target          {target.valid:.0%} valid, {target.invalid:.0%} invalid, {target.unparsed:.0%} "
            f"unparsed of {target.executions} samples, {target.executions_per_second:,.0f} executions/s"
        )
        out.print(f"  features        {target.covered} of {target.features} covered by these samples")
    if not target.covered:
        out.print("[yellow]warning[/yellow] nothing in `cover` is ever executed: are these the right modules?")
    if target.output_note:
        out.print(
            f"[yellow]warning[/yellow] {escape(harmless(target.output_note))}; grade and export compare outputs"
        )
    if target.unparsed_example is not None:
        _print_example("the target does not parse", target.unparsed_example, target.unparsed_message)
    if target.finding_example is not None:
        found = f"{target.findings} crashes or time-outs in {target.executions} samples, for example on"
        _print_example(found, target.finding_example, target.finding_message)
    if not target.valid + target.invalid:
        out.print("[red]no sample is judged, neither as valid nor as invalid[/red]: does the driver work?")


def _print_example(found: str, example: str, message: str) -> None:
    out = console()
    out.print(f"[red]{found}[/red]", end=" ")
    out.print(repr(example), markup=False)
    if message:
        out.print(f"  {harmless(message)}", markup=False)


def _print(name: str, checkup: Checkup, quiet: bool) -> None:
    out = console()
    if not quiet:
        out.print(f"[bold]{escape(harmless(name))}[/bold] within {checkup.bounds}")
        out.print(f"  rules           {checkup.rules}, of them recursive {checkup.recursive}")
        out.print(f"  terminals       {checkup.terminals}, of them user-defined {checkup.identifiers}")
        number = (
            "too many to count here" if checkup.log10_programs is None else power_of_ten(checkup.log10_programs)
        )
        out.print(f"  programs        {number}")
        out.print(
            f"  samples         {checkup.samples}, on average {checkup.mean_size:.0f} characters without "
            f"white space, the longest {checkup.max_size}"
        )
        read = checkup.parsed - len(checkup.unreadable)
        out.print(f"  parse back      {read} of {checkup.parsed} samples")
    for warning in checkup.warnings:
        out.print(f"[yellow]warning[/yellow] {escape(harmless(warning))}")
    for text in checkup.unreadable[:3]:
        out.print("[red]does not parse back[/red]", end=" ")
        out.print(repr(text), markup=False)
