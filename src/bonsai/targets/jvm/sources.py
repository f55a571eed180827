"""The settings of a JVM target come in; the sources of its classes go out, where they are at hand."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from bonsai.errors import BonsaiError
from bonsai.targets.jvm.classpath import expand, local_entries, maven_entries
from bonsai.targets.jvm.jars import classes_of, is_covered
from bonsai.targets.settings import JvmTarget

SOURCES = "-sources.jar"


class JavaSources:
    """The source files of a folder and of archives."""

    def __init__(self, folder: Path, archives: list[Path]) -> None:
        self._folder = folder
        self._places = {name: archive for archive in reversed(archives) for name in _names(archive)}

    def lines(self, outermost: str) -> tuple[str, ...] | None:
        """The file that is named after a class, which is in no other class; None if there is none."""
        name = f"{outermost.replace('.', '/')}.java"
        if (self._folder / name).is_file():
            content = (self._folder / name).read_bytes()
        elif name in self._places:
            with ZipFile(self._places[name]) as archive:
                content = archive.read(name)
        else:
            return None
        return tuple(content.decode("utf-8", "replace").splitlines())


def find_sources(settings: JvmTarget, folder: Path) -> JavaSources:
    """Sources beside the driver, in `name-sources.jar` beside `name.jar`, and in Maven's archives of sources.

    Whatever of it is missing, or cannot be downloaded now, is left out.
    """
    return JavaSources(folder, [*_beside(settings, folder), *_from_maven(settings)])


def _beside(settings: JvmTarget, folder: Path) -> Iterator[Path]:
    with suppress(BonsaiError):
        for entry in local_entries(settings.classpath, folder):
            archive = entry.with_name(f"{entry.stem}{SOURCES}")
            if archive.is_file():
                yield archive


def _from_maven(settings: JvmTarget) -> Iterator[Path]:
    """Only of artifacts with covered classes: nobody looks at the source of a library."""
    with suppress(BonsaiError):
        jars = maven_entries(settings.maven)
        covered = {jar.name for jar in jars if any(is_covered(name, settings.cover) for name in classes_of(jar))}
        for coordinates in settings.maven:
            group, artifact, version = expand(coordinates, "maven").split(":")[:3]
            if f"{artifact}-{version}.jar" in covered:
                found = maven_entries([f"{group}:{artifact}:{version}:sources"])
                yield from (path for path in found if path.name.endswith(SOURCES))


def _names(archive: Path) -> list[str]:
    try:
        with ZipFile(archive) as opened:
            return opened.namelist()
    except (BadZipFile, OSError):
        return []
