"""Runs one session: puts a subject, workers, the run directory and Algorithm 3 together.

A run may take several sessions: one that was interrupted or killed is resumed from its run directory.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from time import time

from bonsai.bounds import Bounds
from bonsai.captions import Unparsed, smallest_unparsed
from bonsai.cbgf import Finding
from bonsai.corpus import Input, Select, size_of
from bonsai.ending import Ending, joint_ending
from bonsai.errors import BonsaiError
from bonsai.grow import Earlier, Growing, Journal, Known, features_of
from bonsai.grow_settings import GrowSettings, Reach, asked, record, require_same
from bonsai.grow_tasks import Result, covered_by, key_of
from bonsai.lattice import Node
from bonsai.outputs import Existing
from bonsai.store import Failure, NodeRun, Run, RunStore
from bonsai.subject import Subject, target_parts
from bonsai.targets.parts import changed_parts
from bonsai.wording import listed
from bonsai.workers.process import as_bonsai_error
from bonsai.workers.tasks import Workers

RUN = "run"  # what has failed, if no single task is to blame
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
        self.journal = journal
        self.earlier = earlier
        self._deadline = None if seconds is None else time() + seconds
        plan = replace(settings.plan(), slots=workers.slots)
        if seconds is not None:
            plan = replace(plan, deadline=time() + seconds * (1 - FOR_PRUNING))
        self.growing = Growing(plan, workers, journal, earlier)
        self.raised: list[Raise] = []
        self._is_raised = settings.reach is Reach.FIXED
        self._parts = target_parts(subject, features)
        self._jobs = workers.slots

    def grow(
        self, watch: Callable[[Growing], None] = lambda growing: None, stop: Callable[[], bool] = lambda: False
    ) -> Run:
        """Runs Algorithm 3, then pruning, then selection. Returns what was found, whatever happens on the way."""

        def watched(growing: Growing) -> None:
            if stop():
                growing.stop()
            elif self.is_out_of_time():
                growing.stop(Ending.OUT_OF_TIME)
            watch(growing)

        try:
            self.growing.grow(watched)
            if self.settings.reach is Reach.AUTO:
                self.raised = raise_bounds(self.growing, self.settings.select, watched)
                self._is_raised = self.growing.stopping is None
            self.growing.prune(watched)
            self._require_same_target()
        except Exception as error:
            self.growing.give_up(as_bonsai_error(error))
        return self._run()

    def _require_same_target(self) -> None:
        """Raises an error if somebody has changed the program under test since the session began.

        Nobody knows which results are of which program, so a further session has to find all of them again.
        """
        changes = changed_parts(self._parts, target_parts(self.subject, self.features))
        if changes:
            error = BonsaiError(
                f"{listed(changes)} changed while the run was going on",
                "start a new run, or undo the change and resume this one",
            )
            self.growing.distrust(str(error))
            raise error

    def is_out_of_time(self) -> bool:
        """Returns whether the time limit of this session is over."""
        return self._deadline is not None and time() >= self._deadline

    def _run(self) -> Run:
        growing = self.growing
        upper = growing.plan.lattice.upper
        corpus = growing.grown()
        known = growing.known()
        unstable = 0
        for task in known:
            unstable |= task.latest.state.tally.unstable
        return Run(
            asked={
                **self._asked,
                "bounds": [upper.idents, upper.items, upper.depth],
                "raised": [asdict(attempt) for attempt in self.raised],
                "jobs": self._jobs,
                "complete": growing.complete and self._is_raised,
            },
            suffix=self.subject.suffix,
            features=self.features,
            corpus=corpus.selected(self.settings.select),
            covered=corpus.covered,
            covered_by_valid=corpus.covered_by_valid,
            unstable=unstable,
            findings=_together(known),
            nodes=_node_runs(growing, known),
            growth=growing.curve(),
            seconds=growing.seconds,
            unparsed=_unparsed(known),
            failures=_failures(growing, known),
            judged=sum(task.latest.state.tally.judged for task in known),
        )


@dataclass(frozen=True, slots=True)
class Raise:
    """One attempt to raise a bound: what it added, and whether that paid."""

    bounds: tuple[int, int, int]
    new: int  # features
    saved: int  # characters that the corpus shrank by, as far as it covers the same features
    paid: bool


def raise_bounds(growing: Growing, select: Select, watch: Callable[[Growing], None]) -> list[Raise]:
    """Raises one bound after the other, as long as one of the three pays: what the paper leaves as future work.

    A bound pays if the nodes that it adds find a new feature, or a smaller test for a known one.
    """
    attempts: list[Raise] = []
    failed = 0
    for dimension in cycle(("depth", "items", "idents")):
        if failed == 3 or growing.is_stopping():
            return attempts
        upper = growing.plan.lattice.upper
        raised = replace(upper, **{dimension: getattr(upper, dimension) + 1})
        failed += 1
        if getattr(raised, dimension) > LAST_REACH:
            continue
        before = growing.gathered()
        growing.raise_to(raised, watch)
        if growing.is_stopping():  # the attempt was cut short: nobody knows what it would have added
            return attempts
        after = growing.gathered()
        new = (after.covered & ~before.covered).bit_count()
        saved = _total(before.selected(select), before.covered) - _total(after.selected(select), before.covered)
        attempt = Raise((raised.idents, raised.items, raised.depth), new, saved, new > 0 or saved > 0)
        attempts.append(attempt)
        if attempt.paid:
            failed = 0
        else:
            growing.lower_to(upper)
    raise AssertionError("a cycle has no end")


def _total(corpus: Sequence[Input], features: int) -> int:
    """Returns how many characters it takes to cover some features: of each, its smallest witness in the corpus."""
    total = 0
    for test in corpus:
        if test.features & features:
            total += test.size[0]
            features &= ~test.features
    return total


def _failures(growing: Growing, known: Sequence[Known]) -> list[Failure]:
    """Returns which tasks have failed, and why; also what ended the whole run, if anything did."""
    failed = [task for task in known if task.latest.ending is Ending.FAILED]
    whole = [] if growing.failure is None else [Failure(RUN, str(growing.failure))]
    return [*(Failure(task.key, task.latest.reason) for task in failed), *whole]


def _together(known: Sequence[Known]) -> list[Finding]:
    """Returns the findings of all tasks, each once, with its smallest input and how often it was seen."""
    findings: dict[tuple[str, str], Finding] = {}
    for task in known:
        for key, finding in _findings_of(task).items():
            if (other := findings.get(key)) is not None:
                finding = _smaller(finding, other, times=finding.times + other.times)
            findings[key] = finding
    return [findings[key] for key in sorted(findings)]


def _findings_of(task: Known) -> dict[tuple[str, str], Finding]:
    """Returns the findings of one task. The states of several sessions have most of them in common."""
    findings: dict[tuple[str, str], Finding] = {}
    for result in task.results:
        for finding in result.state.findings:
            key = (finding.outcome.value, finding.message)
            other = findings.get(key, finding)
            findings[key] = _smaller(finding, other, times=max(finding.times, other.times))
    return findings


def _smaller(finding: Finding, other: Finding, times: int) -> Finding:
    return replace(finding, text=min(finding.text, other.text, key=size_of), times=times)


def _unparsed(known: Sequence[Known]) -> list[Unparsed]:
    """Returns what was not parsed: the smallest text of each task, the smallest first."""
    texts = (result.state.unparsed for task in known for result in task.results)
    return smallest_unparsed({text for text in texts if text is not None})


def _node_runs(growing: Growing, known: Sequence[Known]) -> list[NodeRun]:
    """Returns what each node did that has started."""
    latest = {task.key: task.latest for task in known}
    lattice, shards = growing.plan.lattice, range(growing.plan.shards)
    results = {
        node: [latest[key] for key in (key_of(node, shard) for shard in shards) if key in latest]
        for node in lattice.nodes()
    }
    return [
        _node_run(
            growing, node, results[node], [one for below in lattice.predecessors(node) for one in results[below]]
        )
        for node in lattice.nodes()
        if results[node]
    ]


def _node_run(growing: Growing, node: Node, results: Sequence[Result], seeds: Sequence[Result]) -> NodeRun:
    """Returns what the shards of a node did together, given the results that their seeds came from."""
    tallies = [result.state.tally for result in results]
    covered = covered_by(results)
    return NodeRun(
        bounds=node.bounds,
        validity=node.saving.value,
        executions=sum(tally.executions for tally in tallies),
        generated=sum(tally.generated for tally in tallies),
        duplicates=sum(tally.duplicates for tally in tallies),
        seconds=round(sum(result.state.seconds for result in results), 3),
        covered=covered.bit_count(),
        members=len({member.text for result in results for member in result.state.members}),
        residual=max(result.state.discovery.residual for result in results),
        stopped=joint_ending(map(growing.ending, results)),
        new=(covered & ~covered_by(seeds)).bit_count(),
        reason="; ".join(dict.fromkeys(result.reason for result in results if result.reason)),
    )


def begin(
    subject: Subject,
    settings: GrowSettings,
    workers: Workers,
    folder: Path | None,
    seconds: float | None = None,
    existing: Existing = Existing.REFUSE,
) -> tuple[Session, RunStore | None]:
    """Begins a run. Without a folder, nothing is kept."""
    features = features_of(workers)
    if folder is None:
        return Session(subject, settings, workers, features, _Forgetful(), Earlier(), seconds), None
    store = RunStore.create(folder, record(subject, settings, features), existing)
    return Session(subject, settings, workers, features, store, Earlier(), seconds), store


def resume(
    store: RunStore, subject: Subject, settings: GrowSettings, workers: Workers, seconds: float | None = None
) -> Session:
    """Begins a further session of the run that a store keeps."""
    features = features_of(workers)
    require_same(store.asked(), record(subject, settings, features))
    earlier = Earlier(store.results(), store.checkpoints(), store.seconds())
    return Session(subject, settings, workers, features, store, earlier, seconds)


class _Forgetful:
    """A journal for runs that nobody resumes."""

    def save(self, task: str, ending: Ending, state: bytes, reason: str = "") -> None: ...

    def checkpoint(self, task: str, state: bytes) -> None: ...

    def note(self, seconds: float, text: str) -> None: ...
