"""`bonsai explain`: what a test is there for, and what it exercises."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bonsai.cli.common import JsonOption, console
from bonsai.errors import BonsaiError
from bonsai.explaining import Explanation, by_line
from bonsai.explaining import explain as explain_texts
from bonsai.report.home import Home, home_of
from bonsai.subject import Subject, load_subject
from bonsai.wording import counted, harmless, visible

SHOWN = 400  # characters of an output
SHOWN_OF_A_TEXT = 2000


def explain(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Inputs.")],
    subject: Annotated[
        str | None,
        typer.Option(
            "--subject",
            metavar="S",
            help="A bundled subject by name, or a folder with a bonsai.toml. (default: that of the run)",
        ),
    ] = None,
    all_features: Annotated[
        bool, typer.Option("--all", help="List all branches, not only those that it is the smallest for.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what a test is there for, and what it exercises.

    In a run directory, the branches that it is the smallest to take come first. Also its outcome, size and rules.

    Example: bonsai explain out/corpus/valid/0007-*.py
    """
    texts = [_read(file) for file in files]
    homes = [home_of(file, text) for file, text in zip(files, texts, strict=True)]
    loaded = load_subject(subject or _subject_of(homes))
    explained = list(zip(files, texts, homes, explain_texts(loaded, texts), strict=True))
    if as_json:
        records = [_record(file, home, found) for file, _, home, found in explained]
        typer.echo(json.dumps(records[0] if len(records) == 1 else records))
        return
    out = console()
    for place, (file, text, home, found) in enumerate(explained):
        if len(files) > 1:
            out.print(f"{'' if place == 0 else chr(10)}[bold]{escape(visible(str(file)))}[/bold]")
        _print(out, text, found)
        _print_features(out, found.features, home.smallest_for if home else None, loaded, all_features)


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "surrogatepass")
    except OSError as error:
        raise BonsaiError(f"cannot read {file}: {error.strerror}", "name a file with an input") from None
    except UnicodeDecodeError:
        raise BonsaiError(f"{file} is not text", "inputs are text, in UTF-8") from None


def _subject_of(homes: list[Home | None]) -> str:
    """The one that all of them are of."""
    found = {home.subject if home else None for home in homes}
    if len(found) > 1:
        raise BonsaiError("the files are not of one subject", "explain them one after the other")
    [subject] = found
    if subject is None:
        raise BonsaiError("no subject is given", "add --subject chocopy, say; only the file of a run tells its own")
    return subject


def _record(file: Path, home: Home | None, found: Explanation) -> dict[str, object]:
    bounds = None if found.bounds is None else list(asdict(found.bounds).values())
    smallest = None if home is None else home.smallest_for
    named = {"outcome": found.outcome.value, "bounds": bounds, "file": str(file), "smallest_for": smallest}
    return {**asdict(found), **named}


def _print(out: Console, text: str, found: Explanation) -> None:
    for line in (harmless(_cut(text.rstrip("\n"), SHOWN_OF_A_TEXT)) or "(empty)").split("\n"):
        out.print(f"  {line}", markup=False)
    message = f": {escape(harmless(found.message))}" if found.message else ""
    out.print(f"[bold]{found.outcome.value}[/bold]{message}")
    if found.output not in (None, "null"):
        out.print(f"output: {escape(harmless(_cut(found.output, SHOWN)))}")
    derived = "which the grammar does not derive" if found.bounds is None else f"bounds {found.bounds}"
    out.print(f"{counted(found.size, 'character')} without white space, {derived}")
    if found.rules:
        rules = ", ".join(f"{rule} {times}" if times > 1 else rule for rule, times in found.rules.items())
        out.print(f"rules: {escape(rules)}")


def _cut(text: str, most: int) -> str:
    return f"{text[:most]} …" if len(text) > most else text


def _print_features(
    out: Console, features: list[str], smallest: tuple[str, ...] | None, subject: Subject, every: bool
) -> None:
    """What it is the smallest for, if that is known; all the others where nothing else is known, or on demand."""
    if smallest is None:
        out.print(counted(len(features), "feature"))
        _print_lines(out, features, subject)
        return
    out.print(f"smallest for {counted(len(smallest), 'feature')}{':' if smallest else ''}")
    _print_lines(out, list(smallest), subject)
    others = [name for name in features if name not in smallest]
    if others:
        out.print(f"{counted(len(others), 'other feature')}{':' if every else '; --all lists them'}")
    if every:
        _print_lines(out, others, subject)


def _print_lines(out: Console, features: list[str], subject: Subject) -> None:
    lines = by_line(features, subject)
    for where, places, text in lines:
        arms = ", ".join(place.arm for place in places)
        out.print(f"  {where} [dim]{escape(arms)}[/dim]  {escape(harmless(text))}")
    for name in features:
        if not any(name.startswith(f"{where}:") for where, _, _ in lines):
            out.print(f"  {escape(visible(name))}")
