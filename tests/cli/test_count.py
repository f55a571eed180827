"""`bonsai count`: the exact size of the space."""

import json
from pathlib import Path

import pytest

from bonsai.bounds import Bounds
from bonsai.cli import run
from bonsai.counting import count
from bonsai.subject import bundled_subjects, load_subject


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["count", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


# Too many rules of the JavaScript grammar contain each other: its programs are not counted at this depth.
COUNTED = [name for name in bundled_subjects() if name != "closure"]


@pytest.mark.parametrize("subject", COUNTED)
def test_json_has_bounds_the_exact_number_and_its_logarithm(
    subject: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(output(capsys, subject, "--json", "--bounds", "2,1,2"))
    assert set(found) == {"bounds", "programs", "log10"}
    assert found["bounds"] == [2, 1, 2]
    assert found["programs"] == str(count(load_subject(subject).grammar, Bounds(2, 1, 2)))
    assert len(found["programs"]) == int(found["log10"]) + 1


def test_the_bounds_are_the_subject_s_own_unless_others_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(output(capsys, "json", "--json"))["bounds"] == [3, 3, 3]


def test_the_number_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bonsai.toml").write_text(
        '[grammar]\nfile = "g.lark"\n[grammar.identifiers]\nN = ["a", "b", "c"]\n', encoding="utf-8"
    )
    (tmp_path / "g.lark").write_text('start: [N ("," N)*]\nN: /[a-z]/\n', encoding="utf-8")
    assert output(capsys, str(tmp_path), "--quiet", "--bounds", "2,3,1") == f"{1 + 2 + 4 + 8}\n"
    assert output(capsys, str(tmp_path), "--bounds", "9,1,1").endswith(" within (9,1,1): 4 programs\n")


def test_more_than_4000_digits_are_given_by_their_logarithm(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "json", "--json", "--bounds", "3,4,9"))
    assert found["programs"] is None
    assert found["log10"] > 4000
    assert "10^" in output(capsys, "json", "--quiet", "--bounds", "3,4,9")


def test_a_number_of_many_digits_is_also_given_in_short(capsys: pytest.CaptureFixture[str]) -> None:
    exact = output(capsys, "json", "--quiet").strip()
    assert output(capsys, "json") == f"json within (3,3,3): about 7.09·10^15 programs, exactly {exact}\n"
