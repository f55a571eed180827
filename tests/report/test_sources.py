from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from bonsai.report import sources
from bonsai.report.sources import Arm, Cover, fitting, label_of, modules_of, reasons_of
from bonsai.targets.jvm.sources import JavaSources


def arms(*names: str) -> list[Arm]:
    return [Arm(place, name, label_of(name), Cover.VALID, 0, 1) for place, name in enumerate(names)]


def test_branches_of_a_jvm_target_are_shown_by_class_and_line() -> None:
    [module] = modules_of(
        arms("a.b.C.visit(Node, int):12:if-true", "a.b.C.visit(Node, int):12:if-false", "a.b.C.<init>():3:entry"),
        (),
    )
    assert module.name == "a.b.C"
    assert [line.text for line in module.lines] == ["visit(Node, int), line 12", "<init>(), line 3"]
    assert [arm.label for arm in module.lines[0].arms] == ["if-true", "if-false"]


JAVA = """package a.b;

class C {
    int f(int x) { return x > 0 ? 1 : 2; }
    class D {
        D() {}
    }
}
"""
IN_JAVA = ["a.b.C.f(int):4:jump 1", "a.b.C$D.<init>(C):6:entry", "a.b.Other.g():2:entry"]


@pytest.fixture
def java(tmp_path: Path) -> JavaSources:
    with ZipFile(tmp_path / "program-sources.jar", "w") as archive:
        archive.writestr("a/b/C.java", JAVA)
    return JavaSources(tmp_path, [tmp_path / "program-sources.jar"])


def test_a_class_and_those_within_it_are_shown_in_their_file(java: JavaSources) -> None:
    whole, other = modules_of(arms(*IN_JAVA), (), java)
    assert (whole.name, whole.readable, whole.suffix) == ("a.b.C", True, ".java")
    assert [line.text for line in whole.lines] == JAVA.splitlines()
    assert [(line.number, line.arms[0].label) for line in whole.lines if line.arms] == [(4, "jump 1"), (6, "entry")]
    assert (other.name, other.readable) == ("a.b.Other", False)
    assert [one.where for one in reasons_of([whole], {0: [5]})[5]] == ["C:4"]


def test_a_file_of_which_nothing_is_covered_is_not_shown(java: JavaSources) -> None:
    uncovered = [replace(arm, cover=Cover.NONE, witness=None) for arm in arms(*IN_JAVA)]
    assert [module.readable for module in modules_of(uncovered, (), java)] == [False] * 3


@pytest.mark.parametrize("line", [0, 99])
def test_java_source_without_such_a_line_is_not_shown(java: JavaSources, line: int) -> None:
    [module] = modules_of(arms(f"a.b.C.f(int):{line}:entry", "a.b.C.f(int):4:jump 1"), (), java)
    assert not module.readable
    assert [line.text for line in module.lines] == [f"f(int), line {line}", "f(int), line 4"]


def test_what_a_driver_reports_is_shown_by_name() -> None:
    [module] = modules_of(arms("reported:a loop: in a loop"), ())
    assert (module.name, module.lines[0].text) == ("reported", "a loop: in a loop")


def test_source_that_has_become_shorter_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("pass\n")
    [module] = modules_of(arms("gone:7:0:if-true"), (tmp_path,))
    assert not module.readable
    assert [line.text for line in module.lines] == ["line 7"]


def test_reasons_are_lines_with_the_arms_taken(tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text("def f(x):\n    if x: pass\n")
    modules = modules_of(arms("some:1:0:function", "some:2:4:if-true", "some:2:4:if-false"), (tmp_path,))
    found = reasons_of(modules, {0: [5], 1: [5], 2: [5, 6]})
    assert [(one.where, one.text, one.labels) for one in found[5]] == [
        ("some:1", "def f(x):", ("function",)),
        ("some:2", "if x: pass", ("if-true", "if-false")),
    ]
    assert [one.labels for one in found[6]] == [("if-false",)]


def test_a_large_target_is_cut_to_lines_with_arms_and_then_to_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("pass\n" * 10)
    modules = modules_of(arms("one:1:0:if-true", "one:3:0:if-true", "two:2:0:if-true"), (tmp_path,))
    assert fitting(modules) == modules
    monkeypatch.setattr(sources, "LINES", 2)
    assert [[line.number for line in module.lines] for module in fitting(modules)] == [[1, 3], []]
