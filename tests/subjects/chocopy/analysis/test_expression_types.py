"""The type rules of expressions other than operators."""

import pytest

from bonsai.subjects.chocopy import analyse

from ..answers import find, located, messages, shown, type_of

BEFORE = (
    "class A(object):\n"
    "    x:int = 1\n"
    "    def m(self:A, y:int, z:object) -> str:\n"
    '        return ""\n'
    "class B(A):\n"
    "    def n(self:B):\n"
    "        pass\n"
    "def f(x:int, y:[A]) -> bool:\n"
    "    return True\n"
    'a:A = None\nb:B = None\no:object = None\ni:int = 1\ns:str = ""\nl:[A] = None\n'
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("None", "<None>"),
        ("True", "bool"),
        ("1", "int"),
        ('""', "str"),
        ('"A"', "str"),
        ("[]", "<Empty>"),
        ("[[]]", "[<Empty>]"),
        ("[1, 2]", "[int]"),
        ("[1, True]", "[object]"),
        ("[a, b]", "[A]"),
        ("[None, a]", "[A]"),
        ("[None]", "[<None>]"),
        ("[None, 1]", "[object]"),
        ("[[], l]", "[[A]]"),
        ("i", "int"),
        ("l", "[A]"),
        ("l[0]", "A"),
        ("s[0]", "str"),
        ("[[1]][0]", "[int]"),
        ("a.x", "int"),
        ("b.x", "int"),
        ("a.m(1, None)", "str"),
        ('b.m(1, "")', "str"),
        ("b.n()", "<None>"),
        ("f(1, l)", "bool"),
        ("f(1, [])", "bool"),
        ("f(1, None)", "bool"),
        ("f(1, [None])", "bool"),
        ("A()", "A"),
        ("object()", "object"),
        ("int()", "int"),
        ("str()", "str"),
        ("bool()", "bool"),
        ("print(1)", "<None>"),
        ("input()", "str"),
        ("len(s)", "int"),
        ("A().x", "int"),
        ("a.__init__()", "<None>"),
        ("1 if True else 2", "int"),
        ("1 if True else s", "object"),
        ("a if True else b", "A"),
        ("None if True else l", "[A]"),
    ],
)
def test_types(text: str, kind: str) -> None:
    assert messages(f"{BEFORE}{text}\n") == []
    assert type_of(text, BEFORE) == kind


@pytest.mark.parametrize(
    ("text", "message", "kind"),
    [
        ("x", "Not a variable: x", "object"),
        ("f", "Not a variable: f", "object"),
        ("A", "Not a variable: A", "object"),
        ("print", "Not a variable: print", "object"),
        ("i[0]", "Cannot index into type `int`", "object"),
        ("[][0]", "Cannot index into type `<Empty>`", "object"),
        ("None[0]", "Cannot index into type `<None>`", "object"),
        ("o[True]", "Cannot index into type `object`", "object"),
        ("l[True]", "Index is of non-integer type `bool`", "A"),
        ("s[None]", "Index is of non-integer type `<None>`", "str"),
        ("l.x", "Cannot access member of non-class type `[A]`", "object"),
        ("a.z", "There is no attribute named `z` in class `A`", "object"),
        ("a.m", "There is no attribute named `m` in class `A`", "object"),
        ("i.z", "There is no attribute named `z` in class `int`", "object"),
        ("None.z", "There is no attribute named `z` in class `<None>`", "object"),
        ("[].z", "There is no attribute named `z` in class `<Empty>`", "object"),
        ("l.m()", "Cannot access member of non-class type `[A]`", "object"),
        ("a.n()", "There is no method named `n` in class `A`", "object"),
        ("a.x()", "There is no method named `x` in class `A`", "object"),
        ("None.x()", "There is no method named `x` in class `<None>`", "object"),
        ("a.m(1)", "Expected 2 arguments; got 1", "str"),
        ("a.m(True, 1)", "Expected type `int`; got type `bool` in parameter 1", "str"),
        ("g()", "Not a function or class: g", "object"),
        ("i()", "Not a function or class: i", "object"),
        ("f()", "Expected 2 arguments; got 0", "bool"),
        ("f(1, l, 1)", "Expected 2 arguments; got 3", "bool"),
        ("f(None, l)", "Expected type `int`; got type `<None>` in parameter 0", "bool"),
        ("f(True, 1)", "Expected type `int`; got type `bool` in parameter 0", "bool"),
        ("f(1, [b])", "Expected type `[A]`; got type `[B]` in parameter 1", "bool"),
        ("A(1)", "Expected 0 arguments; got 1", "A"),
        ("int(s)", "Expected 0 arguments; got 1", "int"),
        ("1 if i else 2", "Condition expression cannot be of type `int`", "int"),
    ],
)
def test_errors(text: str, message: str, kind: str) -> None:
    line = BEFORE.count("\n") + 1
    assert located(f"{BEFORE}{text}\n") == [(message, [line, 1, line, len(text)])]
    assert type_of(text, BEFORE) == kind


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("y[z]", "yz"),
        ("y.m(z)", "zy"),
        ("g(y, z)", "yz"),
        ("[y, z]", "yz"),
        ("y if z else w", "zyw"),
    ],
)
def test_the_order_of_checks(text: str, order: str) -> None:
    found = [message for message in messages(text + "\n") if message.startswith("Not a variable")]
    assert found == [f"Not a variable: {name}" for name in order]


def test_the_condition_is_judged_before_the_branches() -> None:
    assert messages("y if 1 else 2\n") == [
        "Condition expression cannot be of type `int`",
        "Not a variable: y",
    ]


def test_only_the_first_wrong_argument_is_an_error() -> None:
    text = "def f(x:int, y:int):\n    pass\nf(True, True)\n"
    assert messages(text) == ["Expected type `int`; got type `bool` in parameter 0"]


def test_what_is_called_has_a_type_if_it_is_a_function() -> None:
    calls = find(analyse(f"{BEFORE}f(1, l)\nA()\n"), "CallExpr")
    assert [shown(call["function"].get("inferredType")) for call in calls] == ["(int, [A]) -> bool", None]
    method = find(analyse(f"{BEFORE}b.m(1, 1)\n"), "MethodCallExpr")[0]["method"]
    assert shown(method["inferredType"]) == "(A, int, object) -> str"
    assert shown(method["object"]["inferredType"]) == "B"
    assert "inferredType" not in method["member"]


def test_a_constructor_with_its_own_init() -> None:
    text = "class A(object):\n    def __init__(self:A):\n        pass\nA()\nA(1)\n"
    assert messages(text) == ["Expected 0 arguments; got 1"]


def test_names_of_outer_functions_can_be_read() -> None:
    text = "x:int = 1\ndef f(y:str):\n    def g() -> int:\n        y\n        return x\n    g()\n"
    assert messages(text) == []


def test_members_are_no_names() -> None:
    text = "class A(object):\n    x:int = 1\n    def f(self:A) -> int:\n        f()\n        return x\n"
    assert messages(text) == [
        "Not a function or class: f",
        "Not a variable: x",
        "Expected type `int`; got type `object`",
    ]
