"""Finds what decides the results of a JVM target: its settings, driver and class path, and the Java that runs it.

What cannot be found on this machine is left out: on a cluster, only the workers need Java and Maven.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.targets.jvm.cache import digest_of
from bonsai.targets.jvm.classpath import expand, local_entries, maven_entries
from bonsai.targets.jvm.tools import find_java, run
from bonsai.targets.parts import CLASS_PATH_ORDER, Parts, digest, setting_parts
from bonsai.targets.settings import JvmTarget

_WORD = re.compile(r"[^\W\d]\w*")


def jvm_parts(settings: JvmTarget, folder: Path) -> Parts:
    """Returns a digest of each part that decides the results of a JVM target."""
    parts = setting_parts(settings, without=["classpath", "java", "options"])
    with suppress(BonsaiError):
        parts["setting options"] = digest(" ".join(expand(option, "options") for option in settings.options))
    with suppress(BonsaiError):
        parts["Java"] = digest(_version(find_java(settings.java, folder)))
    for source in _sources(settings.driver, folder.resolve()):
        parts[source.relative_to(folder.resolve()).as_posix()] = digest(source.read_bytes())
    entries = list(_entries(settings, folder))
    for entry in entries:
        name = f"class folder {entry.name}" if entry.is_dir() else f"jar {entry.name}"
        parts[name] = digest(parts.get(name, "") + digest_of([entry]))  # two may have the same name
    parts[CLASS_PATH_ORDER] = digest("\n".join(entry.name for entry in entries))
    return parts


def _entries(settings: JvmTarget, folder: Path) -> Iterator[Path]:
    with suppress(BonsaiError):
        yield from local_entries(settings.classpath, folder)
    with suppress(BonsaiError):
        yield from maven_entries(settings.maven)


def _version(java: Path) -> str:
    """Returns the version of a Java, from the file that every JDK has in its home, otherwise from Java itself."""
    release = java.resolve().parent.parent / "release"
    if release.is_file():
        found = re.search(r'^JAVA_VERSION="(.+)"$', release.read_text("utf-8", "replace"), re.MULTILINE)
        if found:
            return found[1]
    _, output = run([str(java), "-version"], Path.cwd())
    return output


def _sources(driver: str, folder: Path) -> list[Path]:
    """Returns the source of the driver, and of all classes in the folder that it names, directly or not.

    A word in a source may be the name of a class in any package; other files in the folder, such as a corpus of
    Java programs, do not matter.
    """
    files: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.java")):
        if path.is_file():
            files.setdefault(path.stem, []).append(path)
    sources: dict[Path, None] = {}
    waiting = [path for path in (folder / f"{driver.replace('.', '/')}.java",) if path.is_file()]
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources[path] = None
            words = set(_WORD.findall(path.read_text("utf-8", "replace")))
            waiting += [file for name in files.keys() & words for file in files[name]]
    return sorted(sources)
