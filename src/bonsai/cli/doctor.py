"""`bonsai doctor`: what works on this machine."""

import json
from dataclasses import asdict

import typer
from rich.markup import escape

from bonsai.cli.common import JsonOption, QuietOption, console
from bonsai.doctor import examine


def doctor(as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Say what works on this machine, and what to install for the rest. With --quiet, only what is missing.

    Example: bonsai doctor
    """
    findings = examine()
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
        return
    out = console()
    for finding in findings:
        if finding.found is not None and not quiet:
            out.print(f"[green]ok[/green]       {escape(finding.name)}: {escape(finding.found)}")
        elif finding.found is None:
            out.print(
                f"[yellow]missing[/yellow]  {escape(finding.name)}: {escape(finding.missing)} "
                f"(hint: {escape(finding.hint)})"
            )
