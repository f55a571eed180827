"""Things are built once, whole or not at all, however many want them."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from time import sleep, time

import pytest

from bonsai.errors import BonsaiError
from bonsai.targets.jvm.cache import DAY, built, cache_folder, digest, digest_of


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_folder()


def test_of_many_at_once_one_builds(cache: Path) -> None:
    lock, times = Lock(), []

    def build(folder: Path) -> None:
        with lock:
            times.append(folder)
        sleep(0.05)
        (folder / "file").write_text("content")

    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(lambda _: built("kind", "key", build), range(16)))
    assert folders == {cache / "kind-key"}
    assert (cache / "kind-key" / "file").read_text() == "content"
    assert len(times) == 1


def test_what_failed_leaves_nothing_and_is_tried_again(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise BonsaiError("no", "hint")

    with pytest.raises(BonsaiError, match="no"):
        built("kind", "key", fail)
    assert [path.name for path in cache.iterdir()] == ["kind.lock"]
    assert built("kind", "key", lambda folder: None).is_dir()


def test_a_cache_that_cannot_be_written(cache: Path) -> None:
    cache.parent.write_text("a file")
    with pytest.raises(BonsaiError, match="cannot write") as caught:
        built("kind", "key", lambda folder: None)
    assert "XDG_CACHE_HOME" in caught.value.hint


def test_keys_depend_on_names_and_contents(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("same")
    assert digest_of([tmp_path / "a"]) == digest_of([tmp_path / "b"])
    (tmp_path / "b" / "file").write_text("other")
    assert digest_of([tmp_path / "a"]) != digest_of([tmp_path / "b"])
    assert digest("ab", "c") != digest("a", "bc")


def test_what_nobody_has_wanted_for_long_is_removed(cache: Path) -> None:
    old, wanted, other = (built(*name, lambda folder: None) for name in (("kind", "a"), ("kind", "b"), ("x", "a")))
    for folder in (old, wanted, other):
        os.utime(folder, times=(time() - 100 * DAY,) * 2)
    assert built("kind", "b", lambda folder: None) == wanted
    new = built("kind", "c", lambda folder: None)
    assert sorted(path for path in cache.iterdir() if path.is_dir()) == [wanted, new, other]
