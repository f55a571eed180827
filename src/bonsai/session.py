"""Settings come in; a run goes out: a subject, workers, the run directory and Algorithm 3, put together.

A run may take several sessions: one that was interrupted or killed is resumed from its run directory.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from time import time

from bonsai.bounds import Bounds
from bonsai.budget import TIME_IS_UP
from bonsai.captions import Unparsed, smallest_unparsed
from bonsai.cbgf import Finding
from bonsai.corpus import Input, Select, size_of
from bonsai.grow import Earlier, Growing, Journal, Result, features_of, key_of
from bonsai.grow_settings import GrowSettings, Reach, asked, record, require_same
from bonsai.lattice import Node
from bonsai.store import NodeRun, Run, RunStore
from bonsai.subject import Subject
from bonsai.workers.tasks import Workers

FIRST_REACH = Bounds(2, 2, 2)
LAST_REACH = 8  # no bound is raised beyond
FOR_PRUNING = 0.08  # the share of a limited time that is kept for what comes after the lattice


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
        self._asked = asked(subject, settings, features)  # now: sources may be edited while the run is going on
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
                **self._asked,
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
    store = RunStore.create(folder, record(subject, settings, features))
    return Session(subject, settings, workers, features, store, Earlier(), seconds), store


def resume(
    store: RunStore, subject: Subject, settings: GrowSettings, workers: Workers, seconds: float | None = None
) -> Session:
    """A further session of the run that a store keeps."""
    features = features_of(workers)
    require_same(store.asked(), record(subject, settings, features))
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
