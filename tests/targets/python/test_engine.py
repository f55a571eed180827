"""Python targets of all sorts are started, and what is wrong with one is said in a line and a hint."""

import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.targets.engines import start
from bonsai.targets.execution import Execution, Outcome, Target, Wanted
from bonsai.targets.settings import PythonTarget


def write(folder: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))


def settings(call: str, *cover: str, invalid: tuple[str, ...] = (), unparsed: tuple[str, ...] = ()) -> PythonTarget:
    return PythonTarget(call, cover or (call.split(":")[0],), invalid, unparsed, 5.0, 2**30)


Starter = Callable[[PythonTarget], Target]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Starter]:
    """Starts targets whose subject is in the temporary folder; they end with the test."""
    with ExitStack() as stack:

        def begin(chosen: PythonTarget) -> Target:
            return stack.enter_context(closing(start(chosen, tmp_path)))

        yield begin


def exercised(target: Target, execution: Execution) -> set[str]:
    return {name for number, name in enumerate(target.features) if execution.features >> number & 1}


PACKAGE = {
    "driver.py": """\
        from space.inner.rules import rule
        import space.inner as inner

        def check(text):
            if text == "late":
                from space.inner import late
                return late.run()
            return rule(text), inner.answer()
        """,
    "space/inner/__init__.py": "def answer():\n    return 42\n",
    "space/inner/rules.py": "from space.other import helper\n\ndef rule(text):\n    return helper(text) or 1\n",
    "space/inner/late.py": "def run():\n    return 'late'\n",
    "space/inner/deep/nested.py": "def never():\n    pass\n",
    "space/other.py": "def helper(text):\n    return len(text)\n",
    "space/inner/broken_data.txt": "no module",
}


