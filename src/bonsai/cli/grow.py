"""`bonsai grow`: the main job, a corpus grown from the bottom up."""

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bonsai.budget import parse_budget
from bonsai.cli.common import (
    INTERRUPTED,
    ForceOption,
    JsonOption,
    QuietOption,
    SeedOption,
    bounds_of,
    print_error,
    print_warning,
    programs_of,
)
from bonsai.cli.grown import exit_code, print_grown
from bonsai.cli.interruption import Interruption
from bonsai.cli.lattice_view import GrowView
from bonsai.cli.progress import Counter
from bonsai.corpus import Policy, Select
from bonsai.corpus_folder import corpus_root, read_corpus
from bonsai.describing import described
from bonsai.durations import parse_duration
from bonsai.errors import BonsaiError
from bonsai.grow_settings import GrowSettings, Reach, asked_before
from bonsai.lattice import Kind, Lattice
from bonsai.mutation.bench import require_mutable
from bonsai.mutation.killing import KillSettings, with_killers
from bonsai.outputs import Existing, OutputKind, require_free
from bonsai.planting import plant
from bonsai.report.writing import write_report
from bonsai.session import FIRST_REACH, Session, begin, resume
from bonsai.store import Run, RunStore
from bonsai.subject import Subject, load_subject
from bonsai.workers.local import LocalWorkers, cores
from bonsai.workers.tasks import Workers

DEFAULT_OUTPUT = Path("out")
KILLING = "5000x"
# What may be said when a run is resumed; everything else was settled when it began.
OF_A_SESSION = {"resume_from", "jobs", "cluster", "time", "as_json", "quiet"}


