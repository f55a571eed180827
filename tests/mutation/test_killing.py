"""A grown corpus, and what is added to it so that it notices more faults."""

import json
import sqlite3
from pathlib import Path

import pytest

import bonsai
from bonsai.budget import Executions
from bonsai.cli import run as run_command
from bonsai.mutation.bench import Bench
from bonsai.mutation.killing import with_killers
from bonsai.mutation.scoring import score
from bonsai.store import Run
from made_subjects import json_subject
from tiny_subject import write_tiny_subject

SETTINGS = bonsai.GrowSettings(bonsai.Bounds(1, 2, 1), budget=Executions(60), seed=2)


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> bonsai.Subject:
    return write_tiny_subject(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def grown(subject: bonsai.Subject) -> Run:
    return bonsai.grow(subject, SETTINGS)


def test_what_is_added_kills_what_survived_and_nothing_grown_is_lost(subject: bonsai.Subject, grown: Run) -> None:
    extended = with_killers(grown, subject, 100, seed=1)
    figures = extended.asked["mutants"]
    assert isinstance(figures, dict)
    before, after = {one.text for one in grown.corpus}, {one.text for one in extended.corpus}
    assert before < after
    assert figures["added"] == len(after - before)
    assert {one.text for one in extended.kills} == after - before
    assert [one.size for one in extended.corpus] == sorted(one.size for one in extended.corpus)
    assert extended.covered & grown.covered == grown.covered
    with Bench(subject) as bench:
        assert len(score(bench, subject, sorted(before)).by_corpus) == figures["killed_by_grown"]
        assert len(score(bench, subject, sorted(after)).by_corpus) == figures["killed"] > figures["killed_by_grown"]


@pytest.mark.slow
def test_the_same_seed_adds_the_same(subject: bonsai.Subject, grown: Run) -> None:
    one, other = (with_killers(grown, subject, 40, seed=3) for _ in range(2))
    assert [test.text for test in one.corpus] == [test.text for test in other.corpus]


def test_an_interruption_leaves_the_corpus_as_it_is(subject: bonsai.Subject, grown: Run) -> None:
    def interrupt(done: int, tasks: int, what: str) -> None:
        raise KeyboardInterrupt

    found = with_killers(grown, subject, 40, watch=interrupt)
    assert found.corpus == grown.corpus
    assert not found.asked["complete"]


@pytest.mark.slow
def test_the_command_keeps_what_kills_which_mutant(subject: bonsai.Subject, tmp_path: Path) -> None:
    options = ["--bounds", "1,2,1", "--budget", "60x", "--quiet", "--jobs", "1"]
    assert run_command(["grow", str(subject.folder), "-o", str(tmp_path / "out"), *options, "--kill-mutants"]) == 0

    figures = json.loads((tmp_path / "out/run.json").read_text())
    assert figures["kill_mutants"] == 5000
    assert figures["mutants"]["killed"] > figures["mutants"]["killed_by_grown"]
    database = sqlite3.connect(tmp_path / "out/run.sqlite")
    try:
        kills = database.execute("SELECT mutant, how, text FROM kills").fetchall()
        texts = {text for (text,) in database.execute("SELECT text FROM inputs")}
    finally:
        database.close()
    assert len(kills) == figures["mutants"]["killed"] - figures["mutants"]["killed_by_grown"]
    assert {text for *_, text in kills} <= texts
    files = [path.read_text() for path in (tmp_path / "out/corpus").rglob("*.txt")]
    assert {text for *_, text in kills} <= set(files)
    # Resumed, a run that is done comes to the same end.
    assert run_command(["grow", "--resume", str(tmp_path / "out"), "--quiet"]) == 0
    again = json.loads((tmp_path / "out/run.json").read_text())
    assert again["mutants"] == figures["mutants"]
    assert again["corpus"] == figures["corpus"]


@pytest.mark.parametrize("budget", ["60s", "0x"])
def test_a_budget_is_a_number_of_programs(
    budget: str, subject: bonsai.Subject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["grow", str(subject.folder), "-o", str(tmp_path / "out"), "--kill-mutants", budget]
    assert run_command(arguments) == 2
    assert "budget" in (error := capsys.readouterr().err) or "no number of executions" in error
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_mutated_is_refused_before_growing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = json_subject(tmp_path / "json")
    (tmp_path / "json/bonsai.toml").write_text((tmp_path / "json/bonsai.toml").read_text().partition("[target]")[0])
    arguments = ["grow", str(subject.folder), "-o", str(tmp_path / "out"), "--kill-mutants"]
    assert run_command(arguments) == 2
    assert "no Python program" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
