"""What decides the results of a JVM target is part of its hash, wherever its files are."""

import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from bonsai.targets.jvm import parts as module
from bonsai.targets.jvm.parts import jvm_parts
from bonsai.targets.parts import changed_parts
from bonsai.targets.settings import JvmTarget

SETTINGS = JvmTarget(
    driver="app.Driver",
    classpath=("lib/first.jar", "lib/second.jar", "classes"),
    maven=(),
    cover=("app.*",),
    invalid=(),
    unparsed=(),
    java="java",
    heap=2**30,
    timeout=10.0,
    options=("-Dmode=${BONSAI_TEST_MODE:-plain}",),
)
SOURCES = {
    "app/Driver.java": "package app; class Driver { void check(String s) { new Helper(); } }",
    "app/Helper.java": "package app; class Helper { Deep deep; }",
    "app/Deep.java": "package app; class Deep { }",
    "app/Unused.java": "package app; class Unused { Driver driver; }",
    "out/corpus/valid/0001-class.java": "class A { }",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, content in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "lib").mkdir()
    for name in ("first", "second"):
        write_jar(folder / "lib" / f"{name}.jar", name)
    (folder / "classes" / "inner").mkdir(parents=True)
    (folder / "classes" / "inner" / "A.class").write_bytes(b"a class")
    return folder


def write_jar(path: Path, content: str) -> None:
    with ZipFile(path, "w") as archive:
        archive.writestr("A.class", content)


def test_driver_class_path_settings_and_java_are_parts(project: Path) -> None:
    found = {name for name in jvm_parts(SETTINGS, project) if not name.startswith("setting ")}
    sources = {"app/Driver.java", "app/Helper.java", "app/Deep.java"}
    entries = {"jar first.jar", "jar second.jar", "class folder classes", "the order of the class path"}
    assert found == sources | entries | {"Java"}


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("app/Driver.java", "app/Driver.java"),
        ("app/Deep.java", "app/Deep.java"),
        ("classes/inner/A.class", "class folder classes"),
    ],
)
def test_a_change_of_a_file_is_named(project: Path, file: str, name: str) -> None:
    before = jvm_parts(SETTINGS, project)
    with (project / file).open("a") as changed:
        changed.write(" ")
    assert changed_parts(before, jvm_parts(SETTINGS, project)) == [name]


def test_a_change_of_a_jar_is_named(project: Path) -> None:
    before = jvm_parts(SETTINGS, project)
    write_jar(project / "lib" / "second.jar", "another")
    assert changed_parts(before, jvm_parts(SETTINGS, project)) == ["jar second.jar"]


def test_the_order_of_the_class_path_matters(project: Path) -> None:
    other = replace(SETTINGS, classpath=("lib/second.jar", "lib/first.jar", "classes"))
    assert changed_parts(jvm_parts(SETTINGS, project), jvm_parts(other, project)) == ["the order of the class path"]


def test_two_jars_of_the_same_name_both_count(project: Path) -> None:
    (project / "more").mkdir()
    write_jar(project / "more" / "first.jar", "more")
    settings = replace(SETTINGS, classpath=("lib/first.jar", "more/first.jar"))
    for jar in ("lib/first.jar", "more/first.jar"):
        before = jvm_parts(settings, project)
        write_jar(project / jar, f"{jar} changed")
        assert changed_parts(before, jvm_parts(settings, project)) == ["jar first.jar"]


@pytest.mark.parametrize("file", ["app/Unused.java", "out/corpus/valid/0001-class.java"])
def test_other_sources_do_not_matter(project: Path, file: str) -> None:
    before = jvm_parts(SETTINGS, project)
    (project / file).write_text("class B { }")
    assert jvm_parts(SETTINGS, project) == before


def test_a_copy_in_another_place_is_the_same_target(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project, tmp_path / "copy")
    moved = tmp_path / "jars"
    shutil.move(tmp_path / "copy" / "lib", moved)
    settings = replace(SETTINGS, classpath=(str(moved / "first.jar"), str(moved / "second.jar"), "classes"))
    assert jvm_parts(settings, tmp_path / "copy") == jvm_parts(SETTINGS, project)


OTHER_VALUES: dict[str, Any] = {
    "driver": "app.Other",
    "maven": ("a:b:1",),
    "cover": ("app.Driver",),
    "invalid": ("Wrong",),
    "unparsed": ("Wrong",),
    "heap": 2**20,
    "timeout": 3.5,
    "options": (),
}


def test_every_setting_that_is_not_a_place_is_a_part() -> None:
    assert set(OTHER_VALUES) == {entry.name for entry in fields(JvmTarget)} - {"classpath", "java"}


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_a_change_of_a_setting_is_named(project: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "maven_entries", lambda coordinates: [])
    other = replace(SETTINGS, **{name: OTHER_VALUES[name]})
    assert f"setting {name}" in changed_parts(jvm_parts(SETTINGS, project), jvm_parts(other, project))


def test_a_variable_in_the_options_is_part_of_them(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = jvm_parts(SETTINGS, project)
    monkeypatch.setenv("BONSAI_TEST_MODE", "other")
    assert changed_parts(before, jvm_parts(SETTINGS, project)) == ["setting options"]


def test_another_version_of_a_library_from_maven_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolved(version: str) -> None:
        write_jar(project / f"library-{version}.jar", version)
        monkeypatch.setattr(module, "maven_entries", lambda coordinates: [project / f"library-{version}.jar"])

    resolved("1")
    before = jvm_parts(SETTINGS, project)
    resolved("2")
    changed = changed_parts(before, jvm_parts(SETTINGS, project))
    assert changed == ["jar library-2.jar", "jar library-1.jar"]


def test_another_java_is_named(project: Path, tmp_path: Path) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\necho "version 18"\n')
    java.chmod(0o755)
    settings = replace(SETTINGS, java=str(tmp_path / "jdk"))
    from_itself = jvm_parts(settings, project)
    (tmp_path / "jdk" / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="18.0.1"\n')
    before = jvm_parts(settings, project)
    (tmp_path / "jdk" / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="18.0.2"\n')
    after = jvm_parts(settings, project)
    assert changed_parts(from_itself, before) == changed_parts(before, after) == ["Java"]


def test_what_is_not_on_this_machine_is_left_out(project: Path) -> None:
    settings = replace(
        SETTINGS, java="no-such-java", classpath=("missing.jar",), options=("${BONSAI_UNSET_VARIABLE}",)
    )
    found = jvm_parts(settings, project)
    assert "Java" not in found
    assert "app/Driver.java" in found
