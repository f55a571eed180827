"""What the JVM engine costs on the Closure Compiler, and how fuzzing it compares with Zest: ratios of one run.

    python benchmarks/jvm.py [--warm SECONDS] [--passes P] [--zest SECONDS] [--published FOLDER] [--json]

Probes: the same inputs in two warm JVMs, with probes and without, one after the other in each pass; a ratio is the
median of the passes' ratios of the processes' own time. C2 needs more than a minute of its own to settle: what is
compared is warm with warm. Asking: a driver that does nothing, with as many features. Zest: JQF with a generator of
the same shape, and `bonsai fuzz`, each on one core for the same wall time, each as it comes: Zest instruments all
classes of the compiler and is compiled by C2, Bonsai probes one package and has C1. Of Zest, branches of all inputs
that it ran are counted, of Bonsai those of its corpus. The last line is one JSON object.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bonsai.corpus_folder import read_corpus
from bonsai.evaluation.jacoco import jvm_coverage
from bonsai.evaluation.third_party import Judged
from bonsai.subject import Subject, load_subject
from bonsai.targets.execution import Execution, Outcome
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.jvm.building import joined
from bonsai.targets.jvm.classpath import maven_entries
from bonsai.targets.jvm.engine import prepare_jvm
from bonsai.targets.jvm.tools import find_java, find_javac
from bonsai.targets.settings import JvmTarget

PEERS = Path(__file__).parent / "peers"
PUBLISHED = Path(__file__).parents[2] / "shared" / "published-corpora" / "closure" / "bonsai"
JQF = "edu.berkeley.cs.jqf:jqf-fuzz:2.0"
PACKAGE = "com.google.javascript.jscomp"
BATCH = 64
TICKS = os.sysconf("SC_CLK_TCK")


def closure() -> tuple[Subject, JvmTarget]:
    """The subject and the settings of its target."""
    subject = load_subject("closure")
    assert isinstance(subject.target, JvmTarget)
    return subject, subject.target


def own_seconds(target: IsolatedTarget) -> float:
    """The processor time that a target's process has used, its compiler threads included."""
    assert target._process is not None
    status = Path(f"/proc/{target._process.tree.program()}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(status[11]) + int(status[12])) / TICKS


def run_all(target: IsolatedTarget, texts: Sequence[str]) -> tuple[float, float]:
    """Wall and own seconds per input for one run of all."""
    wall, own = time.monotonic(), own_seconds(target)
    for first in range(0, len(texts), BATCH):
        target.execute(texts[first : first + BATCH])
    return (time.monotonic() - wall) / len(texts), (own_seconds(target) - own) / len(texts)


def probes(texts: Sequence[str], warm: float, passes: int) -> dict[str, object]:
    """Closure with and without probes, and the cost of asking."""
    subject, settings = closure()
    settings = replace(settings, options=())  # whichever compiler is best when warm
    prepared = prepare_jvm(settings, subject.folder)
    idle = prepare_jvm(replace(settings, driver="NullDriver"), PEERS / "jvm")
    with ExitStack() as stack:
        programs = (prepared.program([]), prepared.program(prepared.woven(frozenset())))
        plain, woven, null = (
            stack.enter_context(IsolatedTarget(program, 60.0))
            for program in (*programs, idle.program(idle.woven(frozenset())))
        )
        for target in (plain, woven):
            while own_seconds(target) < warm:
                run_all(target, texts)
        for _ in range(20):
            run_all(null, texts)
        rows = [[run_all(target, texts) for target in (plain, woven, null)] for _ in range(passes)]
    return {
        "executions_per_own_second": {
            "plain": round(1 / median(row[0][1] for row in rows)),
            "probes": round(1 / median(row[1][1] for row in rows)),
        },
        "probes_to_plain": round(median(row[1][1] / row[0][1] for row in rows), 2),
        "probes_to_plain_wall": round(median(row[1][0] / row[0][0] for row in rows), 2),
        "asking_to_all": round(median(row[2][0] / row[1][0] for row in rows), 3),
    }


def on_one_core(command: Sequence[str], seconds: float) -> str:
    """What a program prints that may use one core."""
    core = min(os.sched_getaffinity(0))
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=10 * seconds + 600,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    return done.stdout


def branches(texts: Sequence[str]) -> int:
    """The branches of Closure's own package that texts cover, as JaCoCo counts them."""
    subject, settings = closure()
    judged = [Judged(text, Execution(Outcome.VALID)) for text in texts]
    return jvm_coverage(settings, subject.folder, judged).branches[PACKAGE].covered


def zest(seconds: int) -> dict[str, object]:
    """JQF's Zest with a generator of its own."""
    _, settings = closure()
    java = find_java(settings.java)
    jars = {path: maven_entries([path]) for path in (JQF, settings.maven[0])}
    with TemporaryDirectory() as name:
        place = Path(name)
        own, theirs = place / "peer", place / "target"
        for folder in (own, theirs):
            sources = map(str, sorted((PEERS / "zest" / folder.name).glob("*.java")))
            everything = joined([*jars[JQF], *jars[settings.maven[0]]])
            subprocess.run([find_javac(java), "-nowarn", "-d", folder, "-cp", everything, *sources], check=True)
        command = [str(java), "-XX:+UseSerialGC", "-Xmx1g", f"-Dzest.log={place / 'log'}"]
        command += ["-cp", joined([own, *jars[JQF]]), "ZestPeer", str(seconds), str(place / "out")]
        answer = on_one_core([*command, str(theirs), *map(str, jars[settings.maven[0]])], seconds)
        texts = (place / "log").read_bytes().decode("utf-8", "replace").split("\0")[:-1]
    trials = json.loads(answer.splitlines()[-1])["trials"]
    return {"trials": trials, "distinct_per_second": round(len(texts) / seconds, 1), "branches": branches(texts)}


def ours(seconds: int) -> dict[str, object]:
    """`bonsai fuzz`, which never runs an input again; its corpus covers all that was seen."""
    with TemporaryDirectory() as name:
        command = [sys.executable, "-c", "from bonsai.cli import main; main()", "fuzz", "closure"]
        command += ["--budget", f"{seconds}s", "--select", "both"]
        answer = json.loads(on_one_core([*command, "--json", "-o", f"{name}/run"], seconds))
        texts = [file.text for file in read_corpus(Path(name) / "run", ".js")]
    rate = answer["executions"] / answer["seconds"]  # the start of the JVM included, as with Zest
    return {"distinct_per_second": round(rate, 1), "branches": branches(texts), "corpus": answer["corpus"]}


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warm", type=float, default=100.0, help="own seconds of each JVM before the first pass")
    parser.add_argument("--passes", type=int, default=11)
    parser.add_argument("--zest", type=int, default=120, metavar="SECONDS", help="0 leaves Zest out")
    parser.add_argument("--published", type=Path, default=PUBLISHED, help="JavaScript files to run")
    parser.add_argument("--json", action="store_true", help="print nothing but the JSON")
    options = parser.parse_args()
    texts = [file.text for file in read_corpus(options.published, ".js")]
    found: dict[str, object] = {}
    if options.passes:
        found["closure"] = probes(texts, options.warm, options.passes)
    if options.zest:
        found |= {"zest": zest(options.zest), "bonsai": ours(options.zest)}
    if not options.json:
        for part, figures in found.items():
            print(part, figures)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
