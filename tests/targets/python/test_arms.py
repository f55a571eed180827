"""Each arm is taken exactly when it should be, and has the name that it should have."""

import asyncio
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from bonsai.targets.python.instrument import arms
from targets.python.instrumented import Instrumented


def taken(source: str, *calls: object) -> list[set[str]]:
    """The arms that `f(argument)` takes, but for its entry, for each argument."""
    module = Instrumented("def f(x):\n" + textwrap.indent(textwrap.dedent(source), "    "))

    def call(argument: object) -> Callable[[], object]:
        function: Any = module.module.__dict__["f"]
        return lambda: function(argument)

    return [module.taken(call(argument)) - {"1:function"} for argument in calls]


def test_if_and_elif_with_and_without_else() -> None:
    assert taken("if x: y = 1", True, False) == [{"2:if-true"}, {"2:if-false"}]
    source = """\
        if x == 1: y = 1
        elif x == 2: y = 2
        else: y = 3
    """
    assert taken(source, 1, 2, 3) == [
        {"2:if-true"},
        {"2:if-false", "3:if-true"},
        {"2:if-false", "3:if-false"},
    ]


def test_while() -> None:
    source = """\
        while x:
            x -= 1
            if x == 5: break
    """
    entered = {"2:while-true", "4:if-false"}
    assert taken(source, 0, 2, 6) == [{"2:while-false"}, {*entered, "2:while-false"}, {"2:while-true", "4:if-true"}]


def test_for() -> None:
    assert taken("for _ in range(x): pass", 0, 1) == [{"2:for-end"}, {"2:for-item", "2:for-end"}]
    assert taken("for _ in range(x): break", 0, 1) == [{"2:for-end"}, {"2:for-item"}]
    assert taken("for _ in x: pass", 3) == [set()]


def test_conditional_expressions() -> None:
    assert taken("return 1 if x else 0", True, False) == [{"2:then"}, {"2:else"}]
    assert taken("return f'{1 if x else 0}'", True, False) == [{"2:then"}, {"2:else"}]


def test_operands() -> None:
    assert taken("return x and 1", 0, 1) == [set(), {"2:and"}]
    assert taken("return x or 1", 0, 1) == [{"2:or"}, set()]
    source = """\
        if (x > 1 and
            x > 2 and
            x > 3): pass
    """
    false, true = "2:if-false", "2:if-true"
    assert taken(source, 1, 2, 3, 4) == [
        {false},
        {"3:and", false},
        {"3:and", "4:and", false},
        {"3:and", "4:and", true},
    ]


def test_comprehensions() -> None:
    for brackets in ("[{}]", "{{{}}}", "{{y: y for y in x if y > 1}}", "list({})"):
        source = "return " + brackets.format("y for y in x if y > 1")
        assert taken(source, [], [1], [2], [1, 2]) == [
            set(),
            {"2:item", "2:filter-false"},
            {"2:item", "2:filter-true"},
            {"2:item", "2:filter-true", "2:filter-false"},
        ]
    source = """\
        return [z
            for y in x
            for z in y]
    """
    assert taken(source, [], [[]], [[1]]) == [set(), {"3:item"}, {"3:item", "4:item"}]


def test_match() -> None:
    source = """\
        match x:
            case 1: pass
            case [y, *_]if y:
                pass
    """
    assert taken(source, 1, [0], [1], 2) == [
        {"3:case"},
        {"4:guard", "2:match-none"},
        {"4:guard", "4:case"},
        {"2:match-none"},
    ]
    for catch_all in ("_", "y", "1 | _", "(_ as y)"):
        source = f"match x:\n    case 3: pass\n    case {catch_all}: pass"
        assert taken(source, 1) == [{"4:case"}]


def test_handlers() -> None:
    source = """\
        try:
            int(x)
        except TypeError: pass
        except ValueError as error:
            raise KeyError from error
        else: pass
        finally: pass
    """
    assert taken(source, "1", None, "a") == [set(), {"4:except"}, {"5:except"}]
    assert taken("try: raise ExceptionGroup('', [x])\nexcept* ValueError: pass", ValueError()) == [{"3:except"}]


def test_assert() -> None:
    passed, failed = {"2:assert-true"}, {"2:assert-false"}
    assert taken("assert x", 1, 0) == [passed, failed]
    assert taken("assert x, 'message'", 1, 0) == [passed, failed]


def test_functions() -> None:
    source = """\
        def g(): pass
        h = lambda: 0
        class C:
            def m(self, y=1 if x else 2): pass
        if x == 1: g()
        if x == 2: h()
        if x == 3: C().m()
    """
    one, two, three = ({name for name in names if "if" not in name} for names in taken(source, 1, 2, 3))
    assert (one, two, three) == ({"5:then", "2:function"}, {"5:then", "3:lambda"}, {"5:then", "5:function"})


def test_asynchronous_functions() -> None:
    module = Instrumented(
        textwrap.dedent("""\
            async def numbers(n):
                for i in range(n):
                    yield i
            async def f(n):
                async for i in numbers(n):
                    pass
                return [i async for i in numbers(n) if i]
        """)
    )
    f = module.module.__dict__["f"]
    nothing = {"1:function", "2:for-end", "4:function", "5:for-end"}
    assert module.taken(lambda: asyncio.run(f(0))) == nothing
    two = {*nothing, "2:for-item", "5:for-item", "7:item", "7:filter-true", "7:filter-false"}
    assert module.taken(lambda: asyncio.run(f(2))) == two


def test_names() -> None:
    source = b"def f(x):\n    if x and (y := 1):\n        return [z for z in x if z]\n"
    assert arms(source, "pkg.mod") == [
        "pkg.mod:1:0:function",
        "pkg.mod:2:14:and",
        "pkg.mod:2:4:if-true",
        "pkg.mod:3:22:item",
        "pkg.mod:3:32:filter-true",
        "pkg.mod:3:32:filter-false",
        "pkg.mod:2:4:if-false",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "if x: pass\nfor y in z: pass\n[y for y in x if y]\nclass C:\n    if x: pass\n",
        "import x\ntry: import y\nexcept ImportError: y = None\nassert y or x\n",
    ],
)
def test_code_that_runs_at_import_has_no_arms(source: str) -> None:
    assert arms(source.encode(), "m") == []


@pytest.mark.parametrize("source", ["while True: break", "if 1: pass", "y = 1 if True else 2", "assert True"])
def test_constants_are_no_choices(source: str) -> None:
    names = arms(f"def f():\n    {source}\n".encode(), "m")
    assert names == ["m:1:0:function"]
