"""A corpus and its subject come in; what the subject's target says to each input goes out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bonsai.answers import Json, parse_json
from bonsai.corpus_folder import CorpusFile
from bonsai.errors import BonsaiError
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Wanted
from bonsai.targets.settings import PythonTarget

BATCH = 64
RUNS = 4


@dataclass(frozen=True, slots=True)
class Expectation:
    """An input and its answer: `outcome`, with `message` and `output` where there are any, and they recur."""

    file: CorpusFile
    answer: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Expectations:
    """The answers; the inputs without one, on which the target crashes or hangs; and how many answers vary."""

    known: tuple[Expectation, ...]
    unknown: tuple[str, ...]
    varying: int


def expect(subject: Subject, files: Sequence[CorpusFile]) -> Expectations:
    """Run the target several times on every input, in different processes: only what recurs can be expected."""
    texts = [file.text for file in files]
    known, unknown, varying = [], [], 0
    runs = [_run(_with_hash_seed(subject, seed), texts) for seed in range(RUNS)]
    for file, *executions in zip(files, *runs, strict=True):
        answer, *others = [_answer(execution) for execution in executions]
        if executions[0].outcome.is_finding or any(other["outcome"] != answer["outcome"] for other in others):
            unknown.append(file.name)
            continue
        recurring = {key: answer[key] for key in answer if all(other.get(key) == answer[key] for other in others)}
        varying += recurring != answer
        known.append(Expectation(file, recurring))
    if not known:
        raise BonsaiError("the target has no answer to any of the inputs", "it crashes: see bonsai explain FILE")
    return Expectations(tuple(known), tuple(unknown), varying)


def _with_hash_seed(subject: Subject, seed: int) -> Subject:
    """The subject with another order of sets, so that what depends on it shows."""
    if not isinstance(subject.target, PythonTarget):
        return subject
    return replace(subject, target=replace(subject.target, hash_seed=seed))


def _run(subject: Subject, texts: Sequence[str]) -> Iterator[Execution]:
    target = start_target(subject)
    try:
        for start in range(0, len(texts), BATCH):
            yield from target.execute(texts[start : start + BATCH], Wanted.OUTPUT)
    finally:
        target.close()


def _answer(execution: Execution) -> dict[str, Json]:
    answer: dict[str, Json] = {"outcome": execution.outcome.value}
    if execution.outcome.value != "valid":
        answer["message"] = execution.message
    output = parse_json(execution.output)
    return answer if output is None else {**answer, "output": output}
