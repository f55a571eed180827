"""The rules of declarations: each is broken once, with the place of its error, and kept once."""

import pytest

from ..answers import located, messages

DUPLICATE = "Duplicate declaration of identifier in same scope: "
SHADOW = "Cannot shadow class name: "
FIRST = "First parameter of the following method must be of the enclosing class: "
OVERRIDE = "Method overridden with different type signature: "
ATTRIBUTE = "Cannot re-define attribute: "
CLASS_A = "class A(object):\n    x:int = 1\n    def f(self:A, y:int) -> int:\n        return y\n"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("x:int = 1\nx:int = 2\n", DUPLICATE + "x", [2, 1, 2, 1]),
        ("x:int = 1\ndef x():\n    pass\n", DUPLICATE + "x", [2, 5, 2, 5]),
        ("def f():\n    pass\nclass f(object):\n    pass\n", DUPLICATE + "f", [3, 7, 3, 7]),
        ("class A(object):\n    pass\nA:int = 1\n", DUPLICATE + "A", [3, 1, 3, 1]),
        ("int:int = 1\n", DUPLICATE + "int", [1, 1, 1, 3]),
        ("def print():\n    pass\n", DUPLICATE + "print", [1, 5, 1, 9]),
        ("class object(object):\n    pass\n", DUPLICATE + "object", [1, 7, 1, 12]),
        ("class A(B):\n    pass\n", "Super-class not defined: B", [1, 9, 1, 9]),
        ("class A(A):\n    pass\n", "Super-class not defined: A", [1, 9, 1, 9]),
        ("class A(B):\n    pass\nclass B(object):\n    pass\n", "Super-class not defined: B", [1, 9, 1, 9]),
        ("x:int = 1\nclass A(x):\n    pass\n", "Super-class must be a class: x", [2, 9, 2, 9]),
        ("class A(len):\n    pass\n", "Super-class must be a class: len", [1, 9, 1, 11]),
        ("class A(int):\n    pass\n", "Cannot extend special class: int", [1, 9, 1, 11]),
        ("class A(bool):\n    pass\n", "Cannot extend special class: bool", [1, 9, 1, 12]),
        ("class A(str):\n    pass\n", "Cannot extend special class: str", [1, 9, 1, 11]),
    ],
)
def test_global_names(text: str, message: str, place: list[int]) -> None:
    assert located(text) == [(message, place)]


@pytest.mark.parametrize(
    ("members", "message", "place"),
    [
        ("    x:int = 2\n", ATTRIBUTE + "x", [6, 5, 6, 5]),
        ("    f:int = 2\n", ATTRIBUTE + "f", [6, 5, 6, 5]),
        ("    __init__:int = 2\n", ATTRIBUTE + "__init__", [6, 5, 6, 12]),
        ("    def x(self:B):\n        pass\n", ATTRIBUTE + "x", [6, 9, 6, 9]),
        ("    def f(self:B) -> int:\n        return 1\n", OVERRIDE + "f", [6, 9, 6, 9]),
        ("    def f(self:B, y:bool) -> int:\n        return 1\n", OVERRIDE + "f", [6, 9, 6, 9]),
        ("    def f(self:B, y:int) -> object:\n        return 1\n", OVERRIDE + "f", [6, 9, 6, 9]),
        ("    def f(self:A, y:int) -> int:\n        return 1\n", FIRST + "f", [6, 9, 6, 9]),
        ("    def __init__(self:B, y:int):\n        pass\n", OVERRIDE + "__init__", [6, 9, 6, 16]),
        ("    def g():\n        pass\n", FIRST + "g", [6, 9, 6, 9]),
        ("    def g(self:[B]):\n        pass\n", FIRST + "g", [6, 9, 6, 9]),
        ("    def g(self:object):\n        pass\n", FIRST + "g", [6, 9, 6, 9]),
        ("    z:int = 1\n    z:int = 1\n", DUPLICATE + "z", [7, 5, 7, 5]),
        ("    z:int = 1\n    def z(self:B):\n        pass\n", DUPLICATE + "z", [7, 9, 7, 9]),
        ("    def z(self:B):\n        pass\n    z:int = 1\n", DUPLICATE + "z", [8, 5, 8, 5]),
    ],
)
def test_members(members: str, message: str, place: list[int]) -> None:
    assert located(f"{CLASS_A}class B(A):\n{members}") == [(message, place)]


@pytest.mark.parametrize(
    "members",
    [
        "    y:int = 1\n",
        "    B:int = 1\n    int:int = 1\n",
        "    def f(self:B, y:int) -> int:\n        return 1\n",
        "    def f(me:B, other:int) -> int:\n        return 1\n",
        '    def g(self:"B"):\n        pass\n',
        "    def __init__(self:B):\n        pass\n",
        "    def A(self:B):\n        pass\n",
    ],
)
def test_members_that_are_right(members: str) -> None:
    assert messages(f"{CLASS_A}class B(A):\n{members}") == []


def test_a_method_with_an_error_does_not_count() -> None:
    text = "class A(object):\n    def f():\n        pass\n    f:int = 1\n"
    assert messages(text) == [FIRST + "f"]


