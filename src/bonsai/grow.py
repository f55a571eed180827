"""Bonsai fuzzing (Algorithm 3): grows one corpus from a lattice of fuzzers.

    corpus(F) ← F(one random input), for F at the bottom
    for each fuzzer F above, when all its predecessors are done                in parallel: `workers`
        seeds     ← SortBySize(the union of corpus(P), P in predecessors(F))
        corpus(F) ← F(seeds)                                                   Algorithm 2: `cbgf`
    return corpus(F), for F at the top                                         pruned, and selected

A fuzzer may be split into shards, which start from the same seeds and share its budget; its corpus is what they
found together. Every result and every checkpoint is kept in the journal as it comes, so a run can be resumed.

A fuzzer that fails is a result like any other, with what it had found until then: its successors start from that.
What is final is put together in the order of the lattice, so it does not matter in which order the tasks end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol

from bonsai.bounds import Bounds
from bonsai.cbgf import Growth, Pruning, State
from bonsai.checkpoint import Stored, from_bytes, to_bytes
from bonsai.corpus import Corpus, Policy, new_corpus
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow_tasks import (
    PRUNE,
    TARGET,
    TOP_UP,
    Describe,
    FuzzNode,
    Plan,
    Prune,
    Result,
    TopUp,
    covered_by,
    empty_state,
    key_of,
    members_of,
    node_of,
    sort_by_size,
    stored_result,
)
from bonsai.lattice import Node
from bonsai.workers.tasks import Event, Failed, Finished, Kept, Lost, Started, Told, Workers

PATIENCE = 0.2


def features_of(workers: Workers) -> tuple[str, ...]:
    """Starts the target for the first time, and returns the names of its features."""
    workers.submit(TARGET, Describe())
    for event in workers.events(PATIENCE):
        match event:
            case Finished(_, tuple() as features):
                return features
            case Failed(_, error):
                raise error
    raise AssertionError("workers say so if they lose a task")


class Journal(Protocol):
    """Where results and checkpoints are kept as they come."""

    def save(self, task: str, ending: Ending, state: bytes, reason: str = "") -> None:
        """Keeps the result of a task. If it is final, the checkpoint of the task is not needed any more."""
        ...

    def checkpoint(self, task: str, state: bytes) -> None:
        """Keeps how far a task has come. A result that it had before is not its result any more."""
        ...

    def note(self, seconds: float, text: str) -> None:
        """Keeps something that happened."""
        ...


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier sessions of the same run have left behind."""

    results: Mapping[str, Stored] = field(default_factory=dict)
    checkpoints: Mapping[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0

    def is_final(self, key: str) -> bool:
        """Returns whether a task was done."""
        return key in self.results and self.results[key].ending.is_final

    def has_failed(self, key: str) -> bool:
        """Returns whether a task has to be done again, because it has failed or was grown from one that has."""
        return key in self.results and not self.results[key].ending.is_final

    def tasks(self) -> set[str]:
        """Returns the names of all tasks that have a result or a checkpoint."""
        return {*self.results, *self.checkpoints}

    def states_of(self, key: str) -> list[bytes]:
        """Returns how far a task has come, the latest state last: one that has failed may be running again."""
        states = [self.results[key].state] if key in self.results else []
        return [*states, self.checkpoints[key]] if key in self.checkpoints else states


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a task: its latest result, and those of earlier sessions that still count."""

    key: str
    results: list[Result]  # the latest first

    @property
    def latest(self) -> Result:
        return self.results[0]


_Task = FuzzNode | TopUp | Prune


class Growing:
    """A run that is going on: what is done, what is running, and what was found so far."""

    def __init__(self, plan: Plan, workers: Workers, journal: Journal, earlier: Earlier) -> None:
        self.plan = plan
        self.results: dict[str, Result] = {}
        self.running: dict[str, Growth | None] = {}
        self.corpus: Corpus = new_corpus(plan.method.policy, Saving.UNRESTRICTED)  # so far, for those who watch
        self.new: dict[str, int] = {}  # of each task that is done, the features that its seeds did not cover
        self.stopping: Ending | None = None  # how the tasks that are running end, if they are to stop
        self.failure: BonsaiError | None = None  # what ended the whole run
        self._workers = workers
        self._journal = journal
        self._earlier = earlier
        self._tasks: dict[str, _Task] = {}
        self._ended_here: list[str] = []  # the tasks that were not done before this session
        self._after: dict[str, frozenset[str]] = {}
        self._began = monotonic() - earlier.seconds

    @property
    def seconds(self) -> float:
        """For how long it has been going on, in all sessions."""
        return monotonic() - self._began

    @property
    def executions(self) -> int:
        """How many there were, as far as is known."""
        done = sum(result.state.tally.executions for result in self.results.values())
        return done + sum(news.executions for news in self.running.values() if news is not None)

    @property
    def complete(self) -> bool:
        """Whether everything that was planned is done. If not, a later session has something to do."""
        planned = [key_of(node, shard) for node in self.plan.lattice.nodes() for shard in range(self.plan.shards)]
        planned += [TOP_UP] if self.plan.top_up is not None else []
        planned += [PRUNE] if self.plan.method.pruning is Pruning.ON else []
        return self.failure is None and all(map(self._is_done, {*planned, *self._tasks}))

    def done(self, node: Node) -> bool:
        """Returns whether all shards of a node are done."""
        return all(self._is_done(key_of(node, shard)) for shard in range(self.plan.shards))

    def _is_done(self, key: str) -> bool:
        return key in self.results and self.results[key].ending.is_final

    def stop(self, why: Ending = Ending.INTERRUPTED) -> None:
        """Lets the tasks that are running finish early; no other one is started."""
        if self.stopping is None:
            self.stopping = why
            self._workers.stop()

    def is_stopping(self) -> bool:
        """Returns whether no further task is started."""
        return self.stopping is not None

    def give_up(self, error: BonsaiError) -> None:
        """Ends the run because of an error that no single task is to blame for. What was found stays."""
        self.failure = error
        self.stopping = self.stopping or Ending.INTERRUPTED
        self.running.clear()

    def distrust(self, reason: str) -> None:
        """Lets a further session find again what this one has found."""
        for key in self._ended_here:
            self._journal.save(key, Ending.FAILED, to_bytes(self.results[key].state), reason)

    def ending(self, result: Result) -> Ending:
        """Returns how a task ended. Workers do not know why they were interrupted."""
        is_stopped = result.ending is Ending.INTERRUPTED
        return self.stopping if is_stopped and self.stopping is not None else result.ending

    def grow(self, watch: Callable[["Growing"], None]) -> None:
        """Runs all nodes of the lattice, each after its predecessors."""
        self._submit_lattice()
        if self.plan.top_up is not None:
            self._submit(TOP_UP, TopUp(self.plan, self.plan.top_up), [])
        self._await(watch)

    def raise_to(self, upper: Bounds, watch: Callable[["Growing"], None]) -> None:
        """Runs the nodes that a larger lattice has beyond those that are done."""
        self.plan = replace(self.plan, lattice=replace(self.plan.lattice, upper=upper))
        self._submit_lattice()
        self._await(watch)

    def lower_to(self, upper: Bounds) -> None:
        """Takes the upper bounds back; what was found beyond them stays."""
        self.plan = replace(self.plan, lattice=replace(self.plan.lattice, upper=upper))

    def _submit_lattice(self) -> None:
        nodes = self.plan.lattice.nodes()
        for node in nodes:
            ancestors = [other for other in nodes if other < node]
            after = [key_of(other, shard) for other in ancestors for shard in range(self.plan.shards)]
            for shard in range(self.plan.shards):
                self._submit(key_of(node, shard), FuzzNode(self.plan, node, shard), after)

    def prune(self, watch: Callable[["Growing"], None]) -> None:
        """Finds smaller witnesses for everything that was found."""
        if self.plan.method.pruning is Pruning.ON and self.results and self.stopping is None:
            bounds = self.plan.lattice.upper
            for result in self.results.values():  # a bound that did not pay was tried all the same
                bounds = bounds.join(result.node.bounds)
            self._submit(PRUNE, Prune(self.plan, bounds), sorted(self.results))  # not in the order of their ends
            self._await(watch)

    def _submit(self, key: str, task: _Task, after: Sequence[str]) -> None:
        """Runs a task, unless an earlier session has done it.

        What was grown from a task that has failed is grown afresh, so that the end is the same as without the
        failure. A task that has seen only a part of what its predecessors now find goes on from where it was.
        """
        if key in self._tasks:
            return
        self._tasks[key] = task
        self._after[key] = frozenset(after)
        earlier = self._earlier
        states = earlier.states_of(key)
        if failed := [before for before in after if earlier.has_failed(before)]:
            if states:
                self._journal.save(key, Ending.FAILED, states[-1], _grown_without(failed))
            self._workers.submit(key, task, after)
        elif earlier.is_final(key) and all(map(earlier.is_final, after)):
            stored = earlier.results[key]
            result = stored_result(task.node, stored.ending, stored.state, stored.reason)
            self._workers.provide(key, result)
            self._finished(key, result)
        else:
            if earlier.is_final(key):
                self._journal.checkpoint(key, states[-1])
            state = earlier.checkpoints.get(key) if earlier.has_failed(key) else next(reversed(states), None)
            self._tasks[key] = task if state is None else task.resumed(state)
            self._workers.submit(key, self._tasks[key], after)

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
                self._tasks[key] = self._tasks[key].resumed(state)
            case Lost(key, reason):
                self.running.pop(key, None)
                self._journal.note(self.seconds, reason)
            case Failed(key, error):
                result = Result(self._tasks[key].node, Ending.FAILED, self._last_state(key), str(error))
                self._workers.provide(key, result)
                self._ended(key, result)
            case Finished(key, result):
                assert isinstance(result, Result)
                self._ended(key, result)

    def _last_state(self, key: str) -> State:
        state = self._tasks[key].state
        return empty_state() if state is None else from_bytes(state)

    def _ended(self, key: str, result: Result) -> None:
        self.running.pop(key, None)
        self._ended_here.append(key)
        state, checkpoint = to_bytes(result.state), self._tasks[key].state
        failed = sorted(other for other in self._after[key] if self._has_failed(other))
        if failed:
            self._journal.save(key, Ending.FAILED, state, _grown_without(failed))
        elif result.ending in (Ending.INTERRUPTED, Ending.OUT_OF_TIME):
            self._journal.checkpoint(key, state)
        else:
            self._journal.save(key, result.ending, state, result.reason)
        if result.ending is Ending.FAILED and not failed and checkpoint is not None:
            self._journal.checkpoint(key, checkpoint)  # from where it is tried again
        words = f"{result.ending.value}: {result.reason}" if result.reason else self.ending(result).value
        self._journal.note(self.seconds, f"{key}: {words}")
        self._finished(key, result)

    def _has_failed(self, key: str) -> bool:
        return key in self.results and self.results[key].ending is Ending.FAILED

    def _finished(self, key: str, result: Result) -> None:
        self.new[key] = (covered_by([result]) & ~covered_by(self._seeds_of(key, result))).bit_count()
        self.results[key] = result
        for member in sort_by_size(result.state.members):
            self.corpus.add(member)

    def _seeds_of(self, key: str, result: Result) -> list[Result]:
        """Returns the results that a task started from: those of its predecessors, or all that come before it."""
        before = [self.results[other] for other in sorted(self._after[key]) if other in self.results]
        if not isinstance(self._tasks[key], FuzzNode):
            return before
        predecessors = self.plan.lattice.predecessors(result.node)
        return [other for other in before if other.node in predecessors]

    def known(self) -> list[Known]:
        """Returns what is known of every task, in the order of the lattice; pruning comes last.

        What earlier sessions have found counts as long as this one is not done with the task. If this session was
        stopped, there may be tasks that it has not come to at all: pruning, and nodes beyond raised bounds.
        """
        kinds, level = {TOP_UP: 1, PRUNE: 2}, self.plan.lattice.level
        nodes = {key: task.node for key, task in self._tasks.items()}
        if self.stopping is not None:
            nodes = self._nodes_before() | nodes
        keys = sorted(nodes, key=lambda key: (kinds.get(key, 0), level(nodes[key]), key))
        known = (Known(key, self._results_of(key, nodes[key])) for key in keys)
        return [task for task in known if task.results]

    def _nodes_before(self) -> dict[str, Node]:
        """Returns the nodes of the tasks that earlier sessions have begun."""
        others = dict.fromkeys((TOP_UP, PRUNE), self.plan.lattice.top)
        nodes = ((key, node_of(key) or others.get(key)) for key in self._earlier.tasks())
        return {key: node for key, node in nodes if node is not None}

    def _results_of(self, key: str, node: Node) -> list[Result]:
        if self._is_done(key):
            return [self.results[key]]
        states = list(reversed(self._earlier.states_of(key)))
        if key in self.results:
            latest = [self.results[key]]
        else:
            latest = []
            running = self._tasks[key].state if key in self._tasks else None
            states = states if running is None or running in states else [running, *states]
        return latest + [Result(node, Ending.INTERRUPTED, from_bytes(state)) for state in states]

    def gathered(self) -> Corpus:
        """Returns the corpus of everything that was found, put together in the order of the lattice."""
        corpus = new_corpus(self.plan.method.policy, Saving.UNRESTRICTED)
        for task in self.known():
            for member in members_of(task.results):
                corpus.add(member)
        return corpus

    def curve(self) -> list[Growth]:
        """Returns how the corpus grew, task by task in the order of the lattice."""
        corpus = new_corpus(self.plan.method.policy, Saving.UNRESTRICTED)
        points: list[Growth] = []
        executions, seconds = 0, 0.0
        for task in self.known():
            executions += task.latest.state.tally.executions
            seconds += task.latest.state.seconds
            for member in members_of(task.results):
                corpus.add(member)
            points.append(Growth.of(corpus, executions, seconds))
        return points

    def grown(self) -> Corpus:
        """Returns the corpus of the top, pruned; or as far as it got, of everything that was found."""
        top = self.results.get(key_of(self.plan.lattice.top, 0))
        if self.plan.method.policy is Policy.SMALLEST or self.plan.shards > 1:
            return self.gathered()
        if top is None or top.ending is Ending.FAILED:  # a top that has failed may not even have its seeds
            return self.gathered()
        corpus = new_corpus(self.plan.method.policy, Saving.UNRESTRICTED)
        added = self.results.get(TOP_UP)
        for member in [*top.state.members, *(added.state.members if added else ())]:
            corpus.add(member)
        return corpus


def _grown_without(failed: Sequence[str]) -> str:
    return f"it was grown without {failed[0]}, which has failed"
