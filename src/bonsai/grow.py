"""A lattice of fuzzers comes in; one corpus goes out: Bonsai fuzzing (Algorithm 3).

    corpus(F) ← F(one random input), for F at the bottom
    for each fuzzer F above, when all its predecessors are done                in parallel: `workers`
        seeds     ← SortBySize(the union of corpus(P), P in predecessors(F))
        corpus(F) ← F(seeds)                                                   Algorithm 2: `cbgf`
    return corpus(F), for F at the top                                         pruned, and selected

A fuzzer may be split into shards, which start from the same seeds and share its budget; its corpus is what they
found together. Every result and every checkpoint is kept in the journal as it comes, so a run can be resumed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic, time
from typing import Protocol

from bonsai.bounds import Bounds
from bonsai.budget import INTERRUPTED, Budget, NodeBudget, Until, Within
from bonsai.cbgf import Cbgf, Growth, Method, Pruning, State
from bonsai.checkpoint import from_bytes, to_bytes
from bonsai.choices import Choices
from bonsai.corpus import Corpus, Input, Policy, new_corpus
from bonsai.dedup import memory
from bonsai.feedback import Saving
from bonsai.lattice import Lattice, Node
from bonsai.pruning import prune
from bonsai.workers.tasks import Channel, Event, Finished, Kept, Lost, Started, Told, Workers
from bonsai.workers.workshop import Workshop

TARGET, TOP_UP, PRUNE = "target", "top-up", "prune"  # the tasks beside those of the nodes
TELL_EVERY = 0.2  # seconds between two pieces of news
KEEP_EVERY = 30.0  # seconds between two checkpoints
PATIENCE = 0.2


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be grown, and how. Seeds from outside are planted in the nodes that are to start from them."""

    lattice: Lattice
    method: Method
    budget: NodeBudget
    seed: int
    shards: int = 1
    planted: Mapping[Node, Sequence[Choices]] = field(default_factory=dict)
    top_up: Budget | None = None
    deadline: float | None = None  # by the clock, `time()`
    slots: int = 1
    keep_every: float = KEEP_EVERY

    def budget_of(self, node: Node) -> Budget:
        """What one shard of a node may use. With a deadline, no more than its share of the time that is left."""
        budget = self.budget.divided(self.shards)
        if self.deadline is None:
            return budget
        lattice, level = self.lattice, self.lattice.level(node)
        levels = lattice.level(lattice.top) - level + 1
        waiting = sum(lattice.level(one) >= level for one in lattice.nodes()) * self.shards
        return Within(budget, max(self.deadline - time(), 0) / max(levels, waiting / self.slots))


@dataclass(frozen=True, slots=True)
class Result:
    """What one task has found, and why it stopped."""

    node: Node
    stopped: str
    state: State

    def __reduce__(self) -> tuple[object, ...]:
        """Sent as it is stored: compressed, and sharing its inputs with other results when it arrives."""
        return _result, (self.node, self.stopped, to_bytes(self.state))


def _result(node: Node, stopped: str, state: bytes) -> Result:
    return Result(node, stopped, from_bytes(state))


def sort_by_size(inputs: Iterable[Input]) -> list[Input]:
    """All texts once, the smallest first."""
    return sorted({one.text: one for one in inputs}.values(), key=lambda one: one.size)


def key_of(node: Node, shard: int) -> str:
    """The name of the task that is one shard of a node."""
    return str(node) if shard == 0 else f"{node}/{shard}"


@dataclass(frozen=True, slots=True)
class FuzzNode:
    """corpus(F) ← F(seeds): the task of one shard of a node. Its ancestors come before it."""

    plan: Plan
    node: Node
    shard: int
    state: bytes | None = None

    def resumed(self, state: bytes) -> "FuzzNode":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Result:
        ancestors = [one for one in before if isinstance(one, Result)]
        fuzzer = Cbgf(
            workshop.sampler(self.node.bounds),
            workshop.target,
            self.node.saving,
            self.plan.method,
            (self.plan.seed, str(self.node), self.shard),
            memory(self.plan.method.dedup, _handed_on(self.node, ancestors)),
        )
        predecessors = self.plan.lattice.predecessors(self.node)
        corpora = (one.state.members for one in ancestors if one.node in predecessors)
        seeds = sort_by_size(member for corpus in corpora for member in corpus)
        _start(fuzzer, [*seeds, *self.plan.planted.get(self.node, ())], self.state)
        return _watched(fuzzer, self.node, self.plan.budget_of(self.node), self.plan.keep_every, channel)


