"""Sources of ours, of a driver, or classes to weave come in; what was built of them goes out, from the cache."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.targets.jvm.cache import built, digest, digest_of
from bonsai.targets.jvm.tools import find_javac, run, run_maven

SOURCES = Path(__file__).parent / "java"
JAR = "bonsai-jvm.jar"
WOVEN = "woven.jar"


@dataclass(frozen=True, slots=True)
class Kit:
    """Our own Java side: the jar for the target's process, and what the weaver needs beside it."""

    jar: Path
    libraries: tuple[Path, ...]


def build_kit() -> Kit:
    """Our own jar, built with Maven when it is needed for the first time."""

    def build(folder: Path) -> None:
        project = folder / "project"
        shutil.copytree(SOURCES, project)
        run_maven(["package"], project, "build the JVM side of Bonsai")
        shutil.copy(project / "target" / JAR, folder / JAR)
        shutil.copytree(project / "target" / "dependency", folder / "lib")
        shutil.rmtree(project)

    folder = built("kit", digest_of([SOURCES]), build)
    return Kit(folder / JAR, tuple(sorted((folder / "lib").glob("*.jar"))))


def compile_driver(driver: str, folder: Path, java: Path, classpath: Sequence[Path]) -> list[Path]:
    """The folder with the driver's class, if its source is in the subject's folder."""
    source = folder.resolve() / f"{driver.replace('.', os.sep)}.java"
    if not source.is_file():
        return []
    javac = find_javac(java)

    def build(target: Path) -> None:
        command = [str(javac), "-nowarn", "-encoding", "UTF-8", "-d", str(target)]
        command += ["-sourcepath", str(folder.resolve()), "-cp", joined(classpath), str(source)]
        status, output = run(command, target)
        if status:
            words = ("error:", "symbol:", "wrong version")
            lines = [line.strip() for line in output.splitlines() if any(word in line for word in words)][:2]
            raise BonsaiError(f"driver: javac says {' '.join(lines) or output.strip()}", "correct it")

    sources = [path for path in folder.resolve().rglob("*.java") if path.is_file()]
    key = digest(digest_of(sorted(sources)), digest_of(classpath), str(javac.resolve()))
    return [built("driver", key, build)]


def weave(kit: Kit, java: Path, classpath: Sequence[Path], cover: Sequence[str], omit: frozenset[int]) -> Path:
    """The archive of woven classes: those covered have a probe for every feature that is not omitted."""

    def build(folder: Path) -> None:
        numbers = folder / "omit"
        numbers.write_text("".join(f"{number}\n" for number in sorted(omit)), encoding="utf-8")
        command = [
            str(java),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            joined([kit.jar, *kit.libraries]),
        ]
        command += ["bonsai.weaver.Weaver", str(folder / WOVEN), str(numbers), ",".join(cover)]
        status, output = run([*command, *map(str, classpath)], folder)
        if status == 2:
            message, hint = output.splitlines()[:2]
            raise BonsaiError(message, hint)
        if status:
            reason = (output.strip() or f"{java} exited with status {status}").splitlines()[0]
            raise BonsaiError(f"the weaver failed: {reason}", "are java and classpath in order?")

    own = str(java.resolve())  # a jar can have classes for one version of Java alone
    key = digest(kit.jar.parent.name, ",".join(cover), repr(sorted(omit)), digest_of(classpath), own)
    return built("woven", key, build) / WOVEN


def joined(paths: Sequence[Path]) -> str:
    """A class path as Java wants it."""
    return os.pathsep.join(map(str, paths))
