"""What decides the results of a Python target is part of its hash, and nothing else is."""

import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from bonsai.subject import identity, load_subject, target_parts
from bonsai.targets.parts import changed_parts
from bonsai.targets.settings import PythonTarget
from made_subjects import json_subject

SETTINGS = """
[target]
engine = "python"
call = "driver:check"
cover = ["driver", "covered.*"]
path = ["../library"]
invalid = ["errors.Wrong"]
"""
FILES = {
    "subject/driver.py": "import json, helper, lexicon\nfrom package import inner\n\ndef check(text): ...\n",
    "subject/helper.py": "from .nowhere import nothing\nimport deeper.module\n",
    "subject/deeper/__init__.py": "",
    "subject/deeper/module.py": "import importlib\nimportlib.import_module('dynamic')\n",
    "subject/dynamic.py": "X = 1\n",
    "subject/package/__init__.py": "from .sibling import *\n",
    "subject/package/inner.py": "",
    "subject/package/sibling.py": "from . import inner as other\n",
    "subject/covered/__init__.py": "",
    "subject/covered/never_imported.py": "Y = 2\n",
    "subject/unused.py": "import nowhere_at_all\n",
    "subject/out/corpus/valid/0001-a.py": "",
    "library/errors.py": "class Wrong(Exception): pass\n",
    "library/lexicon.py": "import words\n",
    "library/words.py": "",
    "library/test_lexicon.py": "import lexicon\n",
}
DECISIVE = {
    "driver.py",
    "helper.py",
    "deeper/__init__.py",
    "deeper/module.py",
    "dynamic.py",
    "package/__init__.py",
    "package/inner.py",
    "package/sibling.py",
    "covered/__init__.py",
    "covered/never_imported.py",
    "module errors",
    "module lexicon",
    "module words",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A subject of several modules, and a library beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    json_subject(folder / "subject", settings=SETTINGS)
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def parts(project: Path) -> dict[str, str]:
    return target_parts(load_subject(project / "subject"), [])


def file_of(project: Path, name: str) -> Path:
    module = name.removeprefix("module ")
    return project / "subject" / name if module == name else project / "library" / f"{module}.py"


def test_the_sources_that_the_driver_loads_are_parts(project: Path) -> None:
    found = {name for name in parts(project) if not name.startswith("setting ")}
    assert found == DECISIVE | {"Python", "the list of features"}


@pytest.mark.parametrize("name", sorted(DECISIVE))
def test_a_change_of_any_source_is_named(project: Path, name: str) -> None:
    before, hash_before = parts(project), identity(load_subject(project / "subject"), [])["target_hash"]
    with file_of(project, name).open("a") as file:
        file.write("# changed\n")
    assert changed_parts(before, parts(project)) == [name]
    assert identity(load_subject(project / "subject"), [])["target_hash"] != hash_before


@pytest.mark.parametrize(
    "name", ["subject/unused.py", "subject/out/corpus/valid/0001-a.py", "library/test_lexicon.py"]
)
def test_other_files_do_not_matter(project: Path, name: str) -> None:
    before = parts(project)
    (project / name).write_text("X = 3\n")
    (project / "subject" / "new.py").write_text("X = 3\n")
    assert parts(project) == before


def test_a_copy_in_another_place_is_the_same_target(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "deep"
    shutil.copytree(project, copy)
    (tmp_path / "link").symlink_to(copy)
    assert parts(copy) == parts(project) == parts(tmp_path / "link")


OTHER_VALUES: dict[str, Any] = {
    "call": "driver:other",
    "cover": ("driver",),
    "invalid": (),
    "unparsed": ("ValueError",),
    "timeout": 3.5,
    "memory": 2**20,
    "hash_seed": 1,
}


def test_every_setting_but_the_path_is_a_part(project: Path) -> None:
    assert set(OTHER_VALUES) == {entry.name for entry in fields(PythonTarget)} - {"path"}


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_a_change_of_a_setting_is_named(project: Path, name: str) -> None:
    subject = load_subject(project / "subject")
    assert isinstance(subject.target, PythonTarget)
    other = replace(subject, target=replace(subject.target, **{name: OTHER_VALUES[name]}))
    assert f"setting {name}" in changed_parts(target_parts(subject, []), target_parts(other, []))


def test_the_suffix_and_the_features_are_parts(project: Path) -> None:
    subject = load_subject(project / "subject")
    before = target_parts(subject, ["a"])
    assert changed_parts(before, target_parts(replace(subject, suffix=".txt"), ["a"])) == ["setting suffix"]
    assert changed_parts(before, target_parts(subject, ["b"])) == ["the list of features"]
    (project / "subject" / "driver.py").write_text("def check(text): return 3\n")
    assert "the list of features" not in changed_parts(before, target_parts(subject, ["b"]))


class OtherVersion:
    """What `importlib.metadata` knows of a package after an update."""

    version = "0.0.0"

    def __init__(self, name: str) -> None:
        self.name = name

    def read_text(self, filename: str) -> str | None:
        return None


def test_of_an_installed_package_that_is_not_covered_the_version_counts(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "subject" / "driver.py").write_text(
        "import hypothesis.strategies\nimport _pytest\ndef check(text): ...\n"
    )
    before = parts(project)
    assert {"package hypothesis", "package _pytest"} <= before.keys()
    monkeypatch.setattr("importlib.metadata.distribution", OtherVersion)
    assert changed_parts(before, parts(project)) == ["package _pytest", "package hypothesis"]


def test_a_covered_package_is_hashed_wherever_it_is(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site-packages"
    (installed / "checker").mkdir(parents=True)
    (installed / "checker" / "__init__.py").write_text("import json\n")
    (installed / "checker" / "rules.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(str(installed))
    text = (project / "subject" / "bonsai.toml").read_text()
    (project / "subject" / "bonsai.toml").write_text(text.replace('"covered.*"', '"checker.*"'))
    before = parts(project)
    assert "package checker" not in before
    (installed / "checker" / "rules.py").write_text("A = 2\n")
    assert changed_parts(before, parts(project)) == ["module checker.rules"]


def site_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package where Python finds it, outside of the subject's folders."""
    package = folder / "site-packages" / "checker"
    package.mkdir(parents=True)
    for name in ("__init__", "rules", "lexer"):
        (package / f"{name}.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(str(folder / "site-packages"))
    return package


def install(package: Path, version: str, url: str = "{}") -> None:
    """Makes a package look installed."""
    metadata = package.parent / "checker.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: checker\nVersion: {version}\n")
    (metadata / "direct_url.json").write_text(url)


def call_the_package(project: Path) -> None:
    text = (project / "subject" / "bonsai.toml").read_text()
    text = text.replace("driver:check", "checker:check").replace('"covered.*"', '"checker.rules"')
    (project / "subject" / "bonsai.toml").write_text(text)


def test_an_installed_driver_is_hashed_and_so_is_what_is_covered(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = site_packages(tmp_path, monkeypatch)
    call_the_package(project)
    install(package, "1.0")
    for name, part in (("__init__", "module checker"), ("rules", "module checker.rules")):
        before = parts(project)
        (package / f"{name}.py").write_text("A = 2\n")
        assert changed_parts(before, parts(project)) == [part]


@pytest.mark.parametrize("url", [None, '{"dir_info": {"editable": true}}'])
def test_a_package_that_is_being_worked_on_is_hashed_as_a_whole(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str | None
) -> None:
    package = site_packages(tmp_path, monkeypatch)
    (project / "subject" / "driver.py").write_text("import checker\ndef check(text): ...\n")
    if url is not None:
        install(package, "1.0", url)
    before = parts(project)
    (package / "lexer.py").write_text("A = 2\n")
    assert changed_parts(before, parts(project)) == ["package checker"]


def test_an_installed_package_counts_by_its_version(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = site_packages(tmp_path, monkeypatch)
    (project / "subject" / "driver.py").write_text("import checker\ndef check(text): ...\n")
    install(package, "1.0")
    before = parts(project)
    install(package, "1.1")
    assert changed_parts(before, parts(project)) == ["package checker"]


def test_a_package_without_a_file_of_its_own_is_not_installed(project: Path) -> None:
    (project / "subject" / "deeper" / "__init__.py").unlink()
    found = parts(project)
    assert "deeper/module.py" in found
    assert not any(name.startswith("package ") for name in found)


def test_a_bundled_subject_is_hashed_with_its_whole_front_end() -> None:
    found = target_parts(load_subject("chocopy"), [])
    assert {"driver.py", "parser.py", "lexer.py", "analysis/operators.py"} <= found.keys()
    assert "buggy.py" not in found


@pytest.mark.parametrize("name", ["calc"])
def test_a_subject_without_a_program_has_no_more_than_its_suffix(name: str) -> None:
    assert target_parts(load_subject(name), []).keys() == {"setting suffix", "the list of features"}
