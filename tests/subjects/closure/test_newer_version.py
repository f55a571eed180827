"""A newer Closure Compiler by one setting: the last version that runs on Java 17, and what is said of the next."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from zipfile import ZipFile

import pytest

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.errors import BonsaiError
from bonsai.sampler import Sampler
from bonsai.subject import load_subject, start_target
from bonsai.targets.execution import Outcome, Target, Wanted
from bonsai.targets.jvm.classpath import maven_entries
from targets.jvm.tools import needs_java

pytestmark = [pytest.mark.slow, needs_java]
LAST, NEXT = "v20240317", "v20250402"  # neighbours in Maven's list of releases
JAVA_17, FIRST_CLASS_FILE = 17, 44  # Java n reads class files up to version 44 + n
SETTING = "BONSAI_CLOSURE_VERSION"


def java_needed(version: str) -> int:
    """The Java that the compiler's classes are for."""
    [jar] = [
        path
        for path in maven_entries([f"com.google.javascript:closure-compiler:{version}"])
        if path.name == f"closure-compiler-{version}.jar"
    ]
    with ZipFile(jar) as archive:
        head = archive.read("com/google/javascript/jscomp/Compiler.class")[:8]
    return int.from_bytes(head[6:8], "big") - FIRST_CLASS_FILE


def java_here() -> int:
    printed = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "(\d+)', printed)
    assert found
    return int(found[1])


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, LAST)
        newer = start_target(load_subject("closure"))
    with closing(newer) as started:
        yield started


def test_it_is_the_last_for_java_17() -> None:
    assert java_needed(LAST) <= JAVA_17 < java_needed(NEXT)


def test_verdicts(target: Target) -> None:
    valid, invalid, unparsed = target.execute(["var a = 1 + 2", "break", "a b"], Wanted.OUTPUT)
    assert (valid.outcome, invalid.outcome, unparsed.outcome) == (
        Outcome.VALID,
        Outcome.INVALID,
        Outcome.UNPARSED,
    )
    assert "var a=3" in (valid.output or "")
    assert "must be inside" in invalid.message


def test_it_is_another_compiler_and_reads_no_less_of_what_the_grammar_makes(target: Target) -> None:
    subject = load_subject("closure")
    sampler, draws = Sampler(subject.grammar, Bounds(2, 2, 2)), Draws("newer")
    texts = [sampler.sample(draws)[0] for _ in range(200)]
    with closing(start_target(subject)) as paper:
        assert {*paper.features} != {*target.features}
        before, now = ([one.outcome for one in each.execute(texts)] for each in (paper, target))
    assert now.count(Outcome.UNPARSED) <= before.count(Outcome.UNPARSED)
    assert now.count(Outcome.VALID) > 0


def test_the_next_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    if java_here() >= java_needed(NEXT):
        pytest.skip("this Java runs it")
    monkeypatch.setenv(SETTING, NEXT)
    with pytest.raises(BonsaiError, match="class file has wrong version"):
        start_target(load_subject("closure"))
