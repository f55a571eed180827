"""A node that fails or runs out of time is a result with a reason: others go on, and a resumed run tries again."""

from pathlib import Path

import pytest

from faults.conftest import WhereIs
from faults.runs import Sandbox

WORDS = [f"{first}{second}" for first in "abcdefgh" for second in "vwxyz"]
MANY_WORDS = f"""
[subject]
name = "words"
suffix = ".txt"
[grammar]
file = "words.lark"
[grammar.terminals]
W = {WORDS}
[target]
engine = "python"
call = "driver:check"
cover = ["driver"]
[bounds]
idents = 1
items = 2
depth = 1
"""
# Files decide how it behaves, so that it can be mended without a change of the program.
DRIVER = """
import os
from bonsai.errors import Unparsed

MENDED = os.path.join(os.path.dirname(__file__), "mended")


def check(text):
    words = text.split()
    if len(words) > 1:
        if not os.path.exists(MENDED):
            raise Unparsed("two words")
        return "several"
    if words and words[0] < "c":
        return "early"
    return "late"
"""


@pytest.fixture
def mostly_unparsed(box: Sandbox) -> Path:
    """Writes a subject whose program parses one word, and not two: nodes with two items are mostly unparsed."""
    folder = box.folder / "subject"
    folder.mkdir()
    (folder / "words.lark").write_text('start: W+\nW: /[a-z]+/\n%ignore " "\n')
    (folder / "bonsai.toml").write_text(MANY_WORDS)
    (folder / "driver.py").write_text(DRIVER)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_node_that_fails_is_a_result_with_a_reason(jobs: int, mostly_unparsed: Path, box: Sandbox) -> None:
    arguments = ["--bounds", "1,2,1", "--budget", "400x", "--seed", "7", "--jobs", jobs]
    ended = box.run("grow", mostly_unparsed, *arguments, "-o", box.out).require(1)
    figures = box.figures()
    assert figures["complete"] is False
    failures = figures["failures"]
    assert failures
    assert all("the target does not parse" in failure["reason"] for failure in failures)
    assert "the target does not parse" in ended.output + ended.errors
    assert str(failures[0]["task"]) in ended.output + ended.errors
    nodes = figures["nodes"]
    by_bounds = {(tuple(node["bounds"]), node["validity"]): node for node in nodes}
    assert by_bounds[(1, 1, 1), "restricted"]["stopped"] != "failed"
    failed = [node for node in nodes if node["stopped"] == "failed"]
    assert failed
    assert all("the target does not parse" in node["reason"] for node in failed)
    texts = {path.read_text() for path in (box.out / "corpus").glob("valid/*.txt")}
    assert texts <= set(WORDS)
    assert len(texts) >= 2
    assert (box.out / "report.html").exists()
    box.require_no_processes()
    box.require_no_temporary_files()


@pytest.mark.slow
def test_a_node_that_failed_is_tried_again(mostly_unparsed: Path, box: Sandbox) -> None:
    arguments = ["--bounds", "1,2,1", "--budget", "400x", "--seed", "7"]
    box.run("grow", mostly_unparsed, *arguments, "-o", box.out, "--jobs", 2).require(1)
    box.run("grow", "--resume", box.out).require(1)  # still so
    (mostly_unparsed / "mended").touch()
    box.run("grow", "--resume", box.out).require(0)
    resumed = box.everything()
    assert any(" " in path.read_text() for path in (box.out / "corpus").glob("valid/*.txt"))
    assert resumed["run.json complete"] is True
    assert resumed["run.json failures"] == []


@pytest.mark.slow
def test_a_run_that_is_out_of_time_is_not_complete_and_goes_on(subject_of: WhereIs, box: Sandbox) -> None:
    arguments = [subject_of("ambiguous"), "--bounds", "2,2,2", "--budget", "120x", "--seed", "7", "--jobs", 2]
    ended = box.run("grow", *arguments, "--time", "2s", "-o", box.out, pause=0.05).require(0, 1)
    before = box.figures()
    assert before["complete"] is False
    assert "out of time" in [node["stopped"] for node in before["nodes"]]
    assert "ran out of time" in ended.output
    assert "interrupted" not in ended.output + ended.errors
    box.require_no_temporary_files()
    box.run("grow", "--resume", box.out, "--time", "2s", pause=0.05).require(0, 1)
    between = box.figures()
    assert between["executions"] > before["executions"]
    box.run("grow", "--resume", box.out).require(0)
    assert box.everything()["run.json complete"] is True  # what it finds depends on the machine's speed
