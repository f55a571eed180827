"""A corpus, its subject and a candidate come in; which tests the candidate passes goes out."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from time import monotonic

from bonsai.answers import Compare, Difference, difference
from bonsai.corpus import size_of
from bonsai.corpus_folder import CorpusFile
from bonsai.errors import BonsaiError, TargetLost
from bonsai.grading.candidates import Broken, BrokenTarget, Candidate, Limits, start_candidate
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Outcome, Target, Wanted

BATCH = 64


@dataclass(frozen=True, slots=True)
class Graded:
    """One test and how the candidate did on it; no difference means that it passed."""

    file: CorpusFile
    difference: Difference | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Grade:
    """All tests, smallest first. On those that were skipped, the reference itself has no answer."""

    subject: str
    compare: Compare
    graded: tuple[Graded, ...]
    skipped: tuple[str, ...]

    @property
    def failed(self) -> list[Graded]:
        return [one for one in self.graded if one.difference]

    @property
    def alike(self) -> str | None:
        """Why every single test fails, if it is for the same reason: then it is rarely about the tests."""
        reasons = {one.difference.why if one.difference else None for one in self.graded}
        return reasons.pop() if len(reasons) == 1 and len(self.graded) > 1 else None

    @property
    def passed(self) -> list[Graded]:
        return [one for one in self.graded if not one.difference]


def grade(
    subject: Subject,
    files: Sequence[CorpusFile],
    candidate: Candidate,
    compare: Compare = Compare.OUTPUT,
    limits: Limits | None = None,
    jobs: int = 1,
    watch: Callable[[int], None] = lambda done: None,
) -> Grade:
    """Run the candidate on each test, and compare its answer with the reference's."""
    files = sorted(files, key=lambda file: (size_of(file.text), file.name))
    started, jobs = _start(candidate, subject, limits or Limits(), jobs)  # first: it is what may be wrong
    try:
        answers = _reference_answers(subject, [file.text for file in files])
        tests = [
            (file, answer) for file, answer in zip(files, answers, strict=True) if not answer.outcome.is_finding
        ]
        if not tests:
            raise BonsaiError(
                "the reference has no answer to any of the inputs", "it crashes: see bonsai explain FILE"
            )
        started += [
            start_candidate(candidate, subject, limits or Limits()) for _ in range(1, min(jobs, len(tests)))
        ]
        graded = []
        with _grading(started, subject, compare) as run:
            for one in run(tests):
                graded.append(one)
                watch(len(graded))
    finally:
        for target in started:
            target.close()
    skipped = [file.name for file, answer in zip(files, answers, strict=True) if answer.outcome.is_finding]
    return Grade(subject.name, compare, tuple(graded), tuple(skipped))


def _start(candidate: Candidate, subject: Subject, limits: Limits, jobs: int) -> tuple[list[Target], int]:
    """The first of the targets, and how many there should be: of a broken candidate, one is enough."""
    try:
        return [start_candidate(candidate, subject, limits)], jobs
    except Broken as broken:
        return [BrokenTarget(str(broken))], 1


def _reference_answers(subject: Subject, texts: Sequence[str]) -> list[Execution]:
    target = start_target(subject)
    try:
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return [answer for batch in batches for answer in target.execute(batch, Wanted.OUTPUT)]
    finally:
        target.close()


Test = tuple[CorpusFile, Execution]


@contextmanager
def _grading(
    targets: Sequence[Target], subject: Subject, compare: Compare
) -> Iterator[Callable[[Sequence[Test]], Iterator[Graded]]]:
    """A thread for each target; when interrupted, only what is running is waited for."""
    free: SimpleQueue[Target] = SimpleQueue()
    for target in targets:
        free.put(target)

    def run(test: Test) -> Graded:
        file, answer = test
        target = free.get()
        try:
            began = monotonic()
            try:
                [execution] = target.execute([file.text], Wanted.OUTPUT)
            except TargetLost as lost:  # it has started before: what it does is its own fault
                execution = Execution(Outcome.CRASH, message=lost.message)
            seconds = monotonic() - began
        finally:
            free.put(target)
        return Graded(file, difference(answer, execution, compare, subject.errors), seconds)

    executor = ThreadPoolExecutor(len(targets))
    try:
        yield lambda tests: executor.map(run, tests)
    finally:
        executor.shutdown(cancel_futures=True)
