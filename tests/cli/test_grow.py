"""`bonsai grow`, `merge` and `explain`, as a user calls them."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import bonsai
from bonsai.cli import run
from cli.conftest import Complaint
from made_subjects import SETTINGS, json_subject

SMALL = ["--bounds", "2,2,1", "--budget", "60x", "--seed", "7"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grown") / "subject"
    json_subject(folder)
    return folder


@pytest.fixture(scope="module")
def out(subject: Path) -> Path:
    folder = subject.parent / "out"
    assert run(["grow", str(subject), *SMALL, "-o", str(folder), "--quiet"]) == 0
    return folder


def texts(folder: Path) -> dict[str, str]:
    corpus = folder / "corpus"
    return {str(path.relative_to(corpus)): path.read_text() for path in corpus.rglob("*.json")}


KEYS = {
    "schema", "version", "subject", "grammar_hash", "target_hash", "bounds", "lattice", "policy", "select", "seed",
    "budget", "jobs", "shards", "engine", "seconds", "executions", "duplicates_skipped", "executions_per_second",
    "nodes", "features", "corpus", "findings",
}  # fmt: skip


def test_json_is_run_json_with_all_its_keys(
    subject: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["grow", str(subject), *SMALL, "-o", str(tmp_path / "o"), "--json", "--jobs", "2"]) == 0
    printed, errors = capfd.readouterr()
    assert errors == ""
    figures = json.loads(printed)
    assert figures == json.loads((tmp_path / "o/run.json").read_text())
    assert set(figures) >= KEYS
    assert figures["jobs"] == 2
    assert [node["validity"] for node in figures["nodes"]].count("restricted") == 4


def test_the_summary_shows_tests_and_what_to_do_next(
    subject: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["grow", str(subject), *SMALL, "-o", str(tmp_path / "o")]) == 0
    printed, progress = capfd.readouterr()
    for words in ("tests", "The smallest", "The most telling", "Next:", "features covered"):
        assert words in printed
    assert progress.count("\n") == 9  # one line for each of 8 nodes, and one for pruning
    assert "(2,2,1,u)" in progress


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--lattice", "plain"], ["--policy", "paper"], ["--select", "both"]])
def test_variants(subject: Path, tmp_path: Path, out: Path, options: list[str]) -> None:
    assert run(["grow", str(subject), *SMALL, "-o", str(tmp_path / "o"), "--quiet", *options]) == 0
    figures = json.loads((tmp_path / "o/run.json").read_text())
    assert figures[options[0].removeprefix("--")] == options[1]
    assert len(figures["nodes"]) == (4 if "plain" in options else 8)
    if "both" in options:
        assert set(texts(out).values()) <= set(texts(tmp_path / "o").values())


@pytest.mark.slow
def test_time_bounds_a_session_and_a_further_one_goes_on(
    subject: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o"
    assert run(["grow", str(subject), "--bounds", "2,2,2", "--budget", "1h", "--time", "3s", "-o", str(out)]) == 0
    first = json.loads((out / "run.json").read_text())
    assert first["corpus"]["files"] > 3
    assert {node["stopped"] for node in first["nodes"]} == {"out of time"}
    assert first["complete"] is False
    printed = capfd.readouterr().out
    assert "16 of 16 nodes ran out of time" in printed
    assert f"The run is not complete. Go on with: bonsai grow --resume {out}" in printed
    assert "interrupted" not in printed

    assert run(["grow", "--resume", str(out), "--time", "3s", "--quiet"]) == 0
    second = json.loads((out / "run.json").read_text())
    assert second["executions"] > first["executions"]
    assert second["features"]["covered"] >= first["features"]["covered"]
    generated = [[node["generated"] for node in figures["nodes"]] for figures in (first, second)]
    assert all(now > then for then, now in zip(*generated, strict=True))


def test_a_run_that_was_cut_short_is_resumed_to_its_end(subject: Path, tmp_path: Path) -> None:
    out = tmp_path / "o"
    assert run(["grow", str(subject), *SMALL, "--time", "1ms", "-o", str(out), "--quiet"]) == 0
    first = json.loads((out / "run.json").read_text())
    assert first["complete"] is False
    assert run(["grow", "--resume", str(out), "--quiet"]) == 0
    whole = json.loads((out / "run.json").read_text())
    assert whole["complete"] is True
    assert {node["stopped"] for node in whole["nodes"]} <= {"finished", "exhausted"}
    assert run(["grow", "--resume", str(out), "--quiet"]) == 0
    again = json.loads((out / "run.json").read_text())
    assert again["executions"] == whole["executions"]
    assert again["complete"] is True


def test_existing_files_are_seeds_and_others_are_listed(
    subject: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    (seeds / "a.json").write_text('["zebra", "zebra"]')
    (seeds / "b.json").write_text("[1, 2")
    (seeds / "c.json").write_text("[[[[[[1]]]]]]")
    arguments = ["grow", str(subject), "--bounds", "2,2,2", "--budget", "5x", "--seeds", str(seeds), "--quiet"]
    assert run([*arguments, "-o", str(tmp_path / "o")]) == 0
    errors = capfd.readouterr().err
    assert "warning: b.json is not used as a seed" in errors
    assert "warning: c.json is not used as a seed: needs the bounds" in errors
    assert "a.json" not in errors
    planted = json.loads((tmp_path / "o/run.json").read_text())["planted"]
    assert [bounds for bounds, _, _ in planted] == [[1, 2, 2], [1, 2, 2]]


def test_a_top_up_adds_what_a_conventional_fuzzer_finds(subject: Path, tmp_path: Path) -> None:
    arguments = ["grow", str(subject), "--bounds", "2,2,2", "--budget", "1x", "--quiet"]
    assert run([*arguments, "-o", str(tmp_path / "without")]) == 0
    assert run([*arguments, "--top-up", "300x", "-o", str(tmp_path / "with")]) == 0
    with_it, without = (json.loads((tmp_path / name / "run.json").read_text()) for name in ("with", "without"))
    assert with_it["features"]["covered"] > without["features"]["covered"]
    assert with_it["top_up"] == "300x"


WORDS = {
    "bonsai.toml": """
