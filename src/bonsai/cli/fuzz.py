"""`bonsai fuzz`: one coverage-guided bounded grammar fuzzer, the baseline."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from bonsai.api import fuzz as run_fuzzer
from bonsai.budget import parse_budget
from bonsai.cbgf import Cbgf
from bonsai.cli.common import (
    INTERRUPTED,
    BoundsOption,
    ForceOption,
    JsonOption,
    QuietOption,
    SeedOption,
    SubjectArgument,
    bounds_of,
    console,
    print_error,
)
from bonsai.cli.grown import exit_code, print_unstable
from bonsai.cli.live import LiveLine
from bonsai.corpus import Policy, Select, mean_size
from bonsai.describing import described
from bonsai.ending import Ending
from bonsai.feedback import Saving
from bonsai.mutators import require_mutator
from bonsai.outputs import Existing, Output, OutputKind
from bonsai.report.writing import write_report
from bonsai.store import Run, install_run
from bonsai.subject import load_subject
from bonsai.wording import counted, harmless


def fuzz(
    subject: SubjectArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The run directory to write.")],
    bounds: BoundsOption = None,
    restricted: Annotated[bool, typer.Option("--restricted", help="Save valid inputs only.")] = False,
    budget: Annotated[
        str, typer.Option("--budget", metavar="B", help="auto, a time (60s) or executions (5000x).")
    ] = "auto",
    policy: Annotated[Policy, typer.Option("--policy", help="What is saved.")] = Policy.SMALLEST,
    select: Annotated[Select, typer.Option("--select", help="What of it is the corpus.")] = Select.VALID_FIRST,
    mutators: Annotated[
        str,
        typer.Option(
            "--mutators", metavar="NAMES", help="Only these, separated by commas. (default: the policy's)"
        ),
    ] = "",
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Fuzz a subject's target at one bound, guided by coverage (Algorithm 2 of the paper). Ctrl-C keeps the result.

    Exit code 1 if it fails, if the target judges none of the inputs, or has nothing to cover.

    Example: bonsai fuzz chocopy --bounds 2,2,2 --budget 20000x -o out
    """
    loaded = load_subject(subject)
    names = [require_mutator(name.strip()) for name in mutators.split(",") if name.strip()]
    allowed = parse_budget(budget)
    within = bounds_of(loaded, bounds)
    with Output.claim(output, OutputKind.RUN, Existing.REPLACE if force else Existing.REFUSE) as claimed:
        with LiveLine(quiet or as_json, _line) as view:
            run = run_fuzzer(
                loaded,
                bounds=within,
                budget=allowed,
                saving=Saving.RESTRICTED if restricted else Saving.UNRESTRICTED,
                policy=policy,
                select=select,
                mutators=names,
                seed=seed,
                watch=view,
            )
        run = described(run, loaded)
        install_run(claimed, run)
    write_report(output, print_error)
    if as_json:
        typer.echo(json.dumps(run.summary()))
    else:
        _print(run, output, quiet)
    code = exit_code(run, f"what was found until then is in {output}")
    return INTERRUPTED if run.nodes[0].stopped is Ending.INTERRUPTED else code


def _line(fuzzer: Cbgf, seconds: float) -> str:
    members = fuzzer.corpus.inputs()
    tally = fuzzer.tally
    return (
        f"{seconds:.0f} s  {tally.executions:,} executions ({tally.executions / max(seconds, 0.001):,.0f}/s)  "
        f"{fuzzer.corpus.covered.bit_count()} features  "
        f"{len(members)} tests of {mean_size(members):.1f} characters  "
        f"chance of something new {fuzzer.discovery.residual:.2%}"
    )


def _print(run: Run, output: Path, quiet: bool) -> None:
    figures = run.summary()
    corpus, features = figures["corpus"], figures["features"]
    assert isinstance(corpus, dict)
    assert isinstance(features, dict)
    out = console()
    if quiet:
        out.print(str(output), markup=False)
        return
    out.print(
        f"[bold]{counted(corpus['files'], 'test')}[/bold], {corpus['valid']} of them valid, on average "
        f"{corpus['mean_size']:.1f} characters without white space, in {escape(str(output))}/corpus"
    )
    out.print(
        f"{features['covered']} of {features['total']} features covered, {features['by_valid']} by valid tests; "
        f"{counted(run.nodes[0].executions, 'execution')} in {run.seconds:.1f} s; {run.nodes[0].stopped.value}"
    )
    print_unstable(out, run)
    for finding in run.findings:
        out.print(f"[red]{finding.outcome.value}[/red]", end=" ")
        out.print(
            f"{harmless(finding.message)} ({counted(finding.times, 'time')}), in {output}/findings", markup=False
        )
