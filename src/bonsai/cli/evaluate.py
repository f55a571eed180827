"""`bonsai evaluate`: the paper's evaluation, every table and figure."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bonsai.budget import parse_budget
from bonsai.cli.common import (
    INTERRUPTED,
    BoundsOption,
    ForceOption,
    QuietOption,
    SeedOption,
    SubjectArgument,
    bounds_of,
    print_error,
)
from bonsai.cli.common import console as printed
from bonsai.cli.interruption import Interruption
from bonsai.cli.live import LiveLine
from bonsai.evaluation.building import PAGE, build
from bonsai.evaluation.evaluating import ASKED, QUICK, Asked, Evaluation, Standing, Wanted, ablation_of, settle
from bonsai.evaluation.records import FOLDER, Data
from bonsai.grow import features_of
from bonsai.outputs import Existing, Output, OutputKind
from bonsai.subject import load_subject
from bonsai.workers.local import LocalWorkers, cores

REPETITIONS, QUICK_REPETITIONS = 10, 2
EVERY_IN_A_LOG = 30.0


def evaluate(
    subject: SubjectArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where everything goes.")] = Path(
        "evaluation"
    ),
    reps: Annotated[
        int | None,
        typer.Option("--reps", metavar="N", min=1, help=f"Repetitions. (default: {REPETITIONS})"),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="B", help="For each node: auto, or executions (5000x). (default: auto)"),
    ] = None,
    bounds: BoundsOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Everything, but little of it: ten minutes on two quiet cores.")
    ] = False,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Also grow with one thing switched off: what does each contribute?")
    ] = False,
    published: Annotated[
        Path | None,
        typer.Option(
            "--published",
            metavar="FOLDER",
            help="Published corpora: folders bonsai and baseline, perhaps of SUBJECT/.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Steps at a time. (default: all cores)")
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> int:
    """Compare Bonsai with the fuzz-then-reduce baseline, as in the paper. Ctrl-C keeps what is done.

    Called again with the same folder, it goes on where it was.

    Example: bonsai evaluate chocopy --quick -o evaluation
    """
    loaded = load_subject(subject)
    within = bounds_of(loaded, bounds)
    asked = Asked((within.idents, within.items, within.depth), seed=seed)
    if quick:
        quickly: dict[str, Any] = dict(QUICK)
        asked = replace(asked, **quickly)
    if budget is not None:
        asked = replace(asked, budget=str(parse_budget(budget)))
    repetitions = reps or (QUICK_REPETITIONS if quick else REPETITIONS)
    wanted = Wanted(repetitions, published, ablation_of(asked) if ablate else {})
    existing = Existing.REPLACE if force else Existing.CONTINUE
    reads = [] if published is None else [published]
    with Output.claim(output, OutputKind.EVALUATION, existing, reads) as claimed:
        data = Data(output, claimed)
        evaluation = Evaluation(loaded, asked, wanted, data)
        evaluation.require_tools()
        workers = LocalWorkers(loaded, jobs or cores())
        try:
            features = features_of(workers)
            if force:
                claimed.clear()
            settle(output, loaded, asked, features, claimed)
            with Interruption() as interruption, LiveLine(quiet, _line, EVERY_IN_A_LOG) as view:
                complete = evaluation.run(workers, view, interruption.requested)
        finally:
            workers.close()
        with claimed.staging() as staged:
            verdicts = build(output, loaded.name, staged)
            measured = [name for name in claimed.manifest.files if name == ASKED or name.startswith(f"{FOLDER}/")]
            claimed.install(staged, last=PAGE, keep=measured)
    for line in [] if quiet else verdicts:
        printed().print(line, markup=False)
    printed().print(str(output / PAGE), markup=False)
    if not complete:
        print_error("interrupted", "call it again with the same options to go on")
        return INTERRUPTED
    return 0


def _line(standing: Standing, seconds: float) -> str:
    left = "" if standing.left is None else f", about {standing.left / 60:.0f} min left"
    return f"{standing.done} of {standing.steps} steps{left}: {', '.join(standing.running)}"
