"""This machine comes in; what works on it, and what to install for the rest, goes out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from platform import python_version

from bonsai.errors import BonsaiError
from bonsai.extras import EXTRAS, how_to_install, missing
from bonsai.subject import bundled_subjects, load_subject
from bonsai.targets.jvm.cache import cache_folder
from bonsai.targets.jvm.classpath import local_entries
from bonsai.targets.jvm.tools import find_java, find_javac, find_maven, run
from bonsai.targets.settings import JvmTarget

OLDEST_JAVA = 11


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that Bonsai can use: what was found, or what is missing and how to get it."""

    name: str
    found: str | None
    missing: str = ""
    hint: str = ""


def examine() -> list[Finding]:
    """Look at everything; nothing is downloaded, built or written."""
    found = [Finding("Python", python_version())]
    found += [_looked("java", _java), _looked("javac", _javac), _looked("Maven", _maven)]
    found += [_extra(extra) for extra in EXTRAS]
    found += [_looked(f"subject {name}", partial(_subject, name)) for name in bundled_subjects()]
    return [*found, Finding("cache", str(cache_folder()))]


def _looked(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, look())
    except BonsaiError as error:
        return Finding(name, None, error.message, error.hint)


def _java() -> str:
    java = find_java("java")
    _, output = run([str(java), "-version"], Path.cwd())
    version = re.search(r'version "(?:1\.)?(\d+)[^"]*"', output)
    if version is None or int(version[1]) < OLDEST_JAVA:
        said = output.strip().splitlines()[:1] or ["nothing"]
        raise BonsaiError(f"{java} is too old, it says {said[0]}", f"install Java {OLDEST_JAVA} or newer")
    return f"{version[1]} ({java})"


def _javac() -> str:
    return str(find_javac(find_java("java")))


def _maven() -> str:
    return str(find_maven())


def _extra(extra: str) -> Finding:
    name = f"extra {extra}"
    lacking = ", ".join(missing(*EXTRAS[extra]))
    if lacking:
        return Finding(name, None, f"there is no {lacking}", how_to_install(extra))
    return Finding(name, ", ".join(EXTRAS[extra]))


def _subject(name: str) -> str:
    """Whether a subject could be run; Maven's part shows when it is."""
    subject = load_subject(name)
    if subject.target is None:
        return "a grammar to sample from"
    if isinstance(subject.target, JvmTarget):
        find_javac(find_java(subject.target.java))
        find_maven()
        local_entries(subject.target.classpath, subject.folder)
    return f"runs on the {subject.target.engine} engine"
