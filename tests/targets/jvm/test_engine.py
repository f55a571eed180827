"""JVM targets of all sorts are started, and what is wrong with one is said in a line and a hint."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.targets.engines import start
from bonsai.targets.execution import Outcome, Target, Wanted
from bonsai.targets.jvm.classpath import expand, local_entries, maven_entries
from bonsai.targets.jvm.tools import find_java
from bonsai.targets.settings import JvmTarget
from targets.jvm.tools import needs_java

Starter = Callable[[JvmTarget], Target]
GOOD = "public class Driver { public static Object check(String text) { return text.length(); } }"


def settings(driver: str = "Driver", **changes: object) -> JvmTarget:
    values = {"classpath": (), "maven": (), "cover": (driver,), "invalid": (), "unparsed": (), "java": "java"}
    return JvmTarget(driver=driver, timeout=10.0, **{"heap": 2**28, **values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Starter]:
    """Starts targets whose subject is in the temporary folder; they end with the test."""
    with ExitStack() as stack:

        def begin(chosen: JvmTarget) -> Target:
            return stack.enter_context(closing(start(chosen, tmp_path)))

        yield begin


@needs_java
@pytest.mark.parametrize(
    ("source", "changes", "message"),
    [
        ("public class Driver {}", {}, r"driver: there is no public method check\(String\) in Driver"),
        (GOOD.replace("static", ""), {}, "driver: the method check of Driver is not static"),
        (GOOD.replace("public class", "class"), {}, "driver: the class Driver is not public"),
        (GOOD.replace("length", "lenght"), {}, r"driver: javac says .*Driver.java:1: .*cannot find symbol symbol"),
        (
            GOOD.replace("{ public", '{ static int x = 1 / Integer.parseInt("0"); public'),
            {},
            r"driver: initialising Driver threw ArithmeticException: / by zero \(Driver.java:1\)",
        ),
        (
            GOOD,
            {"driver": "Nowhere", "cover": ("Driver",), "classpath": (".",)},
            "driver: there is no class Nowhere",
        ),
        (GOOD, {"classpath": ("Driver.java",)}, r"classpath: .*Driver\.java is no jar"),
        (GOOD, {"cover": ("nowhere.*",)}, r"cover: there is no class for 'nowhere\.\*'"),
        (GOOD, {"invalid": ("no.Such",)}, "invalid: there is no class no.Such"),
        (GOOD, {"unparsed": ("no.Such",)}, "unparsed: there is no class no.Such"),
        (GOOD, {"java": "/nowhere/java"}, "java: there is no /nowhere/java"),
        (GOOD, {"classpath": ("nowhere.jar",)}, r"classpath: there is no .*nowhere\.jar"),
        (GOOD, {"maven": ("nonsense",)}, "maven: 'nonsense' is no artifact"),
        (GOOD, {"heap": 1024}, "ended while it was started: .*status 1: .*[Hh]eap"),
        (GOOD, {"options": ("-XX:Bogus",)}, "ended while it was started: .*status 1: .*Bogus"),
        (GOOD, {"options": ("-XX:TieredStopAtLevel=abc",)}, "ended while it was started: .*TieredStopAtLevel=abc"),
    ],
)
def test_what_is_wrong_is_said(
    started: Starter, tmp_path: Path, source: str, changes: dict[str, object], message: str
) -> None:
    (tmp_path / "Driver.java").write_text(source)
    with pytest.raises(BonsaiError, match=message) as caught:
        started(settings(**changes))  # type: ignore[arg-type]
    assert caught.value.hint


@needs_java
def test_a_driver_in_a_package_with_a_class_beside_it(started: Starter, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "Driver.java").write_text(f"package pack; {GOOD.replace('text.length()', 'Beside.twice(text)')}")
    (folder / "Beside.java").write_text(
        "package pack; class Beside {"
        " static String twice(String text) { return text.isEmpty() ? text : text + text; } }"
    )
    target = started(settings("pack.Driver", cover=("pack.*", "!pack.Driver")))
    assert target.execute(["ab"], Wanted.OUTPUT)[0].output == '"abab"'
    assert {name.split("(")[0] for name in target.features} == {"pack.Beside.<init>", "pack.Beside.twice"}


@needs_java
def test_values_of_all_kinds_are_output(started: Starter, tmp_path: Path) -> None:
    value = (
        'java.util.Arrays.asList(1, 2.5, true, null, "a\\"\\n\\u00e9", new int[] {1}, java.util.Map.of("k", 1L))'
    )
    (tmp_path / "Driver.java").write_text(GOOD.replace("text.length()", value))
    [execution] = started(settings()).execute([""], Wanted.OUTPUT)
    assert execution.output == r'[1, 2.5, true, null, "a\"\n\u00e9", [1], {"k": 1}]'


@needs_java
def test_a_supplier_is_asked_only_for_wanted_output(started: Starter, tmp_path: Path) -> None:
    (tmp_path / "Driver.java").write_text(
        "public class Driver { static int asked; public static Object check(String text) {"
        " return (java.util.function.Supplier<Integer>) () -> ++asked; } }"
    )
    target = started(settings())
    target.execute(["a", "b"])
    assert [one.output for one in target.execute(["a", "b"], Wanted.OUTPUT)] == ["1", "2"]


@needs_java
def test_a_failing_initialiser_costs_the_process(started: Starter, tmp_path: Path) -> None:
    """A class whose initialiser failed can never be used again: the second input would not see the same."""
    (tmp_path / "Driver.java").write_text(
        'public class Driver { static class Bad { static int x = 1 / Integer.parseInt("0"); }'
        " public static Object check(String text) { return Bad.x; } }"
    )
    first, second = started(settings()).execute(["a", "b"])
    assert first == second
    assert (first.outcome, first.message.split(" ")[0]) == (Outcome.CRASH, "ExceptionInInitializerError")


@pytest.mark.parametrize(
    ("tool", "message"), [("java", "there is no java on this machine"), ("mvn", "there is no mvn on this machine")]
)
def test_a_missing_tool_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tool: str, message: str) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    if tool == "mvn":
        (tmp_path / "java").write_text("#!/bin/sh\n")
        (tmp_path / "java").chmod(0o755)
    with pytest.raises(BonsaiError, match=message) as caught:
        start(settings(), tmp_path)
    assert "install" in caught.value.hint


@needs_java
def test_a_java_of_the_subject(started: Starter, tmp_path: Path) -> None:
    """Relative to its folder, as class paths are."""
    (tmp_path / "Driver.java").write_text(GOOD)
    (tmp_path / "jdk").symlink_to(find_java("java").resolve().parents[1])
    for java in ("./jdk", "jdk/bin/java"):
        assert started(settings(java=java)).execute(["ab"], Wanted.OUTPUT)[0].output == "2"


def test_jars_that_maven_lost_are_looked_for_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    jar, asked = tmp_path / "a.jar", []

    def find(arguments: object, folder: Path, purpose: str) -> None:
        asked.append(purpose)
        jar.write_bytes(b"")
        (folder / "classpath.txt").write_text(str(jar))

    monkeypatch.setattr("bonsai.targets.jvm.classpath.run_maven", find)
    for times in (1, 2, 3):
        assert maven_entries(["a:a:1"]) == [jar]
        assert maven_entries(["a:a:1"]) == [jar]
        assert asked == ["find a:a:1"] * times
        jar.unlink()


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOME_JARS", os.pathsep.join([str(tmp_path), "beside"]))
    (tmp_path / "beside").mkdir()
    assert local_entries(["${SOME_JARS}"], tmp_path) == [tmp_path, tmp_path / "beside"]
    assert expand("a:${NOT_SET:-v1}", "maven") == "a:v1"
    with pytest.raises(BonsaiError, match="classpath: NOT_SET is not set"):
        local_entries(["${NOT_SET}"], tmp_path)
    assert maven_entries([]) == []
