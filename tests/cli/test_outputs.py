"""Commands write only where they may, and remove only what Bonsai wrote."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bonsai import load_subject
from bonsai.cli import run
from cli.conftest import Complaint
from tiny_subject import write_tiny_subject


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a tiny subject is beside it, two inputs are in it."""
    (tmp_path / "subject").mkdir()
    write_tiny_subject(tmp_path / "subject")
    folder = tmp_path / "work"
    (folder / "inputs").mkdir(parents=True)
    (folder / "inputs/1.txt").write_text("0 1")
    (folder / "inputs/2.txt").write_text("( 2 )")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is over."""
    root = tmp_path_factory.mktemp("finished")
    (root / "subject").mkdir()
    write_tiny_subject(root / "subject")
    assert run([GROW[0], str(root / "subject"), *GROW[2:], "-o", str(root / "out")]) == 0
    return root / "out"


GROW = ["grow", "../subject", "--bounds", "1,1,1", "--budget", "20x", "--jobs", "1", "--quiet"]
REDUCE = ["reduce", "inputs", "--subject", "../subject", "--quiet"]


def test_a_fresh_repository_is_not_an_empty_folder(work: Path, complaint: Complaint) -> None:
    subprocess.run(["git", "init", "--quiet", "project"], check=True)
    (work / "project/.env").write_text("SECRET=1")
    os.chdir(work / "project")
    grow = [*GROW, "-o", "."]
    grow[1] = str(work.parent / "subject")
    for force in ([], ["--force"]):
        complaint(*grow, *force)
        assert (work / "project/.git/HEAD").is_file()
        assert (work / "project/.env").read_text() == "SECRET=1"


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_reduce_does_not_remove_a_folder_that_it_did_not_write(
    options: list[str], work: Path, complaint: Complaint
) -> None:
    (work / "thesis").mkdir()
    (work / "thesis/chapter.tex").write_text("years of work")
    complaint(*REDUCE, "-o", "thesis", *options)
    assert (work / "thesis/chapter.tex").read_text() == "years of work"


@pytest.mark.parametrize("name", ["bonsai🌳", "new\nline", "tab\t", "delete\x7f", 'quo"te', "back\\slash", "#"])
def test_any_name_of_a_folder_is_the_name_of_a_subject(name: str, work: Path) -> None:
    assert run(["init", name, "--quiet"]) == 0
    assert load_subject(work / name).name == name


def test_init_writes_all_or_nothing_and_never_into_the_current_folder(work: Path, complaint: Complaint) -> None:
    (work / "mine").mkdir()
    (work / "mine/driver.py").symlink_to("nowhere")
    for folder in (".", "..", "mine", "inputs/1.txt"):
        before = sorted(work.rglob("*"))
        complaint("init", folder)
        assert sorted(work.rglob("*")) == before
    os.chdir(work.parent)
    assert "not UTF-8" in complaint("init", "work/\udcff")
    assert sorted(work.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["grade", "killed", "--subject", "../subject", "--candidate", "cat"],
        ["measure", "killed", "--subject", "../subject"],
        ["merge", "killed", "inputs", "--subject", "../subject", "-o", "merged"],
        ["reduce", "killed", "--subject", "../subject", "-o", "reduced"],
        ["export", "killed", "--subject", "../subject", "--format", "files", "-o", "exported"],
        ["mutants", "killed", "--subject", "../subject"],
        ["explain", "killed/corpus/valid/1.txt"],
        ["report", "killed"],
        ["report", "finished", "--compare", "killed"],
        [*GROW, "--seeds", "killed", "-o", "grown"],
        [*GROW, "-o", "killed"],
    ],
    ids=lambda arguments: " ".join(arguments[:1] + [part for part in arguments if part.startswith("--")][:1]),
)
def test_a_killed_run_is_an_unfinished_run_to_every_command(
    arguments: list[str], finished: Path, work: Path, complaint: Complaint
) -> None:
    for folder in ("killed", "finished"):
        shutil.copytree(finished, folder)
    (work / "killed/run.json").unlink()
    if arguments[0] == "explain":
        arguments = ["explain", str(next((work / "killed/corpus").rglob("*.txt")))]
    before = sorted(work.rglob("*"))
    assert "bonsai grow --resume" in complaint(*arguments)
    assert sorted(work.rglob("*")) == before


def test_a_run_is_not_put_into_the_corpus_of_another_one(finished: Path, complaint: Complaint) -> None:
    subject = str(finished.parent / "subject")
    before = sorted(finished.rglob("*"))
    for inside in ("corpus/sub", "corpus/valid/deep/er"):
        words = complaint(GROW[0], subject, *GROW[2:], "-o", str(finished / inside))
        assert f"is part of another output, {finished.resolve()}" in words
    assert sorted(finished.rglob("*")) == before


def test_a_folder_of_the_users_is_kept_though_it_is_named_as_ours(finished: Path, complaint: Complaint) -> None:
    ours = finished / ".bonsai.part"
    ours.mkdir()
    (ours / "mine").write_text("x")
    try:
        assert "is in the way" in complaint("report", str(finished))
        assert (ours / "mine").read_text() == "x"
    finally:
        shutil.rmtree(ours)
    assert run(["report", str(finished), "--quiet"]) == 0
