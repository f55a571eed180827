"""New subjects load, are explained, and grow; nothing is overwritten."""

from pathlib import Path

import pytest

import bonsai
from bonsai.budget import parse_budget
from bonsai.checkup import check_target, draw_samples
from bonsai.errors import BonsaiError
from bonsai.grow_settings import GrowSettings
from bonsai.new_subject.starter import start_subject
from bonsai.subject import BUNDLED, bundled_subjects


def grown(folder: Path) -> tuple[int, int]:
    """How many valid and invalid tests a little growing gives."""
    subject = bonsai.load_subject(folder)
    run = bonsai.grow(subject, GrowSettings(bonsai.Bounds(1, 2, 2), budget=parse_budget("100x")))
    assert run.findings == []
    return sum(one.valid for one in run.corpus), sum(not one.valid for one in run.corpus)


def test_the_example_grows(tmp_path: Path) -> None:
    started = start_subject(tmp_path / "new")
    assert started.files == ("bonsai.toml", "driver.py", "grammar.lark")
    assert started.cover == ("driver",)
    valid, invalid = grown(tmp_path / "new")
    assert valid >= 4
    assert invalid >= 1


WITH_GRAMMAR = [name for name in bundled_subjects() if (BUNDLED / name / f"{name}.lark").is_file()]


@pytest.mark.parametrize("name", WITH_GRAMMAR)
def test_any_grammar_makes_a_subject_with_a_target(name: str, tmp_path: Path) -> None:
    start_subject(tmp_path / "new", BUNDLED / name / f"{name}.lark")
    subject = bonsai.load_subject(tmp_path / "new")
    assert subject.target is not None
    assert bonsai.sample(subject, number=3)


def test_a_grammar_without_a_program_grows(tmp_path: Path) -> None:
    start_subject(tmp_path / "new", BUNDLED / "json/json.lark")
    new = bonsai.load_subject(tmp_path / "new")
    assert check_target(new, draw_samples(new.grammar, bonsai.Bounds(1, 1, 1), 0)).unparsed == 0
    valid, _ = grown(tmp_path / "new")
    assert valid >= 2


def test_a_grammar_and_a_function_grow(tmp_path: Path) -> None:
    started = start_subject(tmp_path / "new", BUNDLED / "json/json.lark", "json:loads", ("json.decoder",), ".json")
    subject = bonsai.load_subject(tmp_path / "new")
    assert (started.cover, started.calls, subject.suffix) == (("json.decoder",), "json:loads", ".json")
    assert check_target(subject, draw_samples(subject.grammar, bonsai.Bounds(1, 1, 1), 0)).valid == 1


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "driver.py").write_text("mine")
    with pytest.raises(BonsaiError, match="is not overwritten"):
        start_subject(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["driver.py"]
    assert (tmp_path / "driver.py").read_text() == "mine"
    with pytest.raises(BonsaiError, match="is a file"):
        start_subject(tmp_path / "driver.py")


def test_a_grammar_may_be_in_its_place_already(tmp_path: Path) -> None:
    grammar = (BUNDLED / "json/json.lark").read_bytes()
    (tmp_path / "json.lark").write_bytes(grammar)
    start_subject(tmp_path, tmp_path / "json.lark")
    assert (tmp_path / "json.lark").read_bytes() == grammar
    assert bonsai.load_subject(tmp_path).grammar


def test_what_is_wrong_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match="is no file suffix"):
        start_subject(tmp_path / "new", suffix="sql")
    with pytest.raises(BonsaiError, match="there is no module"):
        start_subject(tmp_path / "new", call="absent:check")
    assert not (tmp_path / "new").exists()