def grow(
    context: typer.Context,
    subject: Annotated[
        str | None,
        typer.Argument(metavar="SUBJECT", help="A bundled subject by name, or a folder with a bonsai.toml."),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The run directory to write.")
    ] = DEFAULT_OUTPUT,
    bounds: Annotated[
        str | None,
        typer.Option(
            "--bounds",
            metavar="M,N,D|auto",
            help="Most identifiers, items of a repetition, and nested expansions; auto raises what pays. "
            "(default: the subject's)",
        ),
    ] = None,
    lattice: Annotated[
        Kind, typer.Option("--lattice", help="With or without nodes for valid inputs only.")
    ] = Kind.EXTENDED,
    budget: Annotated[
        str,
        typer.Option("--budget", metavar="B", help="For each node: auto, a time (60s) or executions (5000x)."),
    ] = "auto",
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="T",
            help="Time limit, such as 10m; --resume goes on with what is not done by then. (default: no limit)",
        ),
    ] = None,
    policy: Annotated[Policy, typer.Option("--policy", help="What is saved.")] = Policy.SMALLEST,
    select: Annotated[Select, typer.Option("--select", help="What of it is the corpus.")] = Select.VALID_FIRST,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Nodes at the same time. (default: all cores)")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786, or local."),
    ] = None,
    shards: Annotated[int, typer.Option("--shards", metavar="K", min=1, help="Number of shards per node.")] = 1,
    seed: SeedOption = 0,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", metavar="FOLDER", help="Existing inputs to start from.")
    ] = None,
    top_up: Annotated[
        str | None,
        typer.Option("--top-up", metavar="B", help="Add what one conventional fuzzer finds beyond, with a budget."),
    ] = None,
    kill_mutants: Annotated[
        str | None,
        typer.Option(
            "--kill-mutants",
            metavar="B",
            help="In the end, add the smallest inputs that notice small faults in the target, found with this many "
            f"programs. ({KILLING} if no number follows)",
        ),
    ] = None,
    resume_from: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with a run that was stopped or killed.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Grow a test corpus from the bottom up (Algorithm 3 of the paper). Ctrl-C keeps what was found.

    Exit code 1 if a part of the run fails, if the target judges none of the inputs, or has nothing to cover.

    Example: bonsai grow chocopy -o out
    """
    seconds = _seconds(time)
    existing = Existing.REPLACE if force else Existing.REFUSE
    interruption = Interruption()
    store: RunStore | None = None
    try:
        with ExitStack() as handlers, ExitStack() as closing:
            if resume_from is not None:
                _require_no_settings(context)
                output = resume_from
                store = closing.enter_context(RunStore.open(output))
                loaded, settings = asked_before(store.asked())
            else:
                if subject is None:
                    raise BonsaiError("no subject is given", "for example: bonsai grow chocopy, or --resume DIR")
                loaded = load_subject(subject)
                settings = GrowSettings(
                    bounds=FIRST_REACH if bounds == "auto" else bounds_of(loaded, bounds),
                    reach=Reach.AUTO if bounds == "auto" else Reach.FIXED,
                    lattice=lattice,
                    budget=parse_budget(budget),
                    policy=policy,
                    select=select,
                    seed=seed,
                    shards=shards,
                    top_up=None if top_up is None else parse_budget(top_up),
                    kill_mutants=None if kill_mutants is None else programs_of(kill_mutants, "--kill-mutants"),
                )
                if kill_mutants is not None:
                    require_mutable(loaded)
                require_free(output, OutputKind.RUN, existing, [] if seeds is None else [corpus_root(seeds)])
                if seeds is not None:
                    loaded, settings = _planted(loaded, settings, seeds)
            workers = _workers(loaded, jobs, cluster)
            closing.callback(workers.close)
            with GrowView(quiet or as_json) as view:
                if store is None:
                    session, store = begin(loaded, settings, workers, output, seconds, existing)
                    assert store is not None
                    closing.callback(store.close)
                else:
                    session = resume(store, loaded, settings, workers, seconds)
                handlers.enter_context(interruption)
                view.features = len(session.features)
                run = session.grow(view, interruption.requested)
            if settings.kill_mutants is not None and run.asked["complete"]:
                with Counter("mutants", quiet or as_json) as counter:
                    run = _with_killers(run, session, workers, counter, interruption)
            run = described(run, session.subject)
            store.finish(run)
            closing.close()
            write_report(output, print_error)
    except KeyboardInterrupt:
        if store is None:
            raise
        print_error("stopped at once", f"go on from the last checkpoint with bonsai grow --resume {output}")
        return INTERRUPTED
    _print(run, output, as_json, quiet)
    code = exit_code(run, f"what was found is kept; bonsai grow --resume {output} tries again")
    return INTERRUPTED if interruption.requested() else code


def _with_killers(
    run: Run, session: Session, workers: Workers, counter: Counter, interruption: Interruption
) -> Run:
    """Returns the run with inputs that kill mutants, as far as there is time."""
    plan, settings = session.growing.plan, session.settings
    assert settings.kill_mutants is not None
    asked = KillSettings(plan.lattice.upper, settings.kill_mutants, settings.seed, plan.keep_every)

    def stopping() -> bool:
        return interruption.requested() or session.is_out_of_time()

    return with_killers(run, asked, workers, session.journal, session.earlier, counter, stopping)


def _seconds(time: str | None) -> float | None:
    seconds = None if time is None else parse_duration(time)
    if time is not None and not seconds:
        raise BonsaiError(f"{time!r} is not a duration", "write for example --time 90s, --time 10m or --time 1h")
    return seconds


def _require_no_settings(context: typer.Context) -> None:
    """Refuse what cannot change any more."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in OF_A_SESSION:
            allowed = "--jobs, --cluster and --time"
            raise BonsaiError(
                f"{_as_typed(context, name)} cannot be combined with --resume",
                f"a resumed run keeps what it was begun with; only {allowed} can be given",
            )


def _as_typed(context: typer.Context, name: str) -> str:
    """Returns a parameter as it is written on the command line: `--force`, SUBJECT."""
    [parameter] = [each for each in context.command.params if each.name == name]
    return max(parameter.opts, key=len) if parameter.param_type_name == "option" else name.upper()


def _planted(subject: Subject, settings: GrowSettings, folder: Path) -> tuple[Subject, GrowSettings]:
    """Seeds from a folder; files that are none are listed."""
    planting = plant(subject, read_corpus(folder, subject.suffix), Lattice(settings.bounds, settings.lattice))
    for name, reason in planting.left_out.items():
        print_warning(f"{name} is not used as a seed: {reason}", "the run goes on without it")
    return planting.subject, replace(settings, planted=tuple((n, tuple(s)) for n, s in planting.seeds.items()))


def _workers(subject: Subject, jobs: int | None, cluster: str | None) -> Workers:
    if cluster is None:
        return LocalWorkers(subject, jobs or cores())
    from bonsai.workers.cluster import ClusterWorkers  # Dask is slow to import

    return ClusterWorkers(subject, cluster)


def _print(run: Run, output: Path, as_json: bool, quiet: bool) -> None:
    if as_json:
        typer.echo(json.dumps(run.summary()))
    elif quiet:
        typer.echo(str(output))
    else:
        print_grown(run, output)
