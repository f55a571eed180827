"""Settings come in; a run goes out: a subject, workers, the run directory and Algorithm 3, put together.

A run may take several sessions: one that was interrupted or killed is resumed from its run directory.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from itertools import cycle
from pathlib import Path
from time import time
from typing import Any

from bonsai.bounds import Bounds
from bonsai.budget import TIME_IS_UP, Auto, NodeBudget, parse_budget
from bonsai.captions import Unparsed, smallest_unparsed
from bonsai.cbgf import METHODS, TREE_MUTATORS, Finding, Method, Pruning
from bonsai.choices import Choices
from bonsai.corpus import Input, Policy, Select, size_of
from bonsai.dedup import Dedup
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow import KEEP_EVERY, Earlier, Growing, Journal, Plan, Result, features_of, key_of
from bonsai.lattice import Kind, Lattice, Node
from bonsai.store import NodeRun, Run, RunStore
from bonsai.subject import Subject, identity, load_subject
from bonsai.version import bonsai_version
from bonsai.workers.tasks import Workers

CHECKPOINT_EVERY = "BONSAI_CHECKPOINT_EVERY"  # seconds; for tests that cannot wait
FIRST_REACH = Bounds(2, 2, 2)
LAST_REACH = 8  # no bound is raised beyond
FOR_PRUNING = 0.08  # the share of a limited time that is kept for what comes after the lattice


class Reach(Enum):
    """Whether the upper bounds stay as they are, or are raised while that pays."""

    FIXED = "fixed"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class GrowSettings:
    """What is asked of a run. None of it can change when a run is resumed."""

    bounds: Bounds
    reach: Reach = Reach.FIXED
    lattice: Kind = Kind.EXTENDED
    budget: NodeBudget = field(default_factory=Auto)
    policy: Policy = Policy.SMALLEST
    select: Select = Select.VALID_FIRST
    seed: int = 0
    shards: int = 1
    top_up: NodeBudget | None = None
    planted: tuple[tuple[Node, tuple[Choices, ...]], ...] = ()
    mutators: tuple[str, ...] = ()  # only these; otherwise the policy's
    dedup: Dedup = Dedup.ANCESTRY
    pruning: Pruning = Pruning.ON
    kill_mutants: int | None = None  # with so many programs; `mutation.killing`, when growing is done

    def method(self) -> Method:
        """How nodes search: as the policy has it, but for what is switched off."""
        method = METHODS[self.policy]
        return replace(
            method,
            mutators={name: TREE_MUTATORS[name] for name in self.mutators} or method.mutators,
            dedup=self.dedup,
            pruning=method.pruning if self.pruning is Pruning.ON else Pruning.OFF,
        )

    def plan(self) -> Plan:
        """The plan for `grow`."""
        return Plan(
            lattice=Lattice(self.bounds, self.lattice),
            method=self.method(),
            budget=self.budget,
            seed=self.seed,
            shards=self.shards,
            planted=dict(self.planted),
            top_up=self.top_up,
            keep_every=float(os.environ.get(CHECKPOINT_EVERY, KEEP_EVERY)),
        )


def asked(subject: Subject, settings: GrowSettings, features: Sequence[str]) -> dict[str, Any]:
    """What was asked, as the first keys of `run.json`; all of it is needed to resume."""
    return {
        **identity(subject, features),
        "bounds": [settings.bounds.idents, settings.bounds.items, settings.bounds.depth],
        "reach": settings.reach.value,
        "lattice": settings.lattice.value,
        "policy": settings.policy.value,
        "select": settings.select.value,
        "seed": settings.seed,
        "budget": str(settings.budget),
        "top_up": None if settings.top_up is None else str(settings.top_up),
        "mutators": list(settings.method().mutators),
        "dedup": settings.dedup.value,
        "pruning": settings.method().pruning.value,
        "kill_mutants": settings.kill_mutants,
        "shards": settings.shards,
        "planted": [
            [[node.bounds.idents, node.bounds.items, node.bounds.depth], node.saving.value, seeds]
            for node, seeds in settings.planted
        ],
        "pools": {name: terminal.values for name, terminal in subject.grammar.terminals.items()}
        if settings.planted
        else {},
    }


def asked_before(found: dict[str, Any]) -> tuple[Subject, GrowSettings]:
    """The subject and the settings of a run that is to be resumed."""
    if found.get("version") != bonsai_version():
        raise BonsaiError(
            f"the run cannot be resumed: it is of Bonsai {found.get('version')}, this is {bonsai_version()}",
            "start a new run, in another folder",
        )
    subject = load_subject(found["folder"])
    if found["pools"]:
        pools = {name: tuple(values) for name, values in found["pools"].items()}
        subject = replace(subject, grammar=subject.grammar.with_pools(pools))
    planted = tuple(
        (Node(Bounds(*bounds), Saving(saving)), tuple(tuple(seed) for seed in seeds))
        for bounds, saving, seeds in found["planted"]
    )
    return subject, GrowSettings(
        bounds=Bounds(*found["bounds"]),
        reach=Reach(found["reach"]),
        lattice=Kind(found["lattice"]),
        budget=parse_budget(found["budget"]),
        policy=Policy(found["policy"]),
        select=Select(found["select"]),
        seed=found["seed"],
        shards=found["shards"],
        top_up=None if found["top_up"] is None else parse_budget(found["top_up"]),
        planted=planted,
        mutators=tuple(found["mutators"]),
        dedup=Dedup(found["dedup"]),
        pruning=Pruning(found["pruning"]),
        kill_mutants=found["kill_mutants"],
    )


def require_same(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to resume where the result would be a mixture."""
    for key, what in (
        ("grammar_hash", "the grammar has changed"),
        ("target_hash", "the target has changed"),
    ):
        if before[key] != now[key]:
            raise BonsaiError(
                f"the run cannot be resumed: {what} (it was {before[key]}, now it is {now[key]})",
                "start a new run, in another folder",
            )