@dataclass(frozen=True, slots=True)
class TopUp:
    """One conventional fuzzer at the top of the lattice, without seeds: what it finds beyond the corpus."""

    plan: Plan
    budget: Budget
    state: bytes | None = None

    @property
    def node(self) -> Node:
        return self.plan.lattice.top

    def resumed(self, state: bytes) -> "TopUp":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Result:
        sampler, saving = workshop.sampler(self.node.bounds), self.node.saving
        fuzzer = Cbgf(sampler, workshop.target, saving, self.plan.method, (self.plan.seed, TOP_UP))
        _start(fuzzer, [], self.state)
        return _watched(fuzzer, self.node, self.budget, self.plan.keep_every, channel)


@dataclass(frozen=True, slots=True)
class Prune:
    """Smaller witnesses for what the tasks before it have found together, within some bounds."""

    plan: Plan
    bounds: Bounds

    @property
    def node(self) -> Node:
        return Node(self.bounds, Saving.UNRESTRICTED)

    def resumed(self, state: bytes) -> "Prune":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Result:
        found = [one for one in before if isinstance(one, Result)]
        sampler = workshop.sampler(self.bounds)
        fuzzer = Cbgf(
            sampler,
            workshop.target,
            self.node.saving,
            self.plan.method,
            (self.plan.seed, PRUNE),
            memory(self.plan.method.dedup, _handed_on(self.node, found)),
        )
        fuzzer.plant(sort_by_size(member for one in found for member in one.state.members))
        prune(fuzzer.corpus, sampler, fuzzer.offer, channel.stopping)
        return Result(self.node, INTERRUPTED if channel.stopping() else "no smaller witness", fuzzer.state())


def _handed_on(node: Node, ancestors: Iterable[Result]) -> Iterable[bytes]:
    """The texts that need not be executed again. What restricted ones have ignored, unrestricted ones do judge."""
    for one in ancestors:
        yield one.state.seen.judged()
        if node.saving is Saving.RESTRICTED:
            yield one.state.seen.ignored


def _start(fuzzer: Cbgf, seeds: Sequence[Input | Choices], state: bytes | None) -> None:
    """From its seeds, or from its last checkpoint."""
    if state is None:
        fuzzer.plant(seeds)
    else:
        fuzzer.restore(from_bytes(state))


def _watched(fuzzer: Cbgf, node: Node, budget: Budget, keep_every: float, channel: Channel) -> Result:
    """Run a fuzzer that tells how it is doing."""
    told = kept = monotonic()

    def watch(fuzzer: Cbgf) -> None:
        nonlocal told, kept
        now = monotonic()
        if now - told >= TELL_EVERY:
            told = now
            channel.tell(fuzzer.standing())
        if now - kept >= keep_every:
            channel.keep(to_bytes(fuzzer.state()))
            kept = monotonic()

    stopped = fuzzer.run(Until(budget, channel.stopping), watch)
    return Result(node, stopped, fuzzer.state())


@dataclass(frozen=True, slots=True)
class Describe:
    """The features of the target."""

    def resumed(self, state: bytes) -> "Describe":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> tuple[str, ...]:
        return tuple(workshop.target.features)


def features_of(workers: Workers) -> tuple[str, ...]:
    """Start the target, for the first time, and ask for the names of its features."""
    workers.submit(TARGET, Describe())
    for event in workers.events(PATIENCE):
        match event:
            case Finished(_, tuple() as features):
                return features
    raise AssertionError("workers that lose a task say so")


