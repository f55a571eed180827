"""The driver of the reference compiler, on classes of ours that have its names and signatures."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.subject import load_subject, start_target
from bonsai.targets.execution import Outcome, Target, Wanted

STUB = Path(__file__).parent / "stub"
needs_java = pytest.mark.skipif(
    not (shutil.which("mvn") and shutil.which("javac")), reason="there is no JDK, or no mvn, on this machine"
)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(["javac", "-d", classes, *STUB.rglob("*.java")], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BONSAI_CHOCOPY_JAR", str(classes))
        with closing(start_target(load_subject("chocopy-reference"))) as started:
            yield started


@needs_java
@pytest.mark.parametrize(
    ("text", "outcome", "errors"),
    [
        ("pass\n", Outcome.VALID, []),
        ("pass", Outcome.VALID, []),
        ("return 1\n", Outcome.INVALID, ["Return at the top level"]),
        ("?\n", Outcome.UNPARSED, ["Parse error"]),
    ],
)
def test_verdicts_and_trees(target: Target, text: str, outcome: Outcome, errors: list[str]) -> None:
    [execution] = target.execute([text], Wanted.OUTPUT)
    assert execution.outcome is outcome
    tree = json.loads(execution.output or "")
    assert (tree["kind"], tree["size"]) == ("Program", len(text.rstrip("\n")) + 1)
    assert [error["message"] for error in tree["errors"]] == errors
    assert execution.message == "".join(errors)


@needs_java
def test_a_parser_that_returns_nothing(target: Target) -> None:
    [execution] = target.execute(["!"], Wanted.OUTPUT)
    assert (execution.outcome, execution.output) == (Outcome.UNPARSED, "null")


@needs_java
def test_an_error_of_the_compiler_is_a_crash(target: Target) -> None:
    [execution] = target.execute(["crash"])
    assert execution.outcome is Outcome.CRASH
    assert execution.message == "IOException: a flaw (RefAnalysis.java:10)"


@needs_java
def test_the_analysis_is_covered_and_the_parser_is_not(target: Target) -> None:
    assert {feature.split("(")[0] for feature in target.features} == {
        "chocopy.reference.RefAnalysis.<init>",
        "chocopy.reference.RefAnalysis.process",
    }


@needs_java
def test_without_the_jar_it_is_said_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    subject = load_subject("chocopy-reference")
    monkeypatch.delenv("BONSAI_CHOCOPY_JAR", raising=False)
    with pytest.raises(BonsaiError, match="BONSAI_CHOCOPY_JAR is not set"):
        start_target(subject)
    monkeypatch.setenv("BONSAI_CHOCOPY_JAR", str(tmp_path / "nowhere.jar"))
    with pytest.raises(BonsaiError, match=r"there is no .*nowhere\.jar"):
        start_target(subject)
    monkeypatch.setenv("BONSAI_CHOCOPY_JAR", str(tmp_path))
    with pytest.raises(BonsaiError, match="cover: there is no class for"):
        start_target(subject)
