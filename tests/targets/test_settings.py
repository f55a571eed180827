"""The `[target]` table: read strictly, every complaint with its line."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.tables import read_toml
from bonsai.targets.settings import JvmTarget, PythonTarget, TargetSettings, read_target


def target(folder: Path, text: str) -> TargetSettings:
    path = folder / "bonsai.toml"
    path.write_text(f"[target]\n{text}", encoding="utf-8")
    return read_target(read_toml(path).table("target"))


def test_a_target_with_everything(tmp_path: Path) -> None:
    text = (
        'engine = "python"\ncall = "pack.mod:check"\ncover = ["pack.*"]\ninvalid = ["ValueError"]\n'
        'unparsed = ["SyntaxError"]\ntimeout = "500ms"\nmemory = "512MiB"\npath = [".."]\n'
    )
    assert target(tmp_path, text) == PythonTarget(
        "pack.mod:check", ("pack.*",), ("ValueError",), ("SyntaxError",), 0.5, 512 * 2**20, ("..",)
    )


def test_a_target_needs_no_more_than_engine_and_call(tmp_path: Path) -> None:
    found = target(tmp_path, 'engine = "python"\ncall = "pack.mod:check"\n')
    assert found == PythonTarget("pack.mod:check", ("pack.mod",), (), (), 2.0, 2**30)


@pytest.mark.parametrize(
    ("text", "seconds"), [("250ms", 0.25), ("2s", 2), ("1.5s", 1.5), ("2m", 120), ("1h", 3600)]
)
def test_durations(tmp_path: Path, text: str, seconds: float) -> None:
    assert target(tmp_path, f'engine = "python"\ncall = "m:f"\ntimeout = "{text}"\n').timeout == seconds


@pytest.mark.parametrize(("text", "size"), [("64KiB", 2**16), ("3MiB", 3 * 2**20), ("2GiB", 2**31)])
def test_sizes(tmp_path: Path, text: str, size: int) -> None:
    found = target(tmp_path, f'engine = "python"\ncall = "m:f"\nmemory = "{text}"\n')
    assert isinstance(found, PythonTarget)
    assert found.memory == size


def test_a_jvm_target_with_everything(tmp_path: Path) -> None:
    text = (
        'engine = "jvm"\ndriver = "pack.Driver"\nclasspath = ["a.jar"]\nmaven = ["g:a:1"]\n'
        'cover = ["pack.*", "!pack.x"]\n'
        'invalid = ["p.E"]\nunparsed = ["p.F"]\njava = "/opt/java"\nheap = "512MiB"\ntimeout = "3s"\n'
        'options = ["-Dx=${HOME}"]\n'
    )
    assert target(tmp_path, text) == JvmTarget(
        driver="pack.Driver",
        classpath=("a.jar",),
        maven=("g:a:1",),
        cover=("pack.*", "!pack.x"),
        invalid=("p.E",),
        unparsed=("p.F",),
        java="/opt/java",
        heap=512 * 2**20,
        timeout=3.0,
        options=("-Dx=${HOME}",),
    )


def test_a_jvm_target_needs_no_more_than_engine_and_driver(tmp_path: Path) -> None:
    found = target(tmp_path, 'engine = "jvm"\ndriver = "Driver"\n')
    assert found == JvmTarget("Driver", (), (), ("Driver",), (), (), "java", 2**30, 10.0)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "'engine' is missing in [target]"),
        ('engine = "python"\n', 1, "'call' is missing in [target]"),
        ('engine = "pyhton"\n', 2, "unknown engine 'pyhton'"),
        ("engine = 3\n", 2, "engine is not a text"),
        ('engine = "python"\ncall = "module"\n', 3, "'module' names no function"),
        ('engine = "python"\ncall = "a:b:c"\n', 3, "names no function"),
        ('engine = "python"\ncall = "m:f"\ncover = "m"\n', 4, "cover is not a list of texts"),
        ('engine = "python"\ncall = "m:f"\ninvalid = [1]\n', 4, "invalid is not a list of texts"),
        ('engine = "python"\ncall = "m:f"\ntimeout = 2\n', 4, "timeout is not a text"),
        ('engine = "python"\ncall = "m:f"\ntimeout = "2"\n', 4, "'2' is no duration"),
        ('engine = "python"\ncall = "m:f"\ntimeout = "0s"\n', 4, "'0s' is no duration"),
        ('engine = "python"\ncall = "m:f"\ntimeout = "-1s"\n', 4, "'-1s' is no duration"),
        ('engine = "python"\ncall = "m:f"\nmemory = "1GB"\n', 4, "'1GB' is no amount of memory"),
        ('engine = "python"\ncall = "m:f"\nmemory = "0MiB"\n', 4, "'0MiB' is no amount of memory"),
        ('engine = "jvm"\n', 1, "'driver' is missing in [target]"),
        ('engine = "jvm"\ndriver = "a:b"\n', 3, "'a:b' names no class"),
        ('engine = "jvm"\ndriver = "D"\ncover = ["a,b"]\n', 4, "'a,b' is no pattern"),
        ('engine = "jvm"\ndriver = "D"\nheap = "1GB"\n', 4, "'1GB' is no amount of memory"),
        ('engine = "jvm"\ndriver = "D"\ncall = "m:f"\n', 4, "unknown key 'call' in [target]"),
        ('engine = "python"\ncall = "m:f"\n\ntimeuot = "2s"\n', 5, "unknown key 'timeuot' in [target]"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_a_hint(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(BonsaiError) as caught:
        target(tmp_path, text)
    assert caught.value.message.startswith(f"{tmp_path / 'bonsai.toml'}:{line}: ")
    assert words in caught.value.message
    assert caught.value.hint
