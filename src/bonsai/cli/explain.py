"""`bonsai explain`: what one input exercises."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from bonsai.cli.common import JsonOption, SubjectOption, console
from bonsai.errors import BonsaiError
from bonsai.explaining import Explanation, by_line
from bonsai.explaining import explain as explain_text
from bonsai.subject import Subject, load_subject

OUTPUT_SHOWN = 400


def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An input.")],
    subject: SubjectOption,
    as_json: JsonOption = False,
) -> None:
    """Say what one input exercises: outcome, size, rules of the grammar, and branches of the target.

    Example: bonsai explain out/corpus/valid/0007-*.py --subject chocopy
    """
    loaded = load_subject(subject)
    try:
        text = file.read_bytes().decode("utf-8", "surrogatepass")
    except OSError as error:
        raise BonsaiError(f"cannot read {file}: {error.strerror}", "name a file with an input") from None
    except UnicodeDecodeError:
        raise BonsaiError(f"{file} is no text", "inputs are text, in UTF-8") from None
    found = explain_text(loaded, text)
    if as_json:
        bounds = None if found.bounds is None else list(asdict(found.bounds).values())
        typer.echo(json.dumps({**asdict(found), "outcome": found.outcome.value, "bounds": bounds}))
    else:
        _print(found, loaded)


def _print(found: Explanation, subject: Subject) -> None:
    out = console()
    out.print(f"[bold]{found.outcome.value}[/bold] {escape(found.message)}")
    if found.output is not None:
        cut = " …" if len(found.output) > OUTPUT_SHOWN else ""
        out.print(f"output: {escape(found.output[:OUTPUT_SHOWN])}{cut}")
    derived = "which the grammar does not derive" if found.bounds is None else f"bounds {found.bounds}"
    out.print(f"{found.size} characters without white space, {derived}")
    if found.rules:
        rules = ", ".join(f"{rule} {times}" if times > 1 else rule for rule, times in found.rules.items())
        out.print(f"rules: {escape(rules)}")
    out.print(f"{len(found.features)} features")
    lines = by_line(found.features, subject)
    for where, places, text in lines:
        arms = ", ".join(place.arm for place in places)
        out.print(f"  {where} [dim]{escape(arms)}[/dim]  {escape(text)}")
    for name in found.features:
        if not any(name.startswith(f"{where}:") for where, _, _ in lines):
            out.print(f"  {escape(name)}")