[subject]
name = "words"
[grammar]
file = "words.lark"
[grammar.terminals]
W = [{words}]
[target]
engine = "python"
call = "driver:check"
[bounds]
idents = 1
items = 2
depth = 1
""".format(words=", ".join(f'"w{number}"' for number in range(40))),
    "words.lark": "start: W+\nW: /w[0-9]+/\n%import common.WS\n%ignore WS\n",
    "driver.py": """
from bonsai import Unparsed

def check(text):
    if " " in text:
        raise Unparsed("one word, please")
    if text == "w7":
        return 7
    return 0
""",
}


def test_a_node_that_fails_does_not_cost_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    subject, out = tmp_path / "words", tmp_path / "out"
    subject.mkdir()
    for name, text in WORDS.items():
        (subject / name).write_text(text)
    assert run(["grow", str(subject), "-o", str(out)]) == 1
    printed, errors = capfd.readouterr()
    assert "2 of 4 nodes failed" in printed
    assert "error: (1,2,1,r) failed: the target does not parse" in errors
    assert "Traceback" not in errors
    figures = json.loads((out / "run.json").read_text())
    assert figures["complete"] is False
    assert [node["stopped"] for node in figures["nodes"]].count("failed") == 2
    assert [failure["task"] for failure in figures["failures"]] == ["(1,2,1,r)", "(1,2,1,u)"]
    assert "does not parse" in figures["nodes"][-1]["reason"]
    assert {path.read_text() for path in out.glob("corpus/valid/*.txt")} >= {"w7"}
    assert "does not parse" in (out / "report.html").read_text()
    assert run(["grow", "--resume", str(out), "--quiet"]) == 1
    assert json.loads((out / "run.json").read_text())["failures"] == figures["failures"]


@pytest.mark.slow
def test_bounds_are_raised_while_that_pays(subject: Path, tmp_path: Path) -> None:
    arguments = ["grow", str(subject), "--bounds", "auto", "--budget", "40x", "-o", str(tmp_path / "o"), "--quiet"]
    assert run(arguments) == 0
    figures = json.loads((tmp_path / "o/run.json").read_text())
    attempts = figures["raised"]
    assert len(attempts) >= 3
    assert not any(attempt["paid"] for attempt in attempts[-3:])
    assert all(attempt["paid"] == (attempt["new"] > 0 or attempt["saved"] > 0) for attempt in attempts)
    upper = [max(2, *(one["bounds"][i] for one in attempts if one["paid"]), 2) for i in range(3)]
    assert figures["bounds"] == upper


def test_a_run_that_raised_its_bounds_resumes_to_the_same_corpus(subject: Path, tmp_path: Path) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    arguments = ["grow", str(subject), "--bounds", "auto", "--budget", "40x", "--quiet", "-o", str(whole)]
    assert run(arguments) == 0
    shutil.copytree(whole, half)
    with closing(sqlite3.connect(half / "run.sqlite")) as database, database:
        tasks = [task for (task,) in database.execute("SELECT task FROM results")]
        raised = [task for task in tasks if re.match(r"\((3|.,3|.,.,3)", task)]
        top = json.loads((whole / "run.json").read_text())["nodes"][-1]["bounds"]
        lost = [task for task in tasks if task in (f"({top[0]},{top[1]},{top[2]},{kind})" for kind in "ru")]
        assert lost, "the top is one of the nodes"
        assert set(lost) < set(raised), "other raised nodes stay"
        database.executemany("DELETE FROM results WHERE task = ?", [(task,) for task in lost])
    assert run(["grow", "--resume", str(half), "--quiet"]) == 0
    assert texts(half) == texts(whole)
    nodes, others = (json.loads((folder / "run.json").read_text())["nodes"] for folder in (whole, half))
    for figures in (*nodes, *others):
        del figures["seconds"]
    assert others == nodes


def test_merging_keeps_the_smallest_witnesses(
    subject: Path, out: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.json").write_text("false")
    (other / "y.json").write_text('"')
    assert run(["merge", str(out), str(other), "--subject", str(subject), "-o", str(tmp_path / "o")]) == 0
    printed = capfd.readouterr().out
    assert "features covered" in printed
    before, after = (json.loads((folder / "run.json").read_text()) for folder in (out, tmp_path / "o"))
    assert after["features"]["covered"] == before["features"]["covered"]
    assert all(after[key] == before[key] for key in ("version", "folder", "grammar_hash", "target_hash", "engine"))
    assert set(texts(tmp_path / "o").values()) <= set(texts(out).values())


def test_explaining_shows_the_branches_and_the_rules(
    subject: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.json"
    file.write_text("[[0]]")
    assert run(["explain", str(file), "--subject", str(subject)]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith("  [[0]]\ninvalid: list in a list\n")
    assert "if isinstance(value[0], list):" in printed
    assert "array 2" in printed
    assert run(["explain", str(file), "--subject", str(subject), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["outcome"] == "invalid"
    assert found["size"] == 5
    assert found["bounds"] == [0, 1, 3]
    assert found["smallest_for"] is None


def test_explaining_a_test_of_a_run_says_what_it_is_there_for(out: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = sorted(map(str, out.glob("corpus/*/*.json")))
    assert run(["explain", *files, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [one["file"] for one in found] == files
    assert all(set(one["smallest_for"]) <= set(one["features"]) for one in found)
    assert {name for one in found for name in one["smallest_for"]} == {
        name for one in found for name in one["features"]
    }
    assert run(["explain", files[-1]]) == 0
    short = capfd.readouterr().out
    assert f"smallest for {len(found[-1]['smallest_for'])} feature" in short
    assert "--all lists them" in short
    assert run(["explain", files[-1], "--all"]) == 0
    assert len(capfd.readouterr().out.splitlines()) > len(short.splitlines())


def test_a_test_that_was_changed_is_of_the_run_no_more(
    out: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(out, tmp_path / "o")
    file = min(tmp_path.glob("o/corpus/valid/*.json"))
    file.write_text('["changed"]')
    assert run(["explain", str(file)]) == 0
    assert "smallest for" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grow"], "no subject"),
        (["grow", "nowhere"], "no such subject"),
        (["grow", "chocopy", "--bounds", "0,1,1"], "bounds"),
        (["grow", "chocopy", "--budget", "soon"], "not a budget"),
        (["grow", "chocopy", "--time", "0s"], "not a duration"),
        (["grow", "chocopy", "--jobs", "0"], "--jobs"),
        (["grow", "chocopy", "--seeds", "nowhere"], "does not exist"),
        (["grow", "json", "--budget", "5x"], "no program to run"),
        (["grow", "--resume", "nowhere"], "no run to resume"),
        (["merge", "nowhere", "--subject", "chocopy", "-o", "x"], "does not exist"),
        (["explain", "nowhere", "--subject", "chocopy"], "cannot read"),
        (["explain", __file__], "no subject is given"),
    ],
)
def test_wrong_calls_are_one_line_with_a_hint(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    complaint: Complaint,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in complaint(*arguments)
    assert not (tmp_path / "out" / "run.sqlite").exists()


@pytest.mark.parametrize("command", ["grow", "fuzz"])
def test_a_target_with_nothing_to_cover_is_a_failure(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json_subject(tmp_path / "bare", settings=SETTINGS.replace('["driver"]', "[]"))
    call = [command, str(tmp_path / "bare"), "--bounds", "1,1,1", "--budget", "100x", "-o", str(tmp_path / "out")]
    assert run([*call, "--quiet"]) == 1
    assert "the target has no features" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["grow", "fuzz"])
def test_a_driver_that_judges_nothing_is_a_failure(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json_subject(tmp_path / "dead", "def check(text):\n    return text.absent\n")
    call = [command, str(tmp_path / "dead"), "--bounds", "1,1,1", "--budget", "100x", "-o", str(tmp_path / "out")]
    assert run([*call, "--quiet"]) == 1
    printed = capsys.readouterr()
    assert "no input is judged" in printed.err
    assert "most often, crash AttributeError: 'str' object has no attribute 'absent'" in printed.err
    assert "does the driver work?" in printed.err
    assert run([*call, "--force"]) == 1
    assert "Next:" not in capsys.readouterr().out


def test_a_target_that_crashes_and_hangs_is_a_finding(tmp_path: Path) -> None:
    driver = (
        "import os, time\n\ndef check(text):\n    if text == '[]':\n        os._exit(3)\n    return len(text)\n"
    )
    made = json_subject(tmp_path / "faulty", driver)
    assert isinstance(made, bonsai.Subject)
    assert run(["grow", str(tmp_path / "faulty"), *SMALL, "-o", str(tmp_path / "o"), "--quiet"]) == 0
    figures = json.loads((tmp_path / "o/run.json").read_text())
    assert figures["findings"]["crashes"] == 1
    [finding] = (tmp_path / "o/findings").glob("*.json")
    assert finding.read_text() == "[]"


def test_a_run_in_which_nothing_covered_is_executed_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json_subject(
        tmp_path / "aside", "def check(text):\n    return 1\n", SETTINGS.replace('["driver"]', '["aside"]')
    )
    (tmp_path / "aside" / "aside.py").write_text("def unused(text):\n    return 0 if text else 1\n")
    call = ["grow", str(tmp_path / "aside"), "--bounds", "1,1,1", "--budget", "20x", "-o", str(tmp_path / "out")]
    assert run([*call, "--quiet"]) == 1
    assert "no input executes anything that is covered" in capsys.readouterr().err
    assert "There are no tests" in (tmp_path / "out/report.html").read_text()