def test_a_second_method_of_the_name_is_not_looked_into() -> None:
    text = "class A(object):\n    f:int = 1\n    def f(x:int, x:int):\n        pass\n"
    assert messages(text) == [DUPLICATE + "f"]


def test_a_class_with_an_error_in_its_super_class_inherits_from_object() -> None:
    text = "class A(B):\n    def __init__(self:A, x:int):\n        pass\n"
    assert messages(text) == ["Super-class not defined: B", OVERRIDE + "__init__"]


def test_a_parameter_with_an_error_does_not_count() -> None:
    assert messages("class A(object):\n    def f(A:A):\n        pass\n") == [SHADOW + "A", FIRST + "f"]
    text = f"{CLASS_A}class B(A):\n    def f(self:B, self:int) -> int:\n        return 1\n"
    assert messages(text) == [DUPLICATE + "self", OVERRIDE + "f"]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("def f(x:int, x:int):\n    pass\n", DUPLICATE + "x", [1, 14, 1, 14]),
        ("def f(x:int):\n    x:int = 1\n    pass\n", DUPLICATE + "x", [2, 5, 2, 5]),
        ("def f(x:int):\n    def x():\n        pass\n    pass\n", DUPLICATE + "x", [2, 9, 2, 9]),
        ("x:int = 1\ndef f(x:int):\n    global x\n    pass\n", DUPLICATE + "x", [3, 12, 3, 12]),
        ("def f(x:int):\n    nonlocal x\n    pass\n", DUPLICATE + "x", [2, 14, 2, 14]),
        ("def f(int:int):\n    pass\n", SHADOW + "int", [1, 7, 1, 9]),
        ("def f():\n    A:int = 1\n    pass\nclass A(object):\n    pass\n", SHADOW + "A", [2, 5, 2, 5]),
        ("def f():\n    def str():\n        pass\n    pass\n", SHADOW + "str", [2, 9, 2, 11]),
        ("def f():\n    global x\n    pass\n", "Not a global variable: x", [2, 12, 2, 12]),
        ("def f():\n    global f\n    pass\n", "Not a global variable: f", [2, 12, 2, 12]),
        ("def f():\n    global int\n    pass\n", "Not a global variable: int", [2, 12, 2, 14]),
        ("def f(x:int):\n    global x\n    pass\n", "Not a global variable: x", [2, 12, 2, 12]),
        ("def f():\n    nonlocal x\n    pass\n", "Not a nonlocal variable: x", [2, 14, 2, 14]),
        ("x:int = 1\ndef f():\n    nonlocal x\n    pass\n", "Not a nonlocal variable: x", [3, 14, 3, 14]),
        (
            "def f():\n    def g():\n        nonlocal g\n        pass\n    pass\n",
            "Not a nonlocal variable: g",
            [3, 18, 3, 18],
        ),
        (
            "x:int = 1\ndef f():\n    global x\n    def g():\n        nonlocal x\n        pass\n    pass\n",
            "Not a nonlocal variable: x",
            [5, 18, 5, 18],
        ),
        (
            "class A(object):\n    x:int = 1\n    def f(self:A):\n        nonlocal x\n        pass\n",
            "Not a nonlocal variable: x",
            [4, 18, 4, 18],
        ),
    ],
)
def test_local_names(text: str, message: str, place: list[int]) -> None:
    assert located(text) == [(message, place)]


@pytest.mark.parametrize(
    "text",
    [
        "def f(f:int, print:int):\n    len:int = 1\n    pass\n",
        "def f():\n    global x\n    x = 1\nx:int = 1\n",
        "def f():\n    def g():\n        nonlocal x\n        x = 1\n    x:int = 1\n    pass\n",
        "def f(x:int):\n  def g():\n    def h():\n      nonlocal x\n      x = 1\n    pass\n  pass\n",
        "def f():\n    def f():\n        pass\n    pass\n",
        'x:int = 1\ndef f():\n    x:str = ""\n    def g():\n        nonlocal x\n        x = ""\n    pass\n',
        "class A(object):\n    def f(self:A):\n        global x\n        x = 1\nx:int = 1\n",
    ],
)
def test_names_that_are_right(text: str) -> None:
    assert messages(text) == []


def test_even_a_duplicate_class_cannot_be_shadowed() -> None:
    text = "def A(A:int):\n    pass\nclass A(object):\n    pass\n"
    assert messages(text) == [DUPLICATE + "A", SHADOW + "A"]


def test_globals_come_first_then_classes_then_functions() -> None:
    text = (
        "def f(int:int):\n    def g(y:int, y:int):\n        pass\n    bool:int = 1\n    pass\n"
        "class A(object):\n    def m(object:A):\n        pass\n"
        "f:int = 1\n"
    )
    assert messages(text) == [
        DUPLICATE + "f",
        SHADOW + "object",
        FIRST + "m",
        SHADOW + "int",
        SHADOW + "bool",
        DUPLICATE + "y",
    ]


def test_types_are_not_checked_where_declarations_are_wrong() -> None:
    assert messages("x:int = True\nx:int = True\nreturn y\n") == [DUPLICATE + "x"]
