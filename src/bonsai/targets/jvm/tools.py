"""The name of a tool of the Java world comes in; where it is, or what it said when it failed, goes out."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bonsai.errors import BonsaiError

INSTALL_JAVA = "install a JDK, 11 or newer (Debian: apt install default-jdk-headless, macOS: brew install openjdk)"
INSTALL_MAVEN = "install Maven (Debian: apt install maven, macOS: brew install maven)"
PATIENCE = 1200.0  # seconds: Maven may have to download a lot
_UNWANTED = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def java_environment() -> dict[str, str]:
    """The environment without what would change a JVM behind our back."""
    return {name: value for name, value in os.environ.items() if name not in _UNWANTED}


def find_java(java: str, folder: Path = Path()) -> Path:
    """The program `java`: a path to it or to its home, or where "java" is found (JAVA_HOME comes first).

    A relative path begins in the folder, which is the subject's.
    """
    if os.sep in java:
        java = str(folder.resolve() / Path(java).expanduser())
    home = os.environ.get("JAVA_HOME", "")
    places = [Path(home) / "bin" / "java"] if java == "java" and home else []
    if java != "java":
        places = [Path(java) / "bin" / "java"]
    found = next((str(place) for place in places if os.access(place, os.X_OK)), shutil.which(java))
    if found is None or os.path.isdir(found):
        missing = "there is no java on this machine" if java == "java" else f"java: there is no {java}"
        raise BonsaiError(missing, INSTALL_JAVA)
    return Path(found)


def find_javac(java: Path) -> Path:
    """The compiler beside a `java`."""
    for place in (java, java.resolve()):
        if os.access(place.with_name("javac"), os.X_OK):
            return place.with_name("javac")
    raise BonsaiError(f"there is no javac beside {java}: it is no JDK", INSTALL_JAVA)


def find_maven() -> Path:
    """The program `mvn`."""
    found = shutil.which("mvn")
    if found is None:
        raise BonsaiError("there is no mvn on this machine", INSTALL_MAVEN)
    return Path(found)


def run_maven(arguments: Sequence[str], folder: Path, purpose: str) -> None:
    """Run Maven in a folder: with what is on this machine if that is enough, else with the network."""
    maven = str(find_maven())
    for offline in (["-o"], []):
        status, output = run([maven, "-q", "-B", *offline, *arguments], folder)
        if status == 0:
            return
    errors = [line for line in output.splitlines() if line.startswith("[ERROR]")] or output.splitlines() or ["?"]
    reason = errors[0].removeprefix("[ERROR]").strip()
    raise BonsaiError(f"mvn could not {purpose}: {reason}", "is the network there, and are the names right?")


def run(command: Sequence[str], folder: Path) -> tuple[int, str]:
    """The exit status of a program, and what it printed."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=java_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BonsaiError(f"{command[0]} did not end within {PATIENCE:g} seconds", "try it by hand") from None
    except OSError as error:
        raise BonsaiError(f"cannot run {command[0]}: {error.strerror}", "is it a program?") from None
    return done.returncode, _COLOURS.sub("", done.stdout.decode("utf-8", "replace"))