class Session:
    """One session of a run: `begin` or `resume` it, then `grow`."""

    def __init__(
        self,
        subject: Subject,
        settings: GrowSettings,
        workers: Workers,
        features: Sequence[str],
        journal: Journal,
        earlier: Earlier,
        seconds: float | None = None,
    ) -> None:
        self.subject = subject
        self.settings = settings
        self.features = features
        self.journal = journal
        self.earlier = earlier
        self._deadline = None if seconds is None else time() + seconds
        plan = replace(settings.plan(), slots=workers.slots)
        if seconds is not None:
            plan = replace(plan, deadline=time() + seconds * (1 - FOR_PRUNING))
        self.growing = Growing(plan, workers, journal, earlier)
        self.raised: list[Raise] = []
        self._jobs = workers.slots

    def grow(
        self, watch: Callable[[Growing], None] = lambda growing: None, stop: Callable[[], bool] = lambda: False
    ) -> Run:
        """Algorithm 3, then pruning, then selection. If it is stopped, what was found so far."""

        def watched(growing: Growing) -> None:
            if stop():
                growing.stop()
            elif self._deadline is not None and time() >= self._deadline:
                growing.stop(TIME_IS_UP)
            watch(growing)

        self.growing.grow(watched)
        if self.settings.reach is Reach.AUTO:
            self.raised = raise_bounds(self.growing, self.settings.select, watched)
        self.growing.prune(watched)
        return self._run()

    def _run(self) -> Run:
        growing = self.growing
        upper = growing.plan.lattice.upper
        corpus = growing.grown()
        results = list(growing.results.values())
        unstable = 0
        for one in results:
            unstable |= one.state.tally.unstable
        return Run(
            asked={
                **asked(self.subject, self.settings, self.features),
                "bounds": [upper.idents, upper.items, upper.depth],
                "raised": [asdict(one) for one in self.raised],
                "jobs": self._jobs,
                "complete": all(growing.done(node) for node in growing.plan.lattice.nodes()),
            },
            suffix=self.subject.suffix,
            features=self.features,
            corpus=corpus.selected(self.settings.select),
            covered=corpus.covered,
            covered_by_valid=corpus.covered_by_valid,
            unstable=unstable,
            findings=_together(results),
            nodes=[found for node in growing.plan.lattice.nodes() if (found := _node_run(growing, node))],
            growth=growing.growth,
            seconds=growing.seconds,
            unparsed=_unparsed(results),
            judged=sum(one.state.tally.judged for one in results),
        )


@dataclass(frozen=True, slots=True)
class Raise:
    """One attempt to raise a bound: what it added, and whether that paid."""

    bounds: tuple[int, int, int]
    new: int  # features
    saved: int  # characters that the corpus shrank by, as far as it covers the same features
    paid: bool


