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
    """Returns the run with captions. Where the target cannot be run any more, they are made without it.

    If that fails, the run stays as it is, without captions, and says so.
    """
    try:
        return _described(run, subject)
    except Exception as error:
        return replace(run, failures=[*run.failures, Failure("captions", str(as_bonsai_error(error)))])


def _described(run: Run, subject: Subject) -> Run:
    texts = [one.text for one in run.corpus]
    executions = _executed(subject, [*texts, *(one.text for one in run.unparsed)])
    parts = [parts_of(subject.grammar, one) for one in run.corpus]
    messages = [one.message if one else "" for one in executions]
    spelling = spelling_of(subject.grammar)
    called = names(run.corpus, parts, messages[: len(texts)], run.features, spelling)
    captions = [
        Caption(name, made.rules, execution.message if execution else "", _output(execution))
        for name, made, execution in zip(called, parts, executions[: len(texts)], strict=True)
    ]
    used = {rule for one in parts for rule in one.rules}
    unparsed = [
        Unparsed(one.text, message, _suspects(subject, one.text, used))
        for one, message in zip(run.unparsed, messages[len(texts) :], strict=True)
    ]
    return replace(run, captions=captions, unparsed=unparsed)


def _executed(subject: Subject, texts: Sequence[str]) -> list[Execution] | list[None]:
    try:
        target = start_target(subject)
    except BonsaiError:
        return [None] * len(texts)
    try:
        return target.execute(texts, Wanted.OUTPUT)
    except BonsaiError:
        return [None] * len(texts)
    finally:
        target.close()


def _output(execution: Execution | None) -> str | None:
    if execution is None or execution.output is None:
        return None
    output = execution.output
    return output if len(output) <= LONGEST_OUTPUT else f"{output[: LONGEST_OUTPUT - 1]}…"


def _suspects(subject: Subject, text: str, used: set[str]) -> tuple[str, ...]:
    """The rules of a text that no test uses; where there are none, all of its rules."""
    rules = parts_of(subject.grammar, Input(text, (), valid=False, features=0)).rules
    return tuple(rule for rule in rules if rule not in used) or rules
