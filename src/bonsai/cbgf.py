"""Seeds come in; a corpus goes out: one coverage-guided bounded grammar fuzzer (Algorithm 2).

    repeat
        input  ← next(S)                       the schedule
        input' ← Mutate(input, G, m, n, d)     the mutators, at these bounds
        feedback ← Execute(p, input')          the target
        if feedback is interesting: add input' to S
    until the budget is exhausted

One turn of the loop here is one *visit* of a parent: all its children are made, then executed together, then judged
one after the other. The randomness of a visit comes from (seed, visit), so a fuzzer that is restarted between two
visits goes on as it would have.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import accumulate
from threading import Lock
from time import monotonic

from bonsai.budget import Budget, Progress
from bonsai.choices import Choices, Draws
from bonsai.corpus import Corpus, Input, Policy, mean_size, new_corpus, size_of
from bonsai.dedup import Dedup, Seen, SeenState, memory
from bonsai.derivation import Derivation
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.feedback import Discovery, Saving, recurring
from bonsai.mutators import MUTATORS, Surroundings, mutate
from bonsai.sampler import Sampler
from bonsai.schedule import Energy, Schedule, even_energy, zest_energy
from bonsai.targets.execution import Execution, Outcome, Target

BATCH = 64
ALLOCATIONS = 100_000  # between two searches for cyclic garbage
FRESH_PER_VISIT = 50  # while nothing is saved yet
TREE_MUTATORS = {name: entry.weight for name, entry in MUTATORS.items()}
# The input does not parse, for so many of the first inputs: the grammar is not that of the target.
UNPARSED_CHECKED = 200
UNPARSED_SHARE = 0.9
UNJUDGED = 500  # executions without a single verdict, from no seeds: the driver does not work


class Pruning(Enum):
    """Whether witnesses are made smaller when growing is done."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Method:
    """How a fuzzer searches: what it saves, how it cycles, how it mutates, and what it need not do again.

    With pruning, what all fuzzers of a lattice have found together is made smaller in the end.
    """

    policy: Policy
    energy: Energy
    mutators: dict[str, int]
    dedup: Dedup = Dedup.ANCESTRY
    pruning: Pruning = Pruning.ON


