"""Someone else's jar comes in; a target that runs it through a driver, in a warm JVM without probes, goes out."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from bonsai.errors import BonsaiError
from bonsai.targets.execution import Target
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.jvm.building import build_kit, compile_driver
from bonsai.targets.jvm.classpath import local_entries, maven_entries
from bonsai.targets.jvm.engine import Prepared
from bonsai.targets.jvm.tools import find_java
from bonsai.targets.settings import JvmTarget

_CLASS = ".class"


def classes_of(entry: Path) -> set[str]:
    """The names, with dots, of the classes in a jar or folder."""
    if entry.is_dir():
        names: Iterable[str] = (str(path.relative_to(entry)) for path in entry.rglob(f"*{_CLASS}"))
    else:
        try:
            with ZipFile(entry) as archive:
                names = archive.namelist()
        except (BadZipFile, OSError):
            raise BonsaiError(f"{entry} is no jar", "a jar is made by `jar`, Maven or Gradle") from None
    return {name.removesuffix(_CLASS).replace("/", ".") for name in names if name.endswith(_CLASS)}


def is_covered(name: str, cover: Sequence[str]) -> bool:
    """Whether `cover` means a class, as the weaver reads it."""

    def means(pattern: str) -> bool:
        return re.fullmatch(rf"{'.*'.join(map(re.escape, pattern.split('*')))}(\$.*)?", name) is not None

    return any(means(pattern) for pattern in cover if not pattern.startswith("!")) and not any(
        means(pattern[1:]) for pattern in cover if pattern.startswith("!")
    )


def libraries_of(settings: JvmTarget, folder: Path) -> list[Path]:
    """What a subject's program needs beside itself: its class path but for the entries with covered classes."""
    entries = [*local_entries(settings.classpath, folder), *maven_entries(settings.maven)]
    return [entry for entry in entries if not any(is_covered(name, settings.cover) for name in classes_of(entry))]


def start_jar(jar: Path, settings: JvmTarget, sources: Path | None, libraries: Sequence[Path] = ()) -> Target:
    """Start the driver that the settings name; where `sources` has its source, it is compiled against the jar."""
    java, kit = find_java(settings.java), build_kit()
    classpath = [jar.resolve(), *libraries]
    driver = compile_driver(settings.driver, sources, java, [kit.jar, *classpath]) if sources else []
    prepared = Prepared(settings, java, kit, (*driver, *classpath))
    return IsolatedTarget(prepared.program([]), settings.timeout)