def raise_bounds(growing: Growing, select: Select, watch: Callable[[Growing], None]) -> list[Raise]:
    """Raise one bound after the other, as long as one of the three pays: what the paper leaves as future work.

    A bound pays if the nodes that it adds find a new feature, or a smaller test for a known one.
    """
    attempts: list[Raise] = []
    failed = 0
    for dimension in cycle(("depth", "items", "idents")):
        if failed == 3 or growing.stopping:
            return attempts
        upper = growing.plan.lattice.upper
        raised = replace(upper, **{dimension: getattr(upper, dimension) + 1})
        failed += 1
        if getattr(raised, dimension) > LAST_REACH:
            continue
        covered, before = growing.corpus.covered, growing.corpus.selected(select)
        growing.raise_to(raised, watch)
        new = (growing.corpus.covered & ~covered).bit_count()
        saved = _total(before, covered) - _total(growing.corpus.selected(select), covered)
        attempt = Raise((raised.idents, raised.items, raised.depth), new, saved, new > 0 or saved > 0)
        attempts.append(attempt)
        if attempt.paid:
            failed = 0
        else:
            growing.lower_to(upper)
    raise AssertionError("a cycle has no end")


def _total(corpus: Sequence[Input], features: int) -> int:
    """The characters that it takes to cover some features: of each, its smallest witness among the corpus."""
    total = 0
    for one in corpus:
        if one.features & features:
            total += one.size[0]
            features &= ~one.features
    return total


def _together(results: Sequence[Result]) -> list[Finding]:
    """The findings of all tasks, each once, with its smallest input."""
    findings: dict[tuple[str, str], Finding] = {}
    for one in (finding for result in results for finding in result.state.findings):
        key = (one.outcome.value, one.message)
        known = findings.get(key, replace(one, times=0))
        text = min(known.text, one.text, key=size_of)
        findings[key] = replace(one, text=text, times=known.times + one.times)
    return [findings[key] for key in sorted(findings)]


def _unparsed(results: Sequence[Result]) -> list[Unparsed]:
    """What was not parsed: the smallest of each task, the smallest first."""
    texts = {one.state.unparsed for one in results if one.state.unparsed is not None}
    return smallest_unparsed(texts)


def _node_run(growing: Growing, node: Node) -> NodeRun | None:
    """What the shards of a node did together; None if none of them was run."""
    keys = [key_of(node, shard) for shard in range(growing.plan.shards)]
    results = [growing.results[key] for key in keys if key in growing.results]
    if not results:
        return None
    tallies = [one.state.tally for one in results]
    covered = 0
    for one in (member.features for result in results for member in result.state.members):
        covered |= one
    return NodeRun(
        bounds=node.bounds,
        validity=node.saving.value,
        executions=sum(one.executions for one in tallies),
        generated=sum(one.generated for one in tallies),
        duplicates=sum(one.duplicates for one in tallies),
        seconds=round(sum(one.state.seconds for one in results), 3),
        covered=covered.bit_count(),
        members=len({member.text for result in results for member in result.state.members}),
        residual=max(one.state.discovery.residual for one in results),
        stopped=", ".join(dict.fromkeys(growing.ending(one) for one in results)),
        new=sum(growing.new[key] for key in keys if key in growing.new),
    )


def begin(
    subject: Subject, settings: GrowSettings, workers: Workers, folder: Path | None, seconds: float | None = None
) -> tuple[Session, RunStore | None]:
    """The first session of a run; without a folder, nothing is kept."""
    features = features_of(workers)
    if folder is None:
        return Session(subject, settings, workers, features, _Forgetful(), Earlier(), seconds), None
    store = RunStore.create(folder, asked(subject, settings, features))
    return Session(subject, settings, workers, features, store, Earlier(), seconds), store


def resume(
    store: RunStore, subject: Subject, settings: GrowSettings, workers: Workers, seconds: float | None = None
) -> Session:
    """A further session of the run that a store keeps."""
    features = features_of(workers)
    require_same(store.asked(), asked(subject, settings, features))
    earlier = Earlier(
        results={key: (one.stopped, one.state) for key, one in store.results().items()},
        checkpoints={key: one.state for key, one in store.checkpoints().items()},
        seconds=store.seconds(),
    )
    return Session(subject, settings, workers, features, store, earlier, seconds)


class _Forgetful:
    """A journal for runs that nobody resumes."""

    def save(self, task: str, stopped: str, state: bytes) -> None: ...

    def checkpoint(self, task: str, state: bytes) -> None: ...

    def note(self, seconds: float, text: str) -> None: ...
