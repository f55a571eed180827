"""Sources of Java classes: where they are found, and that nothing breaks where they are not."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from bonsai.targets.jvm.sources import JavaSources, find_sources
from bonsai.targets.settings import JvmTarget
from targets.jvm.tools import needs_java


def settings(classpath: tuple[str, ...] = (), maven: tuple[str, ...] = ()) -> JvmTarget:
    return JvmTarget("Driver", classpath, maven, ("com.google.gson.*",), (), (), "java", 2**28, 1.0)


def archive(path: Path, **files: str) -> Path:
    with ZipFile(path, "w") as opened:
        for name, content in files.items():
            opened.writestr(f"a/{name}.java", content)
    return path


def test_the_folder_comes_first_then_the_archives_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/One.java").write_text("folder")
    first = archive(tmp_path / "1.jar", One="first", Two="first\nagain")
    second = archive(tmp_path / "2.jar", Two="second", Three="second")
    found = JavaSources(tmp_path, [first, second])
    assert [found.lines(f"a.{name}") for name in ("One", "Two", "Three", "Four")] == [
        ("folder",),
        ("first", "again"),
        ("second",),
        None,
    ]


def test_sources_beside_a_jar(tmp_path: Path) -> None:
    archive(tmp_path / "program.jar")
    archive(tmp_path / "program-sources.jar", One="text")
    assert find_sources(settings(("program.jar",)), tmp_path).lines("a.One") == ("text",)


def test_what_is_missing_or_damaged_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # there is no Maven either
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "program.jar").write_text("")
    (tmp_path / "program-sources.jar").write_text("no archive")
    absent = settings(("program.jar", "absent.jar", "${NOT_SET}"), ("no.such:thing:1", "nonsense", "${NOT_SET}"))
    for chosen in (absent, settings(("program.jar",))):
        assert find_sources(chosen, tmp_path).lines("a.One") is None


@needs_java
@pytest.mark.slow
def test_sources_from_maven(tmp_path: Path) -> None:
    library = "com.fasterxml.jackson.core:jackson-annotations:2.15.4"
    found = find_sources(settings(maven=("com.google.code.gson:gson:2.11.0", library)), tmp_path)
    assert found.lines("com.fasterxml.jackson.annotation.JsonIgnore") is None  # not covered
    lines = found.lines("com.google.gson.JsonParser")
    assert lines
    assert any("class JsonParser" in line for line in lines)
