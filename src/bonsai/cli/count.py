"""`bonsai count`: the size of the space of programs within bounds."""

import json
import sys

import typer

from bonsai.cli.common import BoundsOption, JsonOption, QuietOption, SubjectArgument, bounds_of, power_of_ten
from bonsai.counting import count as exact_count
from bonsai.counting import log10_count
from bonsai.subject import load_subject

MOST_DIGITS_PRINTED = 4_000


def count(
    subject: SubjectArgument,
    bounds: BoundsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Count the derivations of a grammar within bounds, exactly.

    Example: bonsai count json --bounds 1,2,2
    """
    loaded = load_subject(subject)
    asked = bounds_of(loaded, bounds)
    magnitude = log10_count(loaded.grammar, asked)
    digits = None
    if magnitude <= MOST_DIGITS_PRINTED:
        sys.set_int_max_str_digits(MOST_DIGITS_PRINTED + 300)
        digits = str(exact_count(loaded.grammar, asked))
        if len(digits) > MOST_DIGITS_PRINTED:
            digits = None
    if as_json:
        figures = {"bounds": [asked.idents, asked.items, asked.depth], "programs": digits, "log10": magnitude}
        typer.echo(json.dumps(figures))
        return
    number = digits if digits is not None else power_of_ten(magnitude)
    if quiet:
        typer.echo(number)
    elif digits is None or len(digits) <= 12:
        typer.echo(f"{loaded.name} within {asked}: {number} programs")
    else:
        typer.echo(f"{loaded.name} within {asked}: {power_of_ten(magnitude)} programs, exactly {number}")
