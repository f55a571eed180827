"""A finished run comes in; the same run goes out with the smallest inputs that kill what its corpus lets live.

As the paper suggests (after Chen et al.): first optimise for coverage, then, when it has saturated, for mutants.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bonsai.corpus import Input
from bonsai.derivation import Derivation
from bonsai.feedback import recurring
from bonsai.mutation.bench import Bench, Kill
from bonsai.mutation.mutants import Mutant
from bonsai.mutation.scoring import Killer, Watch, kill, score, unwatched
from bonsai.store import MutantKill, Run
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Outcome


@dataclass(frozen=True, slots=True)
class Added:
    """The inputs that were added, and the mutants that each of them is the smallest to kill."""

    inputs: list[Input]
    kills: dict[Mutant, Kill]


def with_killers(
    run: Run, subject: Subject, budget: int, seed: int = 0, jobs: int = 1, watch: Watch = unwatched
) -> Run:
    """The run with killing inputs, found with a budget of programs; if it is interrupted, the run as it is."""
    corpus = [Derivation(subject.grammar, one.choices, one.text) for one in run.corpus]
    try:
        with Bench(subject, jobs) as bench:
            grown = score(bench, subject, [one.text for one in corpus], watch=watch)
            killers = kill(bench, subject, corpus, grown.survivors, budget, seed, watch)
            added = _added(bench, subject, killers)
    except KeyboardInterrupt:
        return replace(run, asked={**run.asked, "complete": False})
    figures = {
        "mutants": len(grown.mutants),
        "killed_by_grown": len(grown.by_corpus),
        "killed": len(grown.by_corpus) + len(added.kills),
        "added": len(added.inputs),
    }
    return replace(
        run,
        asked={**run.asked, "mutants": figures},
        corpus=sorted([*run.corpus, *added.inputs], key=lambda one: one.size),
        covered=_united(run.covered, added.inputs),
        covered_by_valid=_united(run.covered_by_valid, [one for one in added.inputs if one.valid]),
        kills=[MutantKill(one.name, one.change, found.how, found.text) for one, found in added.kills.items()],
    )


def _added(bench: Bench, subject: Subject, killers: Sequence[Killer]) -> Added:
    """Of all killing inputs, for each mutant the smallest: what kills one mutant often kills others, too."""
    candidates = _judged(subject, {one.text: one for one in killers})
    kills = bench.kills([one.mutant for one in killers], bench.pool(candidates))
    return Added([candidates[text] for text in {one.text for one in kills.values()}], kills)


def _judged(subject: Subject, killers: dict[str, Killer]) -> dict[str, Input]:
    """The texts as inputs of a corpus; only what recurs counts, as for all that is saved."""
    texts = list(killers)
    target = start_target(subject)
    try:
        pairs = zip(target.execute(texts), target.execute(texts), strict=True) if texts else ()
        return {
            text: Input(
                text, killers[text].choices, first.outcome is Outcome.VALID, recurring(first, again).features
            )
            for text, (first, again) in zip(texts, pairs, strict=True)
            if first.outcome in (Outcome.VALID, Outcome.INVALID)
        }
    finally:
        target.close()


def _united(covered: int, inputs: Sequence[Input]) -> int:
    for one in inputs:
        covered |= one.features
    return covered
