"""The job in a few calls, for use from Python: what `bonsai.<name>` offers beyond single layers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from warnings import warn

from bonsai.bounds import Bounds
from bonsai.budget import Auto, Budget
from bonsai.captions import Unparsed
from bonsai.cbgf import METHODS, Cbgf
from bonsai.choices import Choices, Draws
from bonsai.corpus import Policy, Select
from bonsai.derivation import Derivation
from bonsai.describing import described
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow import Growing
from bonsai.grow_settings import GrowSettings
from bonsai.mutation.bench import require_mutable
from bonsai.mutation.killing import KillSettings, with_killers
from bonsai.mutators import require_mutator
from bonsai.outputs import OutputKind, require_free
from bonsai.report.writing import write_report
from bonsai.sampler import Sampler
from bonsai.schema import RunKind
from bonsai.session import begin
from bonsai.store import Failure, NodeRun, Run
from bonsai.subject import Subject, identity, start_target
from bonsai.targets.execution import Target
from bonsai.workers.local import LocalWorkers
from bonsai.workers.process import as_bonsai_error


def sample(subject: Subject, number: int = 1, bounds: Bounds | None = None, seed: int = 0) -> list[Derivation]:
    """Random programs of a subject within bounds (Algorithm 1); the same seed gives the same programs."""
    sampler = Sampler(subject.grammar, bounds or subject.bounds)
    draws = Draws(seed)
    programs = []
    for _ in range(number):
        text, choices = sampler.sample(draws)
        programs.append(Derivation(subject.grammar, tuple(choices), text))
    return programs


def fuzz(
    subject: Subject,
    bounds: Bounds | None = None,
    budget: Budget | None = None,
    saving: Saving = Saving.UNRESTRICTED,
    policy: Policy = Policy.SMALLEST,
    select: Select = Select.VALID_FIRST,
    mutators: Sequence[str] = (),
    seed: int = 0,
    seeds: Sequence[Choices] = (),
    watch: Callable[[Cbgf], None] = lambda fuzzer: None,
) -> Run:
    """Runs one coverage-guided bounded grammar fuzzer (Algorithm 2).

    After an interruption or an error it returns what was found until then; `failures` of the run has the error.
    """
    started = monotonic()
    bounds = bounds or subject.bounds
    budget = budget or Auto()
    method = METHODS[policy]
    if mutators:
        method = replace(
            method, mutators={require_mutator(name): method.mutators.get(name, 1) for name in mutators}
        )
    sampler = Sampler(subject.grammar, bounds)
    target = start_target(subject)
    failure: BonsaiError | None = None
    try:
        fuzzer = Cbgf(sampler, target, saving, method, seed)
        try:
            stopped = fuzzer(seeds, budget, watch)
        except KeyboardInterrupt:
            stopped = Ending.INTERRUPTED
        except Exception as error:
            stopped, failure = Ending.FAILED, as_bonsai_error(error)
    finally:
        target.close()
    asked: dict[str, object] = {
        "kind": RunKind.FUZZ.value,
        **identity(subject, target.features),
        "bounds": [bounds.idents, bounds.items, bounds.depth],
        "lattice": None,
        "policy": policy.value,
        "select": select.value,
        "seed": seed,
        "budget": str(budget),
        "jobs": 1,
        "shards": 1,
        "mutators": list(method.mutators),
        "restricted": saving is Saving.RESTRICTED,
        "complete": stopped.is_final,
    }
    run = _finished(asked, subject, target, fuzzer, stopped, select, monotonic() - started)
    if failure is None:
        return run
    [node] = run.nodes
    return replace(
        run, nodes=[replace(node, reason=str(failure))], failures=[Failure(RunKind.FUZZ.value, str(failure))]
    )


def _finished(
    asked: dict[str, object],
    subject: Subject,
    target: Target,
    fuzzer: Cbgf,
    stopped: Ending,
    select: Select,
    seconds: float,
) -> Run:
    corpus, tally = fuzzer.corpus, fuzzer.tally
    node = NodeRun(
        bounds=fuzzer.sampler.bounds,
        validity="restricted" if asked["restricted"] else "unrestricted",
        executions=tally.executions,
        generated=tally.generated,
        duplicates=tally.duplicates,
        seconds=round(seconds, 3),
        covered=corpus.covered.bit_count(),
        members=len(corpus.inputs()),
        residual=fuzzer.discovery.residual,
        stopped=stopped,
    )
    return Run(
        asked=asked,
        suffix=subject.suffix,
        features=target.features,
        corpus=corpus.selected(select),
        covered=corpus.covered,
        covered_by_valid=corpus.covered_by_valid,
        unstable=tally.unstable,
        findings=sorted(fuzzer.findings.values(), key=lambda one: (one.outcome.value, one.message)),
        nodes=[node],
        growth=fuzzer.growth,
        seconds=seconds,
        unparsed=[] if fuzzer.unparsed is None else [Unparsed(fuzzer.unparsed)],
        judged=tally.judged,
    )


def grow(
    subject: Subject,
    settings: GrowSettings | None = None,
    folder: Path | None = None,
    jobs: int = 1,
    seconds: float | None = None,
    watch: Callable[[Growing], None] = lambda growing: None,
) -> Run:
    """A corpus grown from the bottom up (Algorithm 3). With a folder, the run directory is written there, and in it
    `report.html`; that this one cannot be written is a warning."""
    settings = settings or GrowSettings(subject.bounds)
    if folder is not None:
        require_free(folder, OutputKind.RUN)
    if settings.kill_mutants is not None:
        require_mutable(subject)
    workers = LocalWorkers(subject, jobs)
    store = None
    try:
        session, store = begin(subject, settings, workers, folder, seconds)
        run = session.grow(watch)
        if settings.kill_mutants is not None and run.asked["complete"]:
            plan = session.growing.plan
            asked = KillSettings(plan.lattice.upper, settings.kill_mutants, settings.seed, plan.keep_every)
            run = with_killers(run, asked, workers, session.journal, session.earlier)
        if store is not None:
            store.finish(described(run, session.subject))
    finally:
        workers.close()
        if store is not None:
            store.close()
    if folder is not None:
        write_report(folder, lambda message, hint: warn(f"{message} ({hint})", RuntimeWarning, stacklevel=4))
    return run