METHODS = {
    Policy.SMALLEST: Method(Policy.SMALLEST, even_energy, TREE_MUTATORS),
    Policy.PAPER: Method(Policy.PAPER, zest_energy, {"zest": 1}, pruning=Pruning.OFF),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A crash or a time-out: its smallest input so far, and how often it was seen."""

    outcome: Outcome
    message: str
    text: str
    times: int


@dataclass(slots=True)
class Tally:
    """What was counted on the way."""

    generated: int = 0
    executions: int = 0
    duplicates: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    unstable: int = 0
    since_change: int = 0
    visits: int = 0

    @property
    def judged(self) -> int:
        """How many inputs the target had a verdict on."""
        return self.outcomes[Outcome.VALID] + self.outcomes[Outcome.INVALID]


@dataclass(frozen=True, slots=True)
class Growth:
    """One point of the curve: how large and how good the corpus was after so many executions."""

    executions: int
    seconds: float
    covered: int
    covered_by_valid: int
    members: int
    mean_size: float

    @classmethod
    def of(cls, corpus: Corpus, executions: int, seconds: float) -> "Growth":
        """The point at which a corpus is."""
        members = corpus.inputs()
        covered, by_valid = corpus.covered.bit_count(), corpus.covered_by_valid.bit_count()
        return cls(executions, seconds, covered, by_valid, len(members), mean_size(members))


@dataclass(frozen=True, slots=True)
class State:
    """All that a fuzzer's future depends on, between two visits; and so also all that it has found.

    `cycle` are the members still to be visited in this cycle, and `novelty` is by member, both by their places.
    """

    members: tuple[Input, ...]
    cycle: tuple[int, ...]
    novelty: dict[int, float]
    seen: SeenState
    tally: Tally
    discovery: Discovery
    findings: tuple[Finding, ...]
    unparsed: str | None
    growth: tuple[Growth, ...]
    seconds: float


class _FewCollections:
    """Derivation trees have no cycles; to look for some among them would take a fifth of the loop's time.

    The collector's threshold belongs to the whole process. So the first fuzzer that runs raises it and the last one
    restores it, in whatever order threads begin and end.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._before = (0, 0, 0)

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._before = gc.get_threshold()
                first, *others = self._before
                gc.set_threshold(first and max(first, ALLOCATIONS), *others)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                gc.set_threshold(*self._before)


_few_collections = _FewCollections()


class Cbgf:
    """The fuzzer F with bounds (m, n, d): call it with seeds.

    What was executed by those from whom `seen` is inherited is not executed again.
    """

    def __init__(
        self,
        sampler: Sampler,
        target: Target,
        saving: Saving,
        method: Method,
        seed: object,
        seen: Seen | None = None,
    ) -> None:
        self.sampler = sampler
        self.target = target
        self.method = method
        self.corpus: Corpus = new_corpus(method.policy, saving)
        self.tally = Tally()
        self.findings: dict[tuple[Outcome, str], Finding] = {}
        self.unparsed: str | None = None
        self.discovery = Discovery()
        self.growth: list[Growth] = []
        self._saving = saving
        self._seed = seed
        self._seen = memory(method.dedup) if seen is None else seen
        self._schedule = Schedule(self.corpus)
        self._derivations: dict[Input, Derivation] = {}
        self._donors: list[Derivation] | None = None  # of all members, until the corpus changes
        self._mutators = [MUTATORS[name].mutator for name in method.mutators]
        self._weights = list(accumulate(method.mutators.values()))
        self._started = monotonic()

    def __call__(
        self,
        seeds: Sequence[Input | Choices],
        budget: Budget,
        watch: Callable[["Cbgf"], None] = lambda fuzzer: None,
    ) -> Ending:
        """Runs until the budget is exhausted; returns how it ended. An interruption leaves the corpus as it is."""
        self.plant(seeds)
        return self.run(budget, watch)

    def plant(self, seeds: Sequence[Input | Choices]) -> None:
        """S ← seeds: inputs that were judged before, and choices, which are executed first; if none, a random one.

        All have to meet the criterion for being saved.
        """
        draws = Draws((self._seed, "seeds"))
        for known in seeds:
            if isinstance(known, Input) and self.corpus.add(known):
                self._schedule.joined(known)
        self.discovery = Discovery(once=self.corpus.covered, twice=self.corpus.covered)  # none of that is new
        replayed = [self.sampler.replay(one, draws) for one in seeds if not isinstance(one, Input)]
        self.offer(replayed if seeds else [self.sampler.sample(draws)])

    def adopt(self, seeds: Sequence[Input]) -> None:
        """Adds inputs that were judged by others while this fuzzer was stopped.

        Seeds that it was planted with before are known, so a fuzzer that adopts them again does not change.
        """
        for seed in seeds:
            if self.corpus.add(seed):
                self._saved(seed)
                self.discovery.once |= seed.features
                self.discovery.twice |= seed.features

    def run(self, budget: Budget, watch: Callable[["Cbgf"], None] = lambda fuzzer: None) -> Ending:
        """Visits parents in turn until the budget is exhausted, and returns how it ended."""
        with _few_collections:
            while (ending := budget.exhausted(self.progress())) is None:
                self._require_verdicts()
                self._visit(Draws((self._seed, self.tally.visits)), budget)
                self.tally.visits += 1
                watch(self)
            return ending

    def _require_verdicts(self) -> None:
        """Raises an error if the target has judged none of many inputs, and there were no seeds."""
        executions = self.tally.executions
        if executions >= UNJUDGED and not self.tally.judged and not self.corpus.inputs():
            raise BonsaiError(f"none of {executions} inputs is judged", "check that the driver works")

    def state(self, waiting: Sequence[Input] | None = None) -> State:
        """Returns a copy of all that counts, to be taken between two visits.

        `waiting` are the members whose turn is still to come, if not the fuzzer's own schedule decides that.
        """
        members = self.corpus.inputs()
        places = {member: place for place, member in enumerate(members)}
        waiting = self._schedule.waiting() if waiting is None else waiting
        return State(
            members=tuple(members),
            cycle=tuple(places[one] for one in waiting),
            novelty={places[one]: share for one, share in self._schedule.novelties().items()},
            seen=self._seen.state(),
            tally=replace(self.tally, outcomes=dict(self.tally.outcomes)),
            discovery=replace(self.discovery),
            findings=tuple(self.findings.values()),
            unparsed=self.unparsed,
            growth=tuple(self.growth),
            seconds=monotonic() - self._started,
        )

    def restore(self, state: State) -> None:
        """Become the fuzzer whose state was taken: from here on, it does what that one did."""
        for member in state.members:
            self.corpus.add(member)
        novelty = {state.members[place]: share for place, share in state.novelty.items()}
        self._schedule.restore([state.members[place] for place in state.cycle], novelty)
        self._seen.restore(state.seen)
        self.tally = replace(state.tally, outcomes=dict(state.tally.outcomes))
        self.discovery = replace(state.discovery)
        self.findings = {(one.outcome, one.message): one for one in state.findings}
        self.unparsed = state.unparsed
        self.growth = list(state.growth)
        self._started = monotonic() - state.seconds

    def progress(self) -> Progress:
        """How far it has come."""
        return Progress(
            executions=self.tally.executions,
            generated=self.tally.generated,
            seconds=monotonic() - self._started,
            residual=self.discovery.residual,
            since_change=self.tally.since_change,
            members=len(self.corpus.inputs()),
        )

    def _visit(self, draws: Draws, budget: Budget) -> None:
        """All children of the parent whose turn it is, as far as the budget goes."""
        parent = self._schedule.next()
        if parent is None:
            children = [self.sampler.sample(draws) for _ in range(FRESH_PER_VISIT)]
        else:
            if self._donors is None:
                self._donors = [self._derivation(member) for member in self.corpus.inputs()]
            around = Surroundings(self.sampler, self._donors)
            derivation = self._derivation(parent)
            energy = self.method.energy(parent, self.corpus, self._schedule.novelty(parent))
            drawn = draws.choices(self._mutators, cum_weights=self._weights, k=energy)
            children = [child for mutator in drawn for child in mutate(mutator, derivation, around, draws)]
        executed = self.tally.executions
        for start in range(0, len(children), BATCH):
            self.offer(children[start : start + BATCH], budget.left(self.progress()))
        if parent is not None:
            self._schedule.visited(parent, len(children), self.tally.executions - executed)
        if not children:  # the space may be used up, so attempts without a child count as well
            self.tally.generated += energy
            self.tally.since_change += energy

    def _derivation(self, member: Input) -> Derivation:
        if member not in self._derivations:
            self._derivations[member] = Derivation(self.sampler.grammar, member.choices, member.text)
        return self._derivations[member]

    def offer(self, programs: Sequence[tuple[str, list[int]]], most: int | None = None) -> None:
        """Execute programs that were not seen before, at most so many, and save those that are interesting."""
        fresh: list[tuple[str, list[int]]] = []
        for place, program in enumerate(programs):
            if len(fresh) == most:
                programs = programs[:place]
                break
            if self._seen.add(program[0]):
                fresh.append(program)
        repeats = len(programs) - len(fresh)
        self.tally.generated += len(programs)
        self.tally.duplicates += repeats
        self.tally.since_change += len(programs)
        self.discovery.observe_repeats(repeats)
        executions = self.target.execute([text for text, _ in fresh]) if fresh else []
        self.tally.executions += len(fresh)
        for (text, choices), execution in zip(fresh, executions, strict=True):
            self._judge(text, choices, execution)

    def _judge(self, text: str, choices: list[int], execution: Execution) -> None:
        outcome = execution.outcome
        self.tally.outcomes[outcome] += 1
        if not self._saving.counts(outcome):
            self.discovery.observe(0)
            if outcome is Outcome.INVALID:
                self._seen.ignore(text)
            self._note(text, execution)
            return
        self.discovery.observe(execution.features)
        valid = outcome is Outcome.VALID
        if self.corpus.interesting(text, valid, execution.features):
            [again] = self.target.execute([text])
            if again.outcome.is_finding:
                self._note(text, again)
            stable = recurring(execution, again)
            self.tally.unstable |= stable.unstable
            candidate = Input(text, tuple(choices), valid, stable.features)
            if self.corpus.add(candidate):
                self._saved(candidate)

    def _saved(self, member: Input) -> None:
        self.tally.since_change = 0
        self._donors = None
        self._schedule.joined(member)
        if len(self._derivations) > 2 * len(self.corpus.inputs()):
            self._derivations = {one: known for one, known in self._derivations.items() if one in self.corpus}
        self.growth.append(self.standing())

    def standing(self) -> Growth:
        """Where it is on the curve."""
        return Growth.of(self.corpus, self.tally.executions, monotonic() - self._started)

    def _note(self, text: str, execution: Execution) -> None:
        """Remember a finding, or the smallest input that the target does not parse."""
        if execution.outcome is Outcome.UNPARSED:
            if self.unparsed is None or size_of(text) < size_of(self.unparsed):
                self.unparsed = text
            self._require_parsing()
        elif execution.outcome.is_finding:
            key = (execution.outcome, execution.message)
            known = self.findings.get(key)
            smaller = text if known is None or size_of(text) < size_of(known.text) else known.text
            self.findings[key] = Finding(*key, smaller, 1 + (known.times if known else 0))

    def _require_parsing(self) -> None:
        unparsed, executed = self.tally.outcomes[Outcome.UNPARSED], sum(self.tally.outcomes.values())
        if executed >= UNPARSED_CHECKED and unparsed > UNPARSED_SHARE * executed:
            raise BonsaiError(
                f"the target does not parse {unparsed} of {executed} inputs, for example {self.unparsed!r}",
                "compare the grammar with the language that the target reads",
            )
