"""The `classpath` and `maven` of a JVM target come in; the jars and folders that they mean go out."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZipFile, is_zipfile

from bonsai.errors import BonsaiError
from bonsai.targets.jvm.cache import built, digest, forget
from bonsai.targets.jvm.tools import run_maven

RESOLVER = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_NAMES = ("groupId", "artifactId", "version", "classifier")


def expand(text: str, key: str) -> str:
    """A text in which `${NAME}` and `${NAME:-default}` stand for variables of the environment."""

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        found = os.environ.get(name) or default
        if found is None:
            raise BonsaiError(f"{key}: {name} is not set", f"set the environment variable {name}, to a path say")
        return found

    return _VARIABLE.sub(value, text)


def local_entries(paths: Sequence[str], folder: Path) -> list[Path]:
    """Jars and folders of classes; relative paths begin in the subject's folder."""
    entries = []
    for path in paths:
        for part in expand(path, "classpath").split(os.pathsep):
            entry = folder.resolve() / Path(part).expanduser()
            if not entry.exists():
                raise BonsaiError(f"classpath: there is no {entry}", "paths are relative to the subject's folder")
            if not entry.is_dir() and not is_zipfile(entry):
                raise BonsaiError(f"classpath: {entry} is no jar", "name a jar, or a folder of classes")
            entries.append(entry)
    return entries


def has_class(entry: Path, name: str) -> bool:
    """Whether a class, by its name with dots, is in a jar or folder."""
    file = f"{name.replace('.', '/')}.class"
    if entry.is_dir():
        return (entry / file).is_file()
    if not is_zipfile(entry):
        return False
    with ZipFile(entry) as archive:
        return file in archive.namelist()


def maven_entries(coordinates: Sequence[str]) -> list[Path]:
    """The jars of Maven coordinates, group:artifact:version and perhaps :classifier, and of all that they need."""
    wanted = [expand(one, "maven") for one in coordinates]
    for one in wanted:
        if not re.fullmatch(r"[\w.-]+(:[\w.-]+){2,3}", one):
            raise BonsaiError(f"maven: {one!r} is no artifact", 'write "group:artifact:version"')
    if not wanted:
        return []
    found, jars = _resolved(wanted)
    if not all(jar.exists() for jar in jars):  # someone has tidied up Maven's own folder
        forget(found)
        found, jars = _resolved(wanted)
    for jar in jars:
        if not jar.exists():
            raise BonsaiError(f"maven: there is no {jar}", f"remove {found}, and try again")
    return jars


def _resolved(wanted: list[str]) -> tuple[Path, list[Path]]:
    """The entry of the cache, and the jars that it names."""

    def build(folder: Path) -> None:
        (folder / "pom.xml").write_text(_project(wanted), encoding="utf-8")
        run_maven([RESOLVER, "-Dmdep.outputFile=classpath.txt"], folder, f"find {' and '.join(wanted)}")

    found = built("classpath", digest(*wanted), build)
    names = (found / "classpath.txt").read_text(encoding="utf-8").strip().split(os.pathsep)
    return found, [Path(name) for name in names]


def _project(wanted: list[str]) -> str:
    needs = ""
    for one in wanted:
        values = zip(_NAMES, one.split(":"), strict=False)
        needs += (
            f"<dependency>{''.join(f'<{name}>{escape(value)}</{name}>' for name, value in values)}</dependency>"
        )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>bonsai</groupId><artifactId>target</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{needs}</dependencies></project>\n"
    )
