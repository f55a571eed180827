"""The tasks of a run: one for each shard of a node, the top-up, and pruning.

A task is a value that is sent to a worker together with the results of the tasks that it comes after. What it
finds, and how it ended, is a `Result`; a task that fails has one as well, with what it had found until then.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from bonsai.bounds import Bounds
from bonsai.budget import Budget, NodeBudget, Until, Within
from bonsai.cbgf import Cbgf, Method, State, Tally
from bonsai.checkpoint import from_bytes, to_bytes
from bonsai.choices import Choices
from bonsai.corpus import Input, rank_of
from bonsai.dedup import SeenState, memory
from bonsai.ending import Ending
from bonsai.feedback import Discovery, Saving
from bonsai.lattice import Lattice, Node
from bonsai.pruning import Pruner
from bonsai.workers.process import as_bonsai_error
from bonsai.workers.tasks import Channel
from bonsai.workers.workshop import Workshop

TARGET, TOP_UP, PRUNE = "target", "top-up", "prune"  # the tasks beside those of the nodes
TELL_EVERY = 0.2  # seconds between two pieces of news
KEEP_EVERY = 30.0  # seconds between two checkpoints


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
    deadline: float | None = None  # on the submitter's clock, `time()`
    slots: int = 1
    keep_every: float = KEEP_EVERY

    def budget_of(self, node: Node) -> NodeBudget:
        """Returns what one shard of a node may use."""
        return self.budget.divided(self.shards)

    def share_of(self, node: Node, now: float) -> float | None:
        """Returns how many of the remaining seconds one shard of a node may use; None if there is no deadline."""
        if self.deadline is None:
            return None
        lattice, level = self.lattice, self.lattice.level(node)
        levels = lattice.level(lattice.top) - level + 1
        waiting = sum(lattice.level(other) >= level for other in lattice.nodes()) * self.shards
        return max(self.deadline - now, 0) / max(levels, waiting / self.slots)


@dataclass(frozen=True, slots=True)
class Result:
    """What a task has found, how it ended, and if it has failed, why."""

    node: Node
    ending: Ending
    state: State
    reason: str = ""

    def __reduce__(self) -> tuple[object, ...]:
        """Sent as it is stored: compressed, and sharing its inputs with other results when it arrives."""
        return stored_result, (self.node, self.ending, to_bytes(self.state), self.reason)


def stored_result(node: Node, ending: Ending, state: bytes, reason: str) -> Result:
    return Result(node, ending, from_bytes(state), reason)


def empty_state() -> State:
    """Returns the state of a fuzzer that has done nothing."""
    return State((), (), {}, SeenState(), Tally(), Discovery(), (), None, (), 0.0)


def sort_by_size(inputs: Iterable[Input]) -> list[Input]:
    """Returns every text once, the smallest first; of equal texts, the one with the smallest choices."""
    smallest: dict[str, Input] = {}
    for member in sorted(inputs, key=rank_of):
        smallest.setdefault(member.text, member)
    return list(smallest.values())


def members_of(results: Iterable[Result]) -> list[Input]:
    """Returns the members of all these corpora, the smallest first."""
    return sort_by_size(member for result in results for member in result.state.members)


def covered_by(results: Iterable[Result]) -> int:
    """Returns the features that the members of these corpora exercise."""
    covered = 0
    for result in results:
        for member in result.state.members:
            covered |= member.features
    return covered


def key_of(node: Node, shard: int) -> str:
    """Returns the name of the task that is one shard of a node."""
    return str(node) if shard == 0 else f"{node}/{shard}"


def node_of(key: str) -> Node | None:
    """Returns the node whose task has this name, or None if it is not the task of a node."""
    match = re.fullmatch(r"\((\d+),(\d+),(\d+),([ru])\)(/\d+)?", key)
    if match is None:
        return None
    idents, items, depth = map(int, match.group(1, 2, 3))
    saving = Saving.RESTRICTED if match[4] == "r" else Saving.UNRESTRICTED
    return Node(Bounds(idents, items, depth), saving)


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
        ancestors = [result for result in before if isinstance(result, Result)]
        fuzzer = Cbgf(
            workshop.sampler(self.node.bounds),
            workshop.target,
            self.node.saving,
            self.plan.method,
            (self.plan.seed, str(self.node), self.shard),
            memory(self.plan.method.dedup, _handed_on(self.node, ancestors)),
        )
        predecessors = self.plan.lattice.predecessors(self.node)
        seeds = members_of(result for result in ancestors if result.node in predecessors)
        planted = self.plan.planted.get(self.node, ())
        budget: Budget = self.plan.budget_of(self.node)
        share = self.plan.share_of(self.node, channel.now())
        return _watched(
            _Job(fuzzer, seeds, planted, self.state, budget, share), self.node, self.plan.keep_every, channel
        )


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
        return _watched(
            _Job(fuzzer, (), (), self.state, self.budget, None), self.node, self.plan.keep_every, channel
        )


@dataclass(frozen=True, slots=True)
class Prune:
    """Smaller witnesses for what the tasks before it have found together, within some bounds."""

    plan: Plan
    bounds: Bounds
    state: bytes | None = None

    @property
    def node(self) -> Node:
        return Node(self.bounds, Saving.UNRESTRICTED)

    def resumed(self, state: bytes) -> "Prune":
        return replace(self, state=state)

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Result:
        results = [result for result in before if isinstance(result, Result)]
        sampler = workshop.sampler(self.bounds)
        fuzzer = Cbgf(
            sampler,
            workshop.target,
            self.node.saving,
            self.plan.method,
            (self.plan.seed, PRUNE),
            memory(self.plan.method.dedup, _handed_on(self.node, results)),
        )
        pruner = Pruner(fuzzer.corpus, sampler, fuzzer.offer)
        seeds = members_of(results)
        ending, reason = Ending.FINISHED, ""
        kept = monotonic()
        try:
            if self.state is None:
                fuzzer.plant(seeds)
            else:
                state = from_bytes(self.state)
                fuzzer.restore(state)
                pruner.restore(state.members, state.cycle)
                fuzzer.adopt(seeds)
            while pruner.step():
                if channel.stopping():
                    ending = Ending.INTERRUPTED
                    break
                if monotonic() - kept >= self.plan.keep_every:
                    channel.keep(to_bytes(fuzzer.state(pruner.waiting())))
                    kept = monotonic()
        except Exception as error:
            ending, reason = Ending.FAILED, str(as_bonsai_error(error))
        return Result(self.node, ending, fuzzer.state(pruner.waiting()), reason)


def _handed_on(node: Node, ancestors: Iterable[Result]) -> Iterable[bytes]:
    """Yields the texts that need not be executed again. Unrestricted nodes judge what restricted ones ignored."""
    for result in ancestors:
        yield result.state.seen.judged()
        if node.saving is Saving.RESTRICTED:
            yield result.state.seen.ignored


@dataclass(frozen=True, slots=True)
class _Job:
    """A fuzzer, what it starts from, and when it has to stop."""

    fuzzer: Cbgf
    seeds: Sequence[Input]
    planted: Sequence[Choices]
    state: bytes | None  # its last checkpoint, if it has run before
    budget: Budget
    share: float | None  # of the time that is left, in seconds

    def start(self) -> Budget:
        """Plants the seeds, or restores the last checkpoint. Returns when to stop."""
        if self.state is None:
            self.fuzzer.plant([*self.seeds, *self.planted])
        else:
            self.fuzzer.restore(from_bytes(self.state))
            self.fuzzer.adopt(self.seeds)  # their fuzzers may have run on since then
        if self.share is None:
            return self.budget
        return Within(self.budget, self.share, since=self.fuzzer.progress().seconds)


def _watched(job: _Job, node: Node, keep_every: float, channel: Channel) -> Result:
    """Runs a fuzzer that tells how it is doing. If it fails, what it has found until then is its result."""
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

    reason = ""
    try:
        ending = job.fuzzer.run(Until(job.start(), channel.stopping), watch)
    except Exception as error:
        ending, reason = Ending.FAILED, str(as_bonsai_error(error))
    return Result(node, ending, job.fuzzer.state(), reason)


@dataclass(frozen=True, slots=True)
class Describe:
    """The features of the target."""

    def resumed(self, state: bytes) -> "Describe":
        return self

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> tuple[str, ...]:
        return tuple(workshop.target.features)
