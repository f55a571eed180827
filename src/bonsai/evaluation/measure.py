"""A subject and texts come in; what they are worth as a corpus goes out: sizes, validity, features, coverage."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median

from bonsai.corpus import size_of
from bonsai.errors import BonsaiError
from bonsai.evaluation.coverage_py import python_coverage
from bonsai.evaluation.jacoco import jvm_coverage
from bonsai.evaluation.third_party import Coverage, Judged
from bonsai.extras import Missing
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Outcome, Target
from bonsai.targets.settings import JvmTarget, PythonTarget

BATCH = 64


@dataclass(frozen=True, slots=True)
class Features:
    """How many features the corpus exercises, of how many, and how many of them by valid inputs."""

    covered: int
    total: int
    by_valid: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured; sizes leave white space out, and `findings` are crashes and time-outs.

    In the place of coverage, there may be what is missing to measure it.
    """

    files: int
    valid: int
    invalid: int
    unparsed: int
    findings: int
    mean_size: float
    median_size: float
    max_size: int
    features: Features
    coverage: Coverage | Missing

    def figures(self) -> dict[str, object]:
        """The same for scripts."""
        figures = asdict(self)
        del figures["coverage"]
        if isinstance(self.coverage, Missing):
            return {**figures, "branches": None, "lines": None}
        return {**figures, "branches": self.coverage.figures("branches"), "lines": self.coverage.figures("lines")}


def measure(subject: Subject, texts: Sequence[str]) -> Measurement:
    """Run the subject's target on the texts: once for its features, once for a third party's coverage."""
    if not texts:
        raise BonsaiError("there are no inputs to measure", "name a corpus that has some")
    target = start_target(subject)
    try:
        judged = judge(target, texts)
    finally:
        target.close()
    executions = [one.execution for one in judged]
    outcomes = [execution.outcome for execution in executions]
    sizes = [size_of(text)[0] for text in texts]
    return Measurement(
        files=len(texts),
        valid=outcomes.count(Outcome.VALID),
        invalid=outcomes.count(Outcome.INVALID),
        unparsed=outcomes.count(Outcome.UNPARSED),
        findings=sum(outcome.is_finding for outcome in outcomes),
        mean_size=fmean(sizes),
        median_size=median(sizes),
        max_size=max(sizes),
        features=Features(
            _union(executions).bit_count(),
            len(target.features),
            _union([one for one in executions if one.outcome is Outcome.VALID]).bit_count(),
        ),
        coverage=_coverage(subject, judged),
    )


def judge(target: Target, texts: Sequence[str]) -> list[Judged]:
    """Run a target on texts."""
    judged = []
    for first in range(0, len(texts), BATCH):
        batch = texts[first : first + BATCH]
        judged += [Judged(*pair) for pair in zip(batch, target.execute(batch), strict=True)]
    return judged


def _union(executions: Sequence[Execution]) -> int:
    union = 0
    for execution in executions:
        union |= execution.features
    return union


def _coverage(subject: Subject, judged: Sequence[Judged]) -> Coverage | Missing:
    try:
        return third_party(subject, judged)
    except Missing as missing:
        return missing


def third_party(subject: Subject, judged: Sequence[Judged]) -> Coverage:
    """What a tool of someone else's says of judged texts."""
    match subject.target:
        case PythonTarget():
            return python_coverage(subject.target, subject.folder, judged)
        case JvmTarget():
            return jvm_coverage(subject.target, subject.folder, judged)
        case None:
            raise AssertionError("a subject without a target has no executions")
