"""Texts come in; their reductions go out: each as small as a method makes it while it is still worth saving."""

import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from multiprocessing.util import Finalize
from time import monotonic

from bonsai.corpus import Input
from bonsai.errors import BonsaiError
from bonsai.feedback import recurring
from bonsai.parse_back import parse
from bonsai.reduction.characters import reduce_characters
from bonsai.reduction.criterion import Criterion, criteria
from bonsai.reduction.hierarchy import Transformations, reduce_tree
from bonsai.reduction.predicate import Predicate, load_tools
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Outcome, Target


class Method(Enum):
    """How inputs are reduced."""

    CHARACTERS = "characters"  # picire
    GRAMMAR = "grammar"  # picireny as the paper used it: pruning
    HOIST = "hoist"  # picireny at its best: pruning and hoisting


TRANSFORMATIONS = {Method.GRAMMAR: Transformations.PRUNE, Method.HOIST: Transformations.PRUNE_AND_HOIST}


@dataclass(frozen=True, slots=True)
class Reduction:
    """An input and what became of it. `note` says why it was not reduced, or not as it was asked to be."""

    original: str
    text: str
    outcome: Outcome
    tests: int = 0
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Task:
    number: int
    text: str
    criterion: Criterion


Watch = Callable[[int, int], None]


def reduce_corpus(
    subject: Subject,
    texts: Sequence[str],
    method: Method,
    jobs: int = 1,
    watch: Watch = lambda done, tasks: None,
    chosen: Collection[int] | None = None,
) -> list[Reduction]:
    """The reduction of each text, in the order of the texts, each under the criterion that saved it.

    If some are chosen, by their numbers, only these are reduced: a sample of a corpus that would take too long.
    `watch` is told how many inputs are done, of how many. An interruption keeps what is done: the other texts stay
    as they are, with a note. All processes have ended when it returns: `os.times` tells what they took.
    """
    load_tools()
    target = start_target(subject)
    try:
        found, tasks = _plan(target, texts)
        tasks = [task for task in tasks if chosen is None or task.number in chosen]
        watch(0, len(tasks))
        try:
            reductions = (
                _in_processes(subject, tasks, method, jobs) if jobs > 1 else _here(subject, target, tasks, method)
            )
            for done, (number, reduction) in enumerate(reductions, start=1):
                found[number] = reduction
                watch(done, len(tasks))
        except KeyboardInterrupt:
            pass
    finally:
        target.close()
    return found


def _plan(target: Target, texts: Sequence[str]) -> tuple[list[Reduction], list[_Task]]:
    """All texts as they are, and what is to be done. Only features that recur in a second run count."""
    executions, again = target.execute(texts), target.execute(texts)
    found = [
        Reduction(text, text, execution.outcome, note=_unfit(execution))
        for text, execution in zip(texts, executions, strict=True)
    ]
    fit = [number for number, one in enumerate(found) if not one.note]
    judged = [
        Input(
            texts[number],
            (),
            executions[number].outcome is Outcome.VALID,
            recurring(executions[number], again[number]).features,
        )
        for number in fit
    ]
    tasks = []
    for number, criterion in zip(fit, criteria(judged), strict=True):
        text, outcome = texts[number], executions[number].outcome
        if criterion is None:
            found[number] = Reduction(text, text, outcome, note="adds nothing to the others: kept as it is")
        else:
            tasks.append(_Task(number, text, criterion))
            found[number] = Reduction(text, text, outcome, note="interrupted: kept as it is")
    return found, tasks


def _unfit(execution: Execution) -> str:
    """Why an input cannot have been saved; empty if it can."""
    match execution.outcome:
        case Outcome.VALID | Outcome.INVALID:
            return ""
        case Outcome.UNPARSED:
            return "the target does not parse it: kept as it is"
        case Outcome.CRASH | Outcome.TIMEOUT:
            return f"a {execution.outcome.value}: kept as it is"


def _here(
    subject: Subject, target: Target, tasks: Sequence[_Task], method: Method
) -> Iterator[tuple[int, Reduction]]:
    for task in tasks:
        yield task.number, reduce_text(subject, target, task.text, task.criterion, method)


def reduce_text(subject: Subject, target: Target, text: str, criterion: Criterion, method: Method) -> Reduction:
    """One text, as small as a method makes it; by characters where the grammar does not derive it."""
    started = monotonic()
    predicate = Predicate(target, criterion)
    if not predicate(text):
        note = "does not do the same again: kept as it is"
        return Reduction(
            text, text, predicate.execution(text).outcome, predicate.tests, monotonic() - started, note
        )
    reduced, note = None, ""
    if method in TRANSFORMATIONS:
        reduced, note = _by_grammar(subject, text, predicate, TRANSFORMATIONS[method])
    if reduced is None:
        reduced = reduce_characters(text, predicate)
    outcome = predicate.execution(reduced).outcome
    return Reduction(text, reduced, outcome, predicate.tests, monotonic() - started, note)


def _by_grammar(
    subject: Subject, text: str, predicate: Predicate, transformations: Transformations
) -> tuple[str | None, str]:
    """The text reduced on its derivation, or why it cannot be."""
    try:
        derivation = parse(subject.grammar, text)
        if predicate(derivation.text):
            return reduce_tree(derivation, predicate, transformations), ""
    except BonsaiError:
        return None, "not in the grammar: reduced by characters"
    except RecursionError:
        return None, "nested too deeply for picireny: reduced by characters"
    return None, "no longer worth saving when written as the grammar writes it: reduced by characters"


# In several processes: each has a target of its own.

_worker: Callable[[_Task], tuple[int, Reduction]]


def _start_worker(subject: Subject, method: Method) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started them ends them
    target = start_target(subject)
    Finalize(None, target.close, exitpriority=0)  # so that its processor time counts

    def worker(task: _Task) -> tuple[int, Reduction]:
        return task.number, reduce_text(subject, target, task.text, task.criterion, method)

    _worker = worker


def _work(task: _Task) -> tuple[int, Reduction]:
    return _worker(task)


def _in_processes(
    subject: Subject, tasks: Sequence[_Task], method: Method, jobs: int
) -> Iterator[tuple[int, Reduction]]:
    largest_first = sorted(tasks, key=lambda task: -len(task.text))
    with get_context("spawn").Pool(min(jobs, len(tasks) or 1), _start_worker, (subject, method)) as pool:
        yield from pool.imap_unordered(_work, largest_first)
        pool.close()
        pool.join()
