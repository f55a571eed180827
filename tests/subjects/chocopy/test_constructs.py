"""The constructs that the driver reports, each by a program that shows it."""

import pytest
from hypothesis import given

from bonsai import Bounds
from bonsai.choices import Draws
from bonsai.subjects.chocopy import analyse
from bonsai.subjects.chocopy.constructs import FUNCTIONS, NAMES, OPERATORS, constructs
from strategies import bundled, sampler, seeds

CLASSES = """\
class A(object):
    x:int = 0
    def m(self:"A", n:int):
        pass
class B(A):
    y:int = 0
"""


def shown(program: str) -> set[str]:
    tree = analyse(program)
    assert tree["errors"]["errors"] == []
    return constructs(tree)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators(operator: str) -> None:
    left, right = {"is": ("[]", "[]"), "and": ("True", "False"), "or": ("True", "False")}.get(operator, ("1", "2"))
    assert shown(f"{left} {operator} {right}\n") == {f"operator {operator}"}


@pytest.mark.parametrize("call", ["print(None)", "input()", "len([1])"])
def test_predefined_functions(call: str) -> None:
    name = call.split("(")[0]
    assert name in FUNCTIONS
    assert f"call of {name}" in shown(f"{call}\n")


@pytest.mark.parametrize(
    ("program", "construct"),
    [
        ("a:object = 0\n", "conversion to object"),
        ("def f(a:object):\n    pass\nf(0)\n", "conversion to object"),
        (CLASSES + "a:A = None\na = B()\n", "conversion to a super-class"),
        (CLASSES + "def f() -> A:\n    return B()\n", "conversion to a super-class"),
        (CLASSES + "a:A = None\n", "conversion of None to a class"),
        ("a:[int] = None\n", "conversion of None to a list"),
        ("a:[int] = None\na = []\n", "conversion of [] to a list"),
        ("a:[[int]] = None\na = [None]\n", "conversion of [None] to a list"),
    ],
)
def test_conversions(program: str, construct: str) -> None:
    assert {name for name in shown(program) if name.startswith("conversion")} >= {construct}


def test_no_conversion() -> None:
    assert shown("a:int = 0\na = 1\n[[]][0] = None\n") == set()


@pytest.mark.parametrize(
    ("program", "constructs"),
    [
        (CLASSES, {"super-class of the program", "class with a method inherited", "method with a parameter"}),
        (CLASSES + "A()\n", {"super-class of the program", "construction of an object"}),
        (CLASSES + "A().x\n", {"attribute read"}),
        (CLASSES + "B().y\n", {"attribute read"}),
        (CLASSES + "B().x\n", {"attribute read", "attribute inherited"}),
        (CLASSES + "B().x = 1\n", {"attribute assigned", "attribute inherited"}),
        (CLASSES + "A().m(1)\n", {"call of a method with an argument"}),
        (CLASSES + "B().m(1)\n", {"call of an inherited method", "call of a method with an argument"}),
        (CLASSES + '    def m(self:"B", n:int):\n        pass\n', {"method overridden"}),
        ("a:int = 0\nb:int = 0\na = b = 1\n", {"several targets"}),
        ("def f(a:int):\n    a\nf(0)\n", {"call of a function with an argument", "parameter used"}),
        ("if True:\n    pass\nelif True:\n    pass\n", {"elif"}),
        ("def f():\n    while True:\n        return\n", {"return in a loop"}),
        ("a:int = 0\ndef f():\n    a\n", {"variable of the program used in a function"}),
        ("a:int = 0\ndef f():\n    global a\n    a = 1\n", {"global assigned"}),
        ("def f(a:int):\n    def g():\n        a\n    g()\n", {"variable of an outer function used"}),
        ("def f(a:int):\n    def g():\n        nonlocal a\n        a = 1\n    g()\n", {"nonlocal assigned"}),
    ],
)
def test_other_constructs(program: str, constructs: set[str]) -> None:
    assert constructs <= shown(program)


def test_what_is_not_there_is_not_reported() -> None:
    assert "attribute inherited" not in shown(CLASSES + "A().x\nB().y\n")
    assert "method overridden" not in shown(CLASSES)
    empty = "class A(object):\n    pass\nclass B(A):\n    pass\n"
    assert shown(empty) == {"super-class of the program"}
    assert "elif" not in shown("if True:\n    pass\nelse:\n    pass\n")
    assert "parameter used" not in shown("def f(a:int):\n    pass\n")


@given(seeds())
def test_all_constructs_of_all_valid_programs_are_declared(seed: int) -> None:
    draws = Draws(seed)
    for _ in range(20):
        text, _ = sampler(bundled("chocopy"), Bounds(2, 2, 2)).sample(draws)
        tree = analyse(text)
        if not tree["errors"]["errors"]:
            assert constructs(tree) <= set(NAMES)


def test_a_long_sum_is_no_problem() -> None:
    assert shown(" + ".join(["1"] * 5000) + "\n") == {"operator +"}
