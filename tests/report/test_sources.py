from pathlib import Path

import pytest

from bonsai.report import sources
from bonsai.report.sources import Arm, Cover, fitting, label_of, modules_of, reasons_of


def arms(*names: str) -> list[Arm]:
    return [Arm(place, name, label_of(name), Cover.VALID, 0, 1) for place, name in enumerate(names)]


def test_branches_of_a_jvm_target_are_shown_by_class_and_line() -> None:
    [module] = modules_of(
        arms("a.b.C.visit(Node, int):12:if-true", "a.b.C.visit(Node, int):12:if-false", "a.b.C.<init>():3:entry"),
        None,
    )
    assert module.name == "a.b.C"
    assert [line.text for line in module.lines] == ["visit(Node, int), line 12", "<init>(), line 3"]
    assert [arm.label for arm in module.lines[0].arms] == ["if-true", "if-false"]


def test_what_a_driver_reports_is_shown_by_name() -> None:
    [module] = modules_of(arms("reported:a loop: in a loop"), None)
    assert (module.name, module.lines[0].text) == ("reported", "a loop: in a loop")


def test_source_that_has_become_shorter_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("pass\n")
    [module] = modules_of(arms("gone:7:0:if-true"), tmp_path)
    assert not module.readable
    assert [line.text for line in module.lines] == ["line 7"]


def test_reasons_are_lines_with_the_arms_taken(tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text("def f(x):\n    if x: pass\n")
    modules = modules_of(arms("some:1:0:function", "some:2:4:if-true", "some:2:4:if-false"), tmp_path)
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
    modules = modules_of(arms("one:1:0:if-true", "one:3:0:if-true", "two:2:0:if-true"), tmp_path)
    assert fitting(modules) == modules
    monkeypatch.setattr(sources, "LINES", 2)
    assert [[line.number for line in module.lines] for module in fitting(modules)] == [[1, 3], []]