def test_namespace_packages_and_late_imports(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    target = started(settings("driver:check", "space.inner.*"))
    assert target.features == (
        "space.inner:1:0:function",
        "space.inner.deep.nested:1:0:function",
        "space.inner.late:1:0:function",
        "space.inner.rules:3:0:function",
        "space.inner.rules:4:27:or",
    )
    executions = target.execute(["", "x", "late", "late"])
    assert [exercised(target, execution) for execution in executions] == [
        {"space.inner:1:0:function", "space.inner.rules:3:0:function", "space.inner.rules:4:27:or"},
        {"space.inner:1:0:function", "space.inner.rules:3:0:function"},
        {"space.inner.late:1:0:function"},
        {"space.inner.late:1:0:function"},
    ]


INNER = {"space.inner", "space.inner.rules", "space.inner.late", "space.inner.deep.nested"}


@pytest.mark.parametrize(
    ("cover", "modules"),
    [
        (("space.inner",), {"space.inner"}),
        (("space.other", "driver"), {"space.other", "driver"}),
        (("space.*",), {"space.other", *INNER}),
        (("space.inner.*",), INNER),
        (("space.*.rules",), {"space.inner.rules"}),
        (("space.inner.[lr]*",), {"space.inner.rules", "space.inner.late"}),
        (("space.inner.deep.*",), {"space.inner.deep.nested"}),
    ],
)  # fmt: skip
def test_patterns(started: Starter, tmp_path: Path, cover: tuple[str, ...], modules: set[str]) -> None:
    write(tmp_path, PACKAGE)
    target = started(settings("driver:check", *cover))
    assert {name.split(":")[0] for name in target.features} == modules


@pytest.mark.parametrize(
    ("driver", "cover", "text", "wrong"),
    [
        (
            "import lark\nparser = lark.Lark('start: \"a\"+')\ndef check(text): parser.parse(text)",
            "lark.*",
            "aa",
            "b",
        ),
        ("import rich.markup\ndef check(text): rich.markup.render(text)", "rich.*", "[b]aa[/b]", "[/b]"),
        ("import json\ndef check(text): json.loads(text)", "json.*", "[1, 2]", "[["),
        ("import ast\ndef check(text): ast.literal_eval(text)", "ast", "{'a': 1}", "a()"),
    ],
)
def test_libraries_that_bonsai_uses_itself(
    started: Starter, tmp_path: Path, driver: str, cover: str, text: str, wrong: str
) -> None:
    write(tmp_path, {"driver.py": driver})
    target = started(settings("driver:check", cover))
    _, first, bad, again = target.execute([text, text, wrong, text])  # some fill their caches at first
    assert (first.outcome, bad.outcome) == (Outcome.VALID, Outcome.CRASH)
    assert first == again
    assert len(exercised(target, first)) >= 3
    assert exercised(target, first) != exercised(target, bad)


def test_listed_exceptions_and_their_subclasses(started: Starter, tmp_path: Path) -> None:
    source = """\
        import lark
        class Box:
            class Odd(lark.exceptions.UnexpectedEOF): pass
        def check(text):
            raise {"v": ValueError, "u": UnicodeError, "k": KeyError,
                   "l": lambda: lark.exceptions.UnexpectedEOF([]), "o": lambda: Box.Odd([])}[text]()
        """
    write(tmp_path, {"driver.py": source})
    listed = settings("driver:check", invalid=("ValueError", "driver.Box.Odd"), unparsed=("lark.UnexpectedInput",))
    target = started(listed)
    outcomes = [execution.outcome for execution in target.execute(list("vuklo"))]
    invalid, unparsed = Outcome.INVALID, Outcome.UNPARSED
    assert outcomes == [invalid, invalid, Outcome.CRASH, unparsed, unparsed]


def test_where_a_crash_happened(started: Starter, tmp_path: Path) -> None:
    source = """\
        def check(text):
            if text:
                return [inner(c) for c in text if c or text]

        def inner(c):
            assert (
                c != "x"
            ), "an x"
            return 1 if c == "y" else int(c)
        """
    write(tmp_path, {"driver.py": source})
    target = started(settings("driver:check"))
    messages = [execution.message for execution in target.execute(["x", "y", "z"])]
    assert messages == [
        "AssertionError: an x (driver.py:7)",
        "",
        "ValueError: invalid literal for int() with base 10: 'z' (driver.py:9)",
    ]


def test_a_crash_before_the_first_line_is_nowhere(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": "def check(): pass\n"})
    [crash] = started(settings("driver:check")).execute(["x"])
    assert crash.message == "TypeError: check() takes 0 positional arguments but 1 was given"


def test_a_method_can_be_called(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": "class A:\n    @staticmethod\n    def check(text): return text\n"})
    target = started(settings("driver:A.check"))
    assert target.execute(["a"], Wanted.OUTPUT)[0].output == '"a"'


@pytest.mark.parametrize(
    ("source", "changes", "message"),
    [
        ("", {"call": "nowhere:check"}, "call: there is no module nowhere"),
        (
            "",
            {"call": "nowhere:check", "cover": ("nowhere",)},
            "call: there is no nowhere.py, which 'nowhere:check'",
        ),
        ("", {"call": "os.nowhere:check"}, "call: there is no module os.nowhere"),
        ("", {}, "call: there is no check in driver"),
        ("", {"path": ("nowhere",)}, "path: there is no folder /.*/nowhere"),
        ("check = 1", {}, "call: driver:check cannot be called"),
        ("async def check(text): pass", {}, "call: driver:check is asynchronous"),
        ("1 / 0", {}, r"call: importing driver raised ZeroDivisionError: division by zero \(driver.py:1\)"),
        ("import other", {}, r"importing driver raised SyntaxError: .*\(other.py, line 1\) \(driver.py:1\) \("),
        ("import nowhere", {}, "call: driver needs the module nowhere"),
        ("import sys; sys.exit(3)", {}, "call: importing driver raised SystemExit: 3"),
        ("import os; os._exit(3)", {}, "the target ended while it was started: the process exited with status 3"),
        ("import os; os.write(2, b'no [licence]'); os._exit(3)", {}, r"exited with status 3: no \[licence\]"),
        ("def check(text): pass", {"cover": ("nowhere.*",)}, r"cover: there is no Python source for 'nowhere\.\*'"),
        ("def check(text): pass", {"cover": ("*",)}, r"cover: there is no Python source for '\*'"),
        (
            "def check(text): pass",
            {"cover": ("driver.below",)},
            "source for 'driver.below'",
        ),
        ("def check(text): pass", {"cover": ("math",)}, "cover: there is no Python source for 'math'"),
        ("def check(text): pass", {"invalid": ("No.Such",)}, "invalid: there is no exception 'No.Such'"),
        ("def check(text): pass", {"unparsed": ("os.path",)}, "unparsed: there is no exception 'os.path'"),
        ("def check(text)", {}, r"cover: expected ':' \(driver.py:1\)"),
    ],
)
def test_what_is_wrong_is_said(
    started: Starter, tmp_path: Path, source: str, changes: dict[str, object], message: str
) -> None:
    write(tmp_path, {"driver.py": source, "other.py": "def check("})
    values = {
        "call": "driver:check",
        "cover": ("driver",),
        "invalid": (),
        "unparsed": (),
        "timeout": 1.0,
        "memory": 2**30,
    }
    with pytest.raises(BonsaiError, match=message) as caught:
        started(PythonTarget(**{**values, **changes}))  # type: ignore[arg-type]
    assert caught.value.hint


def test_a_target_that_changes_under_way(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": "def check(text): pass\n"})
    target = started(settings("driver:check"))
    write(tmp_path, {"driver.py": "def check(text): return text or 1\n"})
    target.close()
    with pytest.raises(BonsaiError, match="has changed"):
        target.execute(["a"])


REPORTING = """\
    from bonsai.reports import declare, report

    declare("short", "long")

    def check(text):
        if text == "undeclared":
            report("short", "other")
        elif text == "late":
            declare("later")
        report("long" if len(text) > 3 else "short")
    """


def test_a_driver_reports_features_of_its_own(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": REPORTING})
    target = started(settings("driver:check"))
    assert target.features[-2:] == ("reported:short", "reported:long")
    executions = target.execute(["a", "abcd", "b"])
    reported = [{one for one in exercised(target, found) if "reported" in one} for found in executions]
    assert reported == [{"reported:short"}, {"reported:long"}, {"reported:short"}]
    assert "driver:5:0:function" in exercised(target, executions[0])


def test_a_report_that_was_not_declared_is_a_crash_of_the_driver(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": REPORTING})
    undeclared, late, well = started(settings("driver:check")).execute(["undeclared", "late", "well"])
    assert (undeclared.outcome, late.outcome, well.outcome) == (Outcome.CRASH, Outcome.CRASH, Outcome.VALID)
    assert undeclared.message.startswith("ReportError: 'other' is reported but was not declared")
    assert late.message.startswith("ReportError: 'later' is declared too late")


def test_a_target_may_have_reports_alone(started: Starter, tmp_path: Path) -> None:
    write(tmp_path, {"driver.py": REPORTING, "nothing.py": "VALUE = 1\n"})
    target = started(settings("driver:check", "nothing"))
    assert target.features == ("reported:short", "reported:long")
    assert [one.features for one in target.execute(["a", "abcd"])] == [1, 2]
