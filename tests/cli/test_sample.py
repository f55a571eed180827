"""`bonsai sample`: what it prints, for people and for scripts, the same in every process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.cli import run
from bonsai.sampler import Sampler
from bonsai.subject import bundled_subjects, load_subject

BONSAI = Path(sys.executable).parent / "bonsai"
MODULE = [sys.executable, "-c", "from bonsai.cli import main; main()"]


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a successful call prints; nothing on standard error."""
    assert run(["sample", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def process(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*MODULE, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("subject", bundled_subjects())
def test_json_is_one_object_per_line_with_text_measured_bounds_and_choices(
    subject: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = output(capsys, subject, "--json", "-n", "20", "--bounds", "2,2,2").splitlines()
    assert len(lines) == 20
    sampler = Sampler(load_subject(subject).grammar, Bounds(2, 2, 2))
    for line in lines:
        found = json.loads(line)
        assert list(found) == ["text", "idents", "items", "depth", "choices"]
        assert Bounds(found["idents"], found["items"], found["depth"]) <= Bounds(2, 2, 2)
        assert sampler.replay(found["choices"], Draws(0)) == (found["text"], found["choices"])


def test_json_and_quiet_print_the_same_programs(capsys: pytest.CaptureFixture[str]) -> None:
    as_json = [json.loads(line)["text"] for line in output(capsys, "json", "--json").splitlines()]
    assert output(capsys, "json", "--quiet") == "".join(f"{text}\n" for text in as_json)


def test_people_see_the_measured_bounds_of_each_program(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "calc", "-n", "2", "--bounds", "1,1,1").splitlines()
    assert [line for line in lines if re.fullmatch(r"── [12]  idents [01], items 1, depth 1", line)] == lines[::2]


def test_the_tree_is_printed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\nstart\n  value\n" in output(capsys, "json", "-n", "1", "--tree")


def test_ten_programs_unless_asked_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(output(capsys, "json", "--json").splitlines()) == 10
    assert len(output(capsys, "json", "--json", "-n", "3").splitlines()) == 3


def test_no_programs_are_nothing_to_print(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "json", "-n", "0") == ""
    assert output(capsys, "json", "-n", "0", "--json") == ""


def test_seed_0_is_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    zero = output(capsys, "minilua", "--seed", "0")
    assert output(capsys, "minilua", "--seed", "0") == zero
    assert output(capsys, "minilua") == zero
    assert output(capsys, "minilua", "--seed", "1") != zero


def test_more_programs_of_a_seed_begin_with_the_same_ones(capsys: pytest.CaptureFixture[str]) -> None:
    few = output(capsys, "calc", "--json", "-n", "5", "--seed", "9")
    assert output(capsys, "calc", "--json", "-n", "15", "--seed", "9").startswith(few)


@pytest.mark.parametrize(
    "subject",
    [pytest.param(name, marks=[] if name == "json" else [pytest.mark.slow]) for name in bundled_subjects()],
)
def test_the_same_seed_gives_the_same_output_in_every_process(
    subject: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [subject, "--json", "-n", "30", "--seed", "7"]
    here = output(capsys, *arguments)
    for hash_seed in ("1", "2"):
        there = process("sample", *arguments, PYTHONHASHSEED=hash_seed)
        assert (there.returncode, there.stderr, there.stdout) == (0, "", here)


def test_output_is_utf_8_whatever_the_locale() -> None:
    found = process("sample", "json", "-n", "1", PYTHONIOENCODING="ascii")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("── 1")


@pytest.mark.parametrize("arguments", [["-n", "100000"], ["-n", "100000", "--json"], ["-n", "1"]])
def test_a_closed_pipe_ends_it_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        found = subprocess.run(
            [*MODULE, "sample", "json", *arguments], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [*MODULE, "sample", "json"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert found.returncode == 2
    assert found.stderr.startswith("error: ")
    assert found.stderr.count("\n") == 1


def test_the_installed_command_works_in_any_folder(tmp_path: Path) -> None:
    found = subprocess.run(
        [BONSAI, "sample", "blocks", "-n", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.count("──") == 2


@pytest.mark.slow
@pytest.mark.parametrize("subject", bundled_subjects())
def test_a_depth_of_200_does_not_overflow_the_stack(subject: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, subject, "--json", "-n", "3", "--bounds", "3,3,200").splitlines()
    assert max(json.loads(line)["depth"] for line in lines) <= 200
    lines = output(capsys, subject, "--json", "-n", "1", "--seed", "3", "--bounds", "1,1,200").splitlines()
    assert len(lines) == 1
