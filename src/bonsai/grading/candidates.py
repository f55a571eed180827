"""What a user calls a candidate comes in, a command or a Python callable; a target that runs it goes out."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.subject import Subject
from bonsai.targets.command.engine import Command, CommandTarget
from bonsai.targets.engines import start
from bonsai.targets.execution import Target
from bonsai.targets.settings import PythonTarget

TIMEOUT = 10.0  # seconds: a command may have to start a virtual machine
MEMORY = 2**30


@dataclass(frozen=True, slots=True)
class Limits:
    """For each test; where None, the subject's own for callables, and for commands the defaults above."""

    timeout: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A Python function of one argument, the text; modules are looked for in the folder first."""

    call: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Words:
    """A command line, split."""

    words: tuple[str, ...]


Candidate = Call | Words


def read_candidate(text: str) -> Candidate:
    """`module:function` and `path.py:function` are callables, all else is a command."""
    if re.fullmatch(r"[\w.]+:[\w.]+", text) and not re.search(r"\.py:", text):
        return Call(text, Path())
    if match := re.fullmatch(r"(\S+)\.py:([\w.]+)", text):
        path = Path(f"{match[1]}.py")
        if not path.is_file():
            raise BonsaiError(
                f"there is no file {path}", "a candidate is a command, module:function, or path.py:function"
            )
        return Call(f"{path.stem}:{match[2]}", path.parent)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BonsaiError(f"the candidate {text!r} is no command: {error}", "quote it as for a shell") from None
    if not words:
        raise BonsaiError("the candidate is empty", "name a command, module:function, or path.py:function")
    if len(words) == 1 and words[0].endswith(".jar"):
        raise BonsaiError(f"{words[0]} is no command", f'write "java -jar {words[0]} {{file}}", say')
    return Words(words)


def start_candidate(candidate: Candidate, subject: Subject, limits: Limits) -> Target:
    """The candidate, ready to run on inputs of the subject."""
    if isinstance(candidate, Words):
        timeout, memory = limits.timeout or TIMEOUT, limits.memory or MEMORY
        return CommandTarget(Command(candidate.words, subject.suffix, timeout, memory))
    own = subject.target if isinstance(subject.target, PythonTarget) else None
    settings = PythonTarget(
        call=candidate.call,
        cover=(),
        invalid=_known_to_candidates(own.invalid, subject) if own else (),
        unparsed=_known_to_candidates(own.unparsed, subject) if own else (),
        timeout=limits.timeout or (own.timeout if own else TIMEOUT),
        memory=limits.memory or (own.memory if own else MEMORY),
    )
    try:
        return start(settings, candidate.folder)
    except BonsaiError as error:
        raise BonsaiError(f"the candidate cannot be started: {error.message}", error.hint) from None


def _known_to_candidates(exceptions: tuple[str, ...], subject: Subject) -> tuple[str, ...]:
    """All but those that a module in the subject's folder defines: a candidate has no such module."""
    return tuple(
        name
        for name in exceptions
        if not any((subject.folder / f"{name.split('.')[0]}{ending}").exists() for ending in ("", ".py"))
    )
