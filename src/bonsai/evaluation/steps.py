"""The steps of an evaluation, as tasks for workers: a corpus is made, measured, and run against mutants.

A step that is asked to stop returns nothing: it will be done again from its beginning.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Self

from bonsai.bounds import Bounds
from bonsai.budget import Budget, Executions, Until
from bonsai.cbgf import METHODS, Cbgf
from bonsai.corpus import Policy, size_of
from bonsai.ending import Ending
from bonsai.evaluation.heatmap import heatmap
from bonsai.evaluation.measure import judge, third_party
from bonsai.evaluation.records import Blind, Corpus, Measured, Scored, Scores
from bonsai.feedback import Saving
from bonsai.grow_settings import GrowSettings
from bonsai.grow_tasks import PRUNE
from bonsai.mutation.bench import Bench
from bonsai.mutation.scoring import Score, scores
from bonsai.reduction.reducing import Method, reduce_corpus
from bonsai.session import begin
from bonsai.targets.execution import Outcome
from bonsai.workers.local import LocalWorkers
from bonsai.workers.tasks import Channel
from bonsai.workers.workshop import Workshop


class _Step:
    """What all steps have in common: they are short enough to have no checkpoints."""

    __slots__ = ()

    def resumed(self, state: bytes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Grow(_Step):
    """Bonsai, by whatever policy; after another, with as many executions, the same for each node."""

    settings: GrowSettings

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Corpus | None:
        started, settings = monotonic(), self.settings
        for one in before:
            if isinstance(one, Corpus):
                nodes = len(settings.plan().lattice.nodes())
                settings = replace(settings, budget=Executions(-(-one.executions // nodes)))
        workers = LocalWorkers(workshop.subject, 1)
        try:
            session, _ = begin(workshop.subject, settings, workers, None)
            run = session.grow(stop=channel.stopping)
        finally:
            workers.close()
        if channel.stopping():
            return None
        pruned = session.growing.results.get(PRUNE)
        return Corpus(
            [one.text for one in run.corpus],
            session.growing.executions,
            monotonic() - started,
            pruning_seconds=pruned.state.seconds if pruned else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Baseline(_Step):
    """One fuzzer at the top bounds, with as many executions as the Bonsai before it that had most of them."""

    bounds: Bounds
    seed: int

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Corpus | None:
        started = monotonic()
        budget = Executions(max(one.executions for one in before if isinstance(one, Corpus)))
        sampler, method = workshop.sampler(self.bounds), METHODS[Policy.PAPER]
        fuzzer = Cbgf(sampler, workshop.target, Saving.UNRESTRICTED, method, (self.seed, "baseline"))
        if fuzzer([], Until(budget, channel.stopping)) is Ending.INTERRUPTED:
            return None
        texts = [one.text for one in fuzzer.corpus.inputs()]
        return Corpus(texts, fuzzer.tally.executions, monotonic() - started)


@dataclass(frozen=True, slots=True)
class Reduce(_Step):
    """Reduces the corpus before it, or a sample of at most so many inputs, evenly spread in their order."""

    method: Method
    sample: int | None = None

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Corpus | None:
        [original] = (one for one in before if isinstance(one, Corpus))
        number = len(original.texts)
        chosen = spread(number, number if self.sample is None else self.sample)
        started, cpu = monotonic(), sum(os.times()[:4])
        found = reduce_corpus(
            workshop.subject, original.texts, self.method, watch=_interrupting(channel), chosen=chosen
        )
        if channel.stopping():
            return None
        return Corpus(
            texts=[found[one].text for one in chosen],
            executions=sum(one.tests for one in found),
            seconds=monotonic() - started,
            cpu_seconds=sum(os.times()[:4]) - cpu,
            sample_of=number if len(chosen) < number else 0,
        )


def spread(number: int, sample: int) -> list[int]:
    """Returns at most so many of the first `number` integers: the middles of parts that are as equal as can be."""
    sample = min(sample, number)
    return [(2 * place + 1) * number // (2 * sample) for place in range(sample)]


@dataclass(frozen=True, slots=True)
class Measure(_Step):
    """Sizes, outcomes, features and third-party coverage of the corpus before it."""

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Measured:
        [corpus] = (one for one in before if isinstance(one, Corpus))
        judged = judge(workshop.target, corpus.texts)
        covered = covered_by_valid = 0
        for one in judged:
            covered |= one.execution.features
            covered_by_valid |= one.execution.features if one.execution.outcome is Outcome.VALID else 0
        coverage = third_party(workshop.subject, judged)
        return Measured(
            sizes=[size_of(text)[0] for text in corpus.texts],
            outcomes=[one.execution.outcome.value for one in judged],
            features=covered.bit_count(),
            features_by_valid=covered_by_valid.bit_count(),
            features_total=len(workshop.target.features),
            branches=coverage.total("branches"),
            lines=coverage.total("lines"),
            tool=coverage.tool,
        )


@dataclass(frozen=True, slots=True)
class ScoreMutants(_Step):
    """The mutation scores of the corpora before it, which have these names; black-box fuzzing is within bounds."""

    names: tuple[str, ...]
    bounds: Bounds
    programs: int
    seed: int

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Scores | None:
        corpora = [one.texts for one in before if isinstance(one, Corpus)]
        subject, watch = replace(workshop.subject, bounds=self.bounds), _interrupting(channel)
        try:
            with Bench(subject) as bench:
                found = scores(bench, subject, corpora, self.programs, self.seed, watch)
        except KeyboardInterrupt:
            return None
        return Scores({name: self._scored(one) for name, one in zip(self.names, found, strict=True)})

    def _scored(self, found: Score) -> Scored:
        killed = len(found.by_corpus)
        with_fuzzing = killed + len(found.by_fuzzing)
        return Scored(len(found.mutants), killed, with_fuzzing, self.programs, round(found.seconds, 3))


@dataclass(frozen=True, slots=True)
class SampleBlindly(_Step):
    """The paper's heat-maps."""

    most: int
    budget: Budget
    seed: int

    def __call__(self, workshop: Workshop, before: Sequence[object], channel: Channel) -> Blind | None:
        points = []
        for point in heatmap(workshop.subject, workshop.target, self.most, self.budget, self.seed):
            points.append(point)
            if channel.stopping():
                return None
        return Blind(points)


def _interrupting(channel: Channel) -> Callable[..., None]:
    """For what tells how far it is and does not ask: it is interrupted when it is time to stop."""

    def watch(*_: object) -> None:
        if channel.stopping():
            raise KeyboardInterrupt

    return watch
