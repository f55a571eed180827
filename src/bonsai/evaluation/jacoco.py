"""A JVM target and inputs come in; the lines and branches that they cover go out, as JaCoCo counts them."""

import csv
import re
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.evaluation.third_party import NOTHING, Coverage, Judged, Share
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.jvm.classpath import maven_entries
from bonsai.targets.jvm.engine import Prepared, prepare_jvm
from bonsai.targets.jvm.tools import run
from bonsai.targets.settings import JvmTarget

# What the published figures were measured with; later versions leave more branches out as a compiler's own.
JACOCO = "0.8.6"
NEWEST_READ = 59  # the class files of Java 15
JACOCO_FOR_NEWER = "0.8.13"
BATCH = 64


def jvm_coverage(settings: JvmTarget, folder: Path, judged: Sequence[Judged]) -> Coverage:
    """Run the target in a JVM of its own that JaCoCo watches, without our probes."""
    prepared = prepare_jvm(settings, folder)
    with tempfile.TemporaryDirectory(prefix="bonsai-jacoco-") as name:
        place = Path(name)
        (place / "data").mkdir()
        newest = extract_classes(prepared.classpath, settings.cover, place / "classes")
        version = JACOCO if newest <= NEWEST_READ else JACOCO_FOR_NEWER
        _execute(prepared, _agent(version, settings.cover), place / "data", judged)
        return _read(f"JaCoCo {version}", _report(prepared.java, version, place))


def _execute(prepared: Prepared, agent: str, data: Path, judged: Sequence[Judged]) -> None:
    """Run all inputs; those that may end their process, and lose what its batch has covered, run by themselves."""
    program = prepared.program([agent, f"-Dbonsai.jacoco={data}"])
    calm = [one.text for one in judged if not one.execution.outcome.is_finding]
    with IsolatedTarget(program, prepared.settings.timeout) as target:
        for first in range(0, len(calm), BATCH):
            target.execute(calm[first : first + BATCH])
        for one in judged:
            if one.execution.outcome.is_finding:
                target.execute([one.text])


def _agent(version: str, cover: Sequence[str]) -> str:
    jar = _jar("agent", version, "runtime")
    includes = ":".join(
        one for pattern in cover if not pattern.startswith("!") for one in (pattern, f"{pattern}$*")
    )
    excludes = ":".join(pattern[1:] for pattern in cover if pattern.startswith("!"))
    return f"-javaagent:{jar}=output=none,includes={includes},excludes={excludes}"


def _jar(part: str, version: str, classifier: str) -> Path:
    jars = maven_entries([f"org.jacoco:org.jacoco.{part}:{version}:{classifier}"])
    return next(jar for jar in jars if jar.name == f"org.jacoco.{part}-{version}-{classifier}.jar")


def _report(java: Path, version: str, place: Path) -> Path:
    report = place / "report.csv"
    data = [str(file) for file in sorted((place / "data").glob("*.exec"))]
    command = [str(java), "-jar", str(_jar("cli", version, "nodeps")), "report", *data]
    status, output = run([*command, "--classfiles", str(place / "classes"), "--csv", str(report)], place)
    if status:
        reason = (output.strip().splitlines() or ["no word"])[-1]
        raise BonsaiError(f"JaCoCo could not read the classes: {reason}", f"it is version {version}")
    return report


def _read(tool: str, report: Path) -> Coverage:
    branches: dict[str, Share] = defaultdict(lambda: NOTHING)
    lines: dict[str, Share] = defaultdict(lambda: NOTHING)
    with report.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for packages, kind in ((branches, "BRANCH"), (lines, "LINE")):
                covered = int(row[f"{kind}_COVERED"])
                packages[row["PACKAGE"]] += Share(covered, covered + int(row[f"{kind}_MISSED"]))
    return Coverage(tool, dict(branches), dict(lines))


def extract_classes(classpath: Sequence[Path], cover: Sequence[str], into: Path) -> int:
    """Writes the covered classes to a folder. Returns the newest version of their class files.

    An entry of a jar whose name leads out of the folder is not a class that Java could load, and is left out.
    """
    newest = 0
    for name, content in _classes(classpath):
        target = into / name
        if ".." in target.parts or not target.is_relative_to(into):
            continue
        if _is_covered(name.removesuffix(".class").replace("/", "."), cover) and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            newest = max(newest, int.from_bytes(content[6:8], "big"))
    return newest


def _is_covered(name: str, cover: Sequence[str]) -> bool:
    """As the weaver sees it: a class stands for those within it."""
    included = [pattern for pattern in cover if not pattern.startswith("!")]
    excluded = [pattern[1:] for pattern in cover if pattern.startswith("!")]
    return any(_matches(name, one) for one in included) and not any(_matches(name, one) for one in excluded)


def _matches(name: str, pattern: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*") + r"(\$.*)?", name) is not None


def _classes(classpath: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for entry in classpath:
        if entry.is_dir():
            for file in sorted(entry.rglob("*.class")):
                yield file.relative_to(entry).as_posix(), file.read_bytes()
        else:
            with zipfile.ZipFile(entry) as jar:
                for name in jar.namelist():
                    if name.endswith(".class") and not name.startswith("META-INF/"):
                        yield name, jar.read(name)
