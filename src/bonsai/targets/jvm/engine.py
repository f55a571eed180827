"""The settings of a JVM target come in; the target in a fresh JVM goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.targets.execution import Target
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.jvm.building import Kit, build_kit, compile_driver, joined, weave
from bonsai.targets.jvm.classpath import expand, has_class, local_entries, maven_entries
from bonsai.targets.jvm.tools import find_java, java_environment
from bonsai.targets.process import Program
from bonsai.targets.settings import JvmTarget

OPTIONS = (
    "-XX:+UseSerialGC",  # one thread does the work; others would be in the way of other targets
    "-XX:-OmitStackTraceInFastThrow",  # a crash has a place, however often it happens
    "-XX:-UsePerfData",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-XX:-DontCompileHugeMethods",  # probes make methods longer
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
    "-Duser.timezone=UTC",
    "-Djava.awt.headless=true",
)
HINT = "see java, heap and options in bonsai.toml, and what the driver does when it is initialised"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A JVM target with all that it needs on this machine."""

    settings: JvmTarget
    java: Path
    kit: Kit
    classpath: tuple[Path, ...]

    def program(self, options: Sequence[str]) -> Program:
        """How to start it, with further options for the JVM."""
        settings = self.settings
        command = [str(self.java), *OPTIONS, f"-Xmx{settings.heap}", *options]
        command += [expand(option, "options") for option in settings.options]
        command += ["-cp", joined([self.kit.jar, *self.classpath]), "bonsai.jvm.Server", settings.driver]
        command += [",".join(settings.invalid), ",".join(settings.unparsed)]
        return Program(tuple(command), java_environment(), b"{}", HINT)

    def woven(self, omit: frozenset[int]) -> list[str]:
        """The options that put the probes in."""
        archive = weave(self.kit, self.java, self.classpath, self.settings.cover, omit)
        return [f"-javaagent:{self.kit.jar}={archive}"]


def prepare_jvm(settings: JvmTarget, folder: Path) -> Prepared:
    """Find, download, and build what a target needs; what was built before is found in the cache."""
    java = find_java(settings.java, folder)
    classpath = [*local_entries(settings.classpath, folder), *maven_entries(settings.maven)]
    kit = build_kit()
    driver = compile_driver(settings.driver, folder, java, [kit.jar, *classpath])
    if not any(has_class(entry, settings.driver) for entry in (*driver, *classpath)):
        hint = "its source is looked for in the subject's folder, its class in classpath, then in maven"
        raise BonsaiError(f"driver: there is no class {settings.driver}", hint)
    return Prepared(settings, java, kit, (*driver, *classpath))


def start_jvm(settings: JvmTarget, folder: Path, omit: frozenset[int] = frozenset()) -> Target:
    """Start a driver in a JVM of its own; classes in the subject's folder come first."""
    prepared = prepare_jvm(settings, folder)
    return IsolatedTarget(prepared.program(prepared.woven(omit)), settings.timeout)
