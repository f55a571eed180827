"""`bonsai heatmap`: the paper's validity and coverage heat-maps of blind sampling."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bonsai.budget import parse_budget
from bonsai.cli.common import ForceOption, JsonOption, QuietOption, SeedOption, SubjectArgument, console
from bonsai.errors import BonsaiError
from bonsai.evaluation import heatmap as experiment
from bonsai.extras import require
from bonsai.outputs import Existing, Output, OutputKind
from bonsai.subject import load_subject, start_target


def heatmap(
    subject: SubjectArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the figures go.")],
    most: Annotated[int, typer.Option("--max", metavar="N", min=1, max=9, help="The largest bound.")] = 5,
    budget: Annotated[str, typer.Option("--budget", metavar="B", help="Per bound: a time or executions.")] = "1s",
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Sample without feedback at all bounds up to (N,N,N): how valid are programs, and what do they cover?

    Example: bonsai heatmap chocopy --max 3 --budget 500x -o out/heatmap
    """
    loaded = load_subject(subject)
    allowed = parse_budget(budget)
    if budget == "auto":
        raise BonsaiError("blind sampling does not saturate by itself", "give a time (1s) or executions (500x)")
    require("a heat-map", "matplotlib")
    existing = Existing.REPLACE if force else Existing.REFUSE
    with Output.claim(output, OutputKind.HEATMAP, existing) as claimed:
        target = start_target(loaded)
        points: list[experiment.Point] = []
        try:
            for point in experiment.heatmap(loaded, target, most, allowed, seed):
                points.append(point)
                if not (quiet or as_json):
                    _print(point)
        finally:
            target.close()
        with claimed.staging() as staged:
            experiment.write_csv(staged / "heatmap.csv", points)
            for suffix in ("png", "svg"):
                path = staged / f"heatmap.{suffix}"
                experiment.draw(points, f"{loaded.name}: blind sampling within bounds", path)
            claimed.install(staged, last="heatmap.csv")
    if as_json:
        typer.echo(json.dumps([asdict(point) for point in points]))
    elif not quiet:
        console().print(f"figures and data in {output}", markup=False)


def _print(point: experiment.Point) -> None:
    console().print(
        f"({point.idents},{point.items},{point.depth})  valid {point.valid:6.1%}  "
        f"covered {point.covered} of {point.total}  mean size {point.mean_size:.0f}  "
        f"{point.executions} programs"
    )
