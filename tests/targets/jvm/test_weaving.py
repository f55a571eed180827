"""Woven classes do what the originals do, and say where they have been."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from bonsai.targets.execution import Execution, Outcome, Target, Wanted
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.jvm.engine import prepare_jvm
from bonsai.targets.settings import JvmTarget
from targets.jvm.tools import needs_java

pytestmark = needs_java
NUMBERS = [str(number) for number in (*range(-3, 12), -1000, 1000)]
FLOW = JvmTarget("Flow", (), (), ("Flow",), (), (), "java", 2**28, 10.0)


@pytest.fixture(scope="module")
def targets() -> Iterator[tuple[Target, Target]]:
    """The same class, woven and as it is."""
    prepared = prepare_jvm(FLOW, Path(__file__).parent)
    with ExitStack() as stack:
        woven, plain = (
            stack.enter_context(IsolatedTarget(prepared.program(options), FLOW.timeout))
            for options in (prepared.woven(frozenset()), [])
        )
        yield woven, plain


def names(target: Target, execution: Execution) -> set[str]:
    return {
        name.removeprefix("Flow.")
        for number, name in enumerate(target.features)
        if execution.features >> number & 1
    }


def test_nothing_but_the_features_changes(targets: tuple[Target, Target]) -> None:
    woven, plain = (target.execute(NUMBERS, Wanted.OUTPUT) for target in targets)
    assert [one.output for one in woven] == [one.output for one in plain]
    assert {one.outcome for one in woven} == {Outcome.VALID}
    assert all(one.features for one in woven)
    assert not any(one.features for one in plain)


def test_features_do_not_depend_on_the_order(targets: tuple[Target, Target]) -> None:
    woven, _ = targets
    first = woven.execute(NUMBERS)
    woven.close()
    assert woven.execute(NUMBERS[::-1])[::-1] == first


def arms(target: Target, text: str, method: str) -> set[str]:
    """The arms of a method that an input takes, without their lines."""
    [execution] = target.execute([text])
    found = names(target, execution)
    return {name.split(":")[2] for name in found if name.startswith(f"{method}(")}


@pytest.mark.parametrize(
    ("text", "method", "taken"),
    [
        ("1", "table", {"entry", "switch 1 case 1"}),
        ("2", "table", {"entry", "switch 1 case 1"}),
        ("3", "table", {"entry", "switch 1 case 3"}),
        ("4", "table", {"entry", "switch 1 default"}),
        ("5", "table", {"entry", "switch 1 case 5"}),
        ("4", "sparse", {"entry", "switch 1 case 4"}),
        ("7", "sparse", {"entry", "switch 1 default"}),
        ("2", "wide", {"entry", "next 1", "next 2"}),
        ("0", "wide", {"entry", "jump 1", "jump 2"}),
        ("-3", "wide", {"entry", "jump 1", "jump 2"}),
        ("9", "lambda$lambdas$0", {"entry", "next 1"}),
        ("1", "lambda$lambdas$0", {"entry", "jump 1"}),
    ],
)
def test_arms(targets: tuple[Target, Target], text: str, method: str, taken: set[str]) -> None:
    assert arms(targets[0], text, method) == taken


def test_names_are_unique_and_say_where(targets: tuple[Target, Target]) -> None:
    features = targets[0].features
    assert len(set(features)) == len(features)
    assert "Flow.table(int):90:switch 1 case 3" in features
    assert "Flow$Shape.name():11:entry" in features


def test_an_initialiser_counts_for_nobody(targets: tuple[Target, Target]) -> None:
    """`Once` is initialised by the first number above 7, whose features are those of the second."""
    woven, _ = targets
    woven.close()
    first, second = woven.execute(["8", "8"])
    assert first == second
    assert any(name.startswith("Flow$Once.twice") for name in woven.features)
    assert not any(name.startswith("$Once.twice") for name in names(woven, first))


def started(folder: Path, driver: str, cover: str, classpath: tuple[str, ...] = ()) -> IsolatedTarget:
    (folder / "Driver.java").write_text(
        f"public class Driver {{ public static Object check(String text) {{ {driver} }} }}"
    )
    prepared = prepare_jvm(replace(FLOW, driver="Driver", cover=(cover,), classpath=classpath), folder)
    return IsolatedTarget(prepared.program(prepared.woven(frozenset())), FLOW.timeout)


@pytest.mark.slow
def test_of_a_class_for_several_versions_of_java_the_right_one_is_woven(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "library.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMulti-Release: true\n")
        for prefix, answer in (("", 1), ("META-INF/versions/11/", 2)):
            source = tmp_path / f"source{answer}" / "Library.java"
            source.parent.mkdir()
            source.write_text(f"public class Library {{ public static int answer() {{ return {answer}; }} }}")
            subprocess.run(["javac", "--release", "11", source.name], cwd=source.parent, check=True)
            jar.write(source.with_suffix(".class"), f"{prefix}Library.class")
    with started(tmp_path, "return Library.answer();", "Library", ("library.jar",)) as target:
        [execution] = target.execute([""], Wanted.OUTPUT)
    assert execution.output == "2"
    assert execution.features


def test_a_class_that_is_too_large_for_probes_still_cannot_end_the_process(tmp_path: Path) -> None:
    branches = "".join(f"if (x == {number}) x++;" for number in range(5000))
    (tmp_path / "Large.java").write_text(
        f"class Large {{ static void run(int x) {{ {branches} }} static void leave() {{ System.exit(5); }} }}"
    )
    with started(tmp_path, "Large.run(1); Large.leave(); return null;", "Large") as target:
        [execution] = target.execute([""])
    assert (execution.outcome, execution.message) == (Outcome.CRASH, "System.exit(5)")
    assert list(target.features) == []
