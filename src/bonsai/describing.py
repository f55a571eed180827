"""Describes the tests of a run: runs them once more, to see what the target says, and gives them names."""

from collections.abc import Sequence
from dataclasses import replace

from bonsai.captions import Caption, Unparsed, names, parts_of, spelling_of
from bonsai.corpus import Input
from bonsai.errors import BonsaiError
from bonsai.store import Failure, Run
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Wanted
from bonsai.workers.process import as_bonsai_error

LONGEST_OUTPUT = 2000  # characters that are kept


def described(run: Run, subject: Subject) -> Run:
    """Returns the run with captions. If the target cannot be run any more, they are made without it.

    What goes wrong is a failure of the run: names and captions are not what they would have been.
    """
    try:
        texts = [test.text for test in run.corpus] + [example.text for example in run.unparsed]
        executions, error = _executed(subject, texts)
        captioned = _captioned(run, subject, executions)
    except Exception as unforeseen:
        captioned, error = run, as_bonsai_error(unforeseen)
    if error is None:
        return captioned
    return replace(captioned, failures=[*run.failures, Failure("captions", str(error))])


def _captioned(run: Run, subject: Subject, executions: Sequence[Execution | None]) -> Run:
    number = len(run.corpus)
    parts = [parts_of(subject.grammar, test) for test in run.corpus]
    messages = [execution.message if execution else "" for execution in executions]
    spelling = spelling_of(subject.grammar)
    called = names(run.corpus, parts, messages[:number], run.features, spelling)
    captions = [
        Caption(name, part.rules, execution.message if execution else "", _output(execution))
        for name, part, execution in zip(called, parts, executions[:number], strict=True)
    ]
    used = {rule for part in parts for rule in part.rules}
    unparsed = [
        Unparsed(example.text, message, _suspects(subject, example.text, used))
        for example, message in zip(run.unparsed, messages[number:], strict=True)
    ]
    return replace(run, captions=captions, unparsed=unparsed)


def _executed(subject: Subject, texts: Sequence[str]) -> tuple[Sequence[Execution | None], BonsaiError | None]:
    """Returns what the target says to each text; or why it cannot be run, and nothing for each text."""
    try:
        target = start_target(subject)
        try:
            return target.execute(texts, Wanted.OUTPUT), None
        finally:
            target.close()
    except BonsaiError as error:
        return [None] * len(texts), error


def _output(execution: Execution | None) -> str | None:
    if execution is None or execution.output is None:
        return None
    output = execution.output
    return output if len(output) <= LONGEST_OUTPUT else f"{output[: LONGEST_OUTPUT - 1]}…"


def _suspects(subject: Subject, text: str, used: set[str]) -> tuple[str, ...]:
    """The rules of a text that no test uses; where there are none, all of its rules."""
    rules = parts_of(subject.grammar, Input(text, (), valid=False, features=0)).rules
    return tuple(rule for rule in rules if rule not in used) or rules
