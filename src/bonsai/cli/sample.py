"""`bonsai sample`: programs from Algorithm 1, with their measured bounds."""

import json
from typing import Annotated

import typer

from bonsai.choices import Draws
from bonsai.cli.common import (
    BoundsOption,
    JsonOption,
    QuietOption,
    SeedOption,
    SubjectArgument,
    bounds_of,
    console,
    shown,
)
from bonsai.derivation import Derivation, measure, outline
from bonsai.sampler import Sampler
from bonsai.subject import load_subject


def sample(
    subject: SubjectArgument,
    number: Annotated[int, typer.Option("-n", metavar="N", min=0, help="How many programs.")] = 10,
    bounds: BoundsOption = None,
    seed: SeedOption = 0,
    tree: Annotated[bool, typer.Option("--tree", help="Print the derivation tree of each, too.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Draw random programs within bounds (Algorithm 1 of the paper).

    Example: bonsai sample json -n 3 --bounds 2,2,2 --seed 7
    """
    loaded = load_subject(subject)
    sampler = Sampler(loaded.grammar, bounds_of(loaded, bounds))
    draws = Draws(seed)
    for place in range(1, number + 1):
        text, choices = sampler.sample(draws)
        derivation = Derivation(loaded.grammar, tuple(choices), text)
        if as_json:
            typer.echo(_as_json(derivation))
        else:
            if not quiet:
                measured = measure(derivation)
                console().print(
                    f"[dim]── {place}  idents {measured.idents}, items {measured.items}, "
                    f"depth {measured.depth}[/dim]"
                )
            typer.echo(shown(text.rstrip("\n")))
            if tree:
                typer.echo(shown(outline(derivation)))


def _as_json(derivation: Derivation) -> str:
    measured = measure(derivation)
    return json.dumps(
        {
            "text": derivation.text,
            "idents": measured.idents,
            "items": measured.items,
            "depth": measured.depth,
            "choices": list(derivation.choices),
        },
        ensure_ascii=False,
    )