class Journal(Protocol):
    """Where results and checkpoints are kept as they come."""

    def save(self, task: str, stopped: str, state: bytes) -> None: ...

    def checkpoint(self, task: str, state: bytes) -> None: ...

    def note(self, seconds: float, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier sessions of the same run have left behind."""

    results: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)  # why it stopped, and its state
    checkpoints: Mapping[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0


class Growing:
    """A run that is going on: what is done, what is running, and what was found so far."""

    def __init__(self, plan: Plan, workers: Workers, journal: Journal, earlier: Earlier) -> None:
        self.plan = plan
        self.results: dict[str, Result] = {}
        self.running: dict[str, Growth | None] = {}
        self.corpus: Corpus = new_corpus(plan.method.policy, Saving.UNRESTRICTED)  # of all that is done
        self.growth: list[Growth] = []
        self.new: dict[str, int] = {}  # features that were new when a task was done
        self.stopping = ""  # why, if it is
        self._workers = workers
        self._journal = journal
        self._earlier = earlier
        self._began = monotonic() - earlier.seconds

    @property
    def seconds(self) -> float:
        """For how long it has been going on, in all sessions."""
        return monotonic() - self._began

    @property
    def executions(self) -> int:
        """How many there were, as far as is known."""
        done = sum(one.state.tally.executions for one in self.results.values())
        return done + sum(news.executions for news in self.running.values() if news is not None)

    def done(self, node: Node) -> bool:
        """Whether all shards of a node are done."""
        found = (self.results.get(key_of(node, shard)) for shard in range(self.plan.shards))
        return all(one is not None and one.stopped != INTERRUPTED for one in found)

    def stop(self, why: str = INTERRUPTED) -> None:
        """Let the tasks that are running finish early; no other is started."""
        if not self.stopping:
            self.stopping = why
            self._workers.stop()

    def ending(self, result: Result) -> str:
        """Why a task stopped, for people: workers do not know why they were interrupted."""
        return self.stopping if self.stopping and result.stopped == INTERRUPTED else result.stopped

    def grow(self, watch: Callable[["Growing"], None]) -> None:
        """All nodes of the lattice, each after its predecessors."""
        self._submit_lattice()
        if self.plan.top_up is not None:
            self._submit(TOP_UP, TopUp(self.plan, self.plan.top_up), [])
        self._await(watch)

    def raise_to(self, upper: Bounds, watch: Callable[["Growing"], None]) -> None:
        """The nodes that a larger lattice has beyond those that are done."""
        self.plan = replace(self.plan, lattice=replace(self.plan.lattice, upper=upper))
        self._submit_lattice()
        self._await(watch)

    def lower_to(self, upper: Bounds) -> None:
        """Take the upper bounds back; what was found beyond them stays."""
        self.plan = replace(self.plan, lattice=replace(self.plan.lattice, upper=upper))

    def _submit_lattice(self) -> None:
        nodes = self.plan.lattice.nodes()
        for node in nodes:
            ancestors = [one for one in nodes if one < node]
            after = [key_of(one, shard) for one in ancestors for shard in range(self.plan.shards)]
            for shard in range(self.plan.shards):
                self._submit(key_of(node, shard), FuzzNode(self.plan, node, shard), after)

    def prune(self, watch: Callable[["Growing"], None]) -> None:
        """Smaller witnesses for everything that was found."""
        if self.plan.method.pruning is Pruning.ON and self.results and not self.stopping:
            bounds = self.plan.lattice.upper
            for one in self.results.values():  # a bound that did not pay was tried all the same
                bounds = bounds.join(one.node.bounds)
            self._submit(PRUNE, Prune(self.plan, bounds), sorted(self.results))  # not in the order of their ends
            self._await(watch)

    def _submit(self, key: str, task: FuzzNode | TopUp | Prune, after: Sequence[str]) -> None:
        if key in self.results:
            return
        if key in self._earlier.results:
            result = _result(task.node, *self._earlier.results[key])
            self._workers.provide(key, result)
            self._finished(key, result)
        else:
            checkpoint = self._earlier.checkpoints.get(key)
            self._workers.submit(key, task if checkpoint is None else task.resumed(checkpoint), after)

    def _await(self, watch: Callable[["Growing"], None]) -> None:
        for event in self._workers.events(PATIENCE):
            if event is not None:
                self._happened(event)
            watch(self)

    def _happened(self, event: Event) -> None:
        match event:
            case Started(key):
                self.running[key] = None
            case Told(key, news):
                assert isinstance(news, Growth)
                self.running[key] = news
            case Kept(key, state):
                self._journal.checkpoint(key, state)
            case Lost(key, reason):
                self.running.pop(key, None)
                self._journal.note(self.seconds, reason)
            case Finished(key, result):
                assert isinstance(result, Result)
                self.running.pop(key, None)
                if result.stopped == INTERRUPTED:
                    self._journal.checkpoint(key, to_bytes(result.state))
                else:
                    self._journal.save(key, result.stopped, to_bytes(result.state))
                    self._journal.note(self.seconds, f"{key}: {result.stopped}")
                self._finished(key, result)

    def _finished(self, key: str, result: Result) -> None:
        covered = self.corpus.covered
        self.results[key] = result
        for member in sort_by_size(result.state.members):
            self.corpus.add(member)
        self.new[key] = (self.corpus.covered & ~covered).bit_count()
        self.growth.append(Growth.of(self.corpus, self.executions, self.seconds))

    def grown(self) -> Corpus:
        """The corpus of the top, pruned; or as far as it got, of everything that was found."""
        top = key_of(self.plan.lattice.top, 0)
        result = self.results.get(top)
        if self.plan.method.policy is Policy.SMALLEST or self.plan.shards > 1 or result is None:
            return self.corpus
        corpus = new_corpus(self.plan.method.policy, Saving.UNRESTRICTED)
        added = self.results.get(TOP_UP)
        for member in [*result.state.members, *(added.state.members if added else ())]:
            corpus.add(member)
        return corpus
