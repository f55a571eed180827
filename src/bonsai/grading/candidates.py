"""What a user calls a candidate comes in, a command, a Python callable or a jar; a target that runs it goes out."""

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.subject import Subject
from bonsai.targets.command.engine import PLACEHOLDER, Command, CommandTarget
from bonsai.targets.engines import start
from bonsai.targets.execution import Execution, Outcome, Target, Wanted
from bonsai.targets.jvm.building import build_kit
from bonsai.targets.jvm.jars import classes_of, is_covered, libraries_of, start_jar
from bonsai.targets.jvm.tools import find_java
from bonsai.targets.settings import JvmTarget, PythonTarget

TIMEOUT = 10.0  # seconds: a command may have to start a virtual machine
MEMORY = 2**30
FORMS = "a candidate is a command, module:function, path.py:function, path.jar or path.jar:Driver"


@dataclass(frozen=True, slots=True)
class Limits:
    """For each test; where None, the subject's own for callables and jars, and for commands the defaults above."""

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


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar and its driver: a class in it, a source file (`.java`), or None for the subject's own driver."""

    path: Path
    driver: str | None


Candidate = Call | Words | Jar


class Broken(BonsaiError):
    """A candidate is there and does not start: its own fault, a failure of every test, and no wrong call."""


class BrokenTarget:
    """A `Target` in the place of a broken candidate."""

    features: Sequence[str] = ()

    def __init__(self, why: str) -> None:
        self._why = why

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        """A crash for each text."""
        return [Execution(Outcome.CRASH, message=self._why) for _ in texts]

    def close(self) -> None:
        """There is nothing to stop."""


@contextmanager
def _blaming() -> Iterator[None]:
    """What goes wrong in here is the candidate's fault."""
    try:
        yield
    except BonsaiError as error:
        raise Broken(f"the candidate cannot be started: {error.message}", error.hint) from None


def read_candidate(text: str) -> Candidate:
    """`path.jar`, perhaps with `:Driver`, is a jar; `path.py:function` and `module:function` are callables; all
    else is a command."""
    if match := re.fullmatch(r"(\S+\.jar)(?::(\S+))?", text):
        return Jar(_file(match[1]), match[2])
    if re.fullmatch(r"[\w.]+:[\w.]+", text) and not re.search(r"\.py:", text):
        return Call(text, Path())
    if match := re.fullmatch(r"(\S+)\.py:([\w.]+)", text):
        path = _file(f"{match[1]}.py")
        return Call(f"{path.stem}:{match[2]}", path.parent)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BonsaiError(f"the candidate {text!r} is no command: {error}", "quote it as for a shell") from None
    if not words:
        raise BonsaiError("the candidate is empty", FORMS)
    for placeholder in re.findall(r"\{\w*\}", text):
        if placeholder != PLACEHOLDER:
            hint = f"write {PLACEHOLDER} for the input's file; without it, the input is on stdin"
            raise BonsaiError(f"{placeholder} in the candidate stands for nothing", hint)
    return Words(words)


def _file(name: str) -> Path:
    if not Path(name).is_file():
        raise BonsaiError(f"there is no file {name}", FORMS)
    return Path(name)


def start_candidate(candidate: Candidate, subject: Subject, limits: Limits) -> Target:
    """The candidate, ready to run on inputs of the subject; raises `Broken` where that is its own fault."""
    if isinstance(candidate, Words):
        timeout, memory = limits.timeout or TIMEOUT, limits.memory or MEMORY
        return CommandTarget(Command(candidate.words, subject.suffix, timeout, memory))
    if isinstance(candidate, Jar):
        return _start_jar(candidate, subject, limits)
    return _start_call(candidate, subject, limits)


# Python


def _start_call(candidate: Call, subject: Subject, limits: Limits) -> Target:
    package, folder = candidate.call.partition(":")[0].split(".")[0], candidate.folder.resolve()
    if PathFinder.find_spec(package, [str(folder), *sys.path]) is None:
        raise BonsaiError(f"there is no module {package} in {folder}, nor where Python looks", FORMS)
    own = subject.target if isinstance(subject.target, PythonTarget) else None
    others = [one for one in subject.folders if one != folder]
    settings = PythonTarget(
        call=candidate.call,
        cover=(),
        invalid=_known_to_candidates(own.invalid, others) if own else (),
        unparsed=_known_to_candidates(own.unparsed, others) if own else (),
        timeout=limits.timeout or (own.timeout if own else TIMEOUT),
        memory=limits.memory or (own.memory if own else MEMORY),
    )
    with _blaming():
        return start(settings, candidate.folder)


def _known_to_candidates(exceptions: tuple[str, ...], folders: list[Path]) -> tuple[str, ...]:
    """All but those that a module in one of these folders defines: a candidate has no such module."""
    return tuple(
        name
        for name in exceptions
        if not any((folder / f"{name.split('.')[0]}{end}").exists() for folder in folders for end in ("", ".py"))
    )


# Jars


def _start_jar(candidate: Jar, subject: Subject, limits: Limits) -> Target:
    own = subject.target if isinstance(subject.target, JvmTarget) else None
    java, _ = find_java(own.java if own else "java", subject.folder), build_kit()
    with _blaming():
        classes = classes_of(candidate.path)
    if candidate.driver is None:
        return _start_in_place(candidate.path, classes, own, subject, limits)
    settings = JvmTarget(
        driver=_driver(candidate, candidate.driver, classes),
        classpath=(),
        maven=(),
        cover=(),
        invalid=_known_to_jars(own.invalid, classes) if own else (),
        unparsed=_known_to_jars(own.unparsed, classes) if own else (),
        java=str(java),
        heap=limits.memory or (own.heap if own else MEMORY),
        timeout=limits.timeout or (own.timeout if own else TIMEOUT),
    )
    is_source = candidate.driver.endswith(".java")
    with _blaming():
        return start_jar(candidate.path, settings, Path(candidate.driver).parent if is_source else None)


def _start_in_place(
    jar: Path, classes: set[str], own: JvmTarget | None, subject: Subject, limits: Limits
) -> Target:
    """With the subject's driver, and without the reference: what the jar lacks must not come from there."""
    hint = f"name a driver: {jar}:package.Driver, or {jar}:path/Driver.java"
    if own is None:
        raise BonsaiError(f"{jar} needs a driver, as {subject.name} is no subject of the JVM engine", hint)
    if not any(is_covered(name, own.cover) for name in classes):
        raise Broken(f"{jar} has none of the classes that {subject.name} covers", hint)
    java = str(find_java(own.java, subject.folder))
    settings = replace(own, java=java, heap=limits.memory or own.heap, timeout=limits.timeout or own.timeout)
    libraries = libraries_of(own, subject.folder)
    with _blaming():
        return start_jar(jar, settings, subject.folder, libraries)


def _driver(candidate: Jar, name: str, classes: set[str]) -> str:
    if name.endswith(".java"):
        return _file(name).stem
    if name not in classes:
        raise Broken(
            f"there is no class {name} in {candidate.path}",
            "write package.Driver, or path/Driver.java for a source that is compiled with the jar",
        )
    return name


def _known_to_jars(exceptions: tuple[str, ...], classes: set[str]) -> tuple[str, ...]:
    """Java's own, and those that the jar has."""
    return tuple(name for name in exceptions if name in classes or name.startswith("java."))
