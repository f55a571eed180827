"""Which operators fit which operands, and the type of the result in either case."""

import pytest

from ..answers import last_expression, messages, shown, type_of

BEFORE = (
    "class A(object):\n    pass\nclass B(A):\n    pass\n"
    'i:int = 1\nt:bool = True\ns:str = ""\no:object = None\na:A = None\nb:B = None\n'
    "li:[int] = None\nls:[str] = None\nla:[A] = None\nlb:[B] = None\n"
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-i", "int"),
        ("not t", "bool"),
        ("i + i", "int"),
        ("i - i", "int"),
        ("i * i", "int"),
        ("i // i", "int"),
        ("i % i", "int"),
        ("s + s", "str"),
        ("li + li", "[int]"),
        ("li + ls", "[object]"),
        ("la + lb", "[A]"),
        ("[None] + la", "[A]"),
        ("[None] + li", "[object]"),
        ("i < i", "bool"),
        ("i <= i", "bool"),
        ("i > i", "bool"),
        ("i >= i", "bool"),
        ("i == i", "bool"),
        ("t == t", "bool"),
        ("s == s", "bool"),
        ("i != i", "bool"),
        ("t != t", "bool"),
        ("s != s", "bool"),
        ("o is o", "bool"),
        ("a is None", "bool"),
        ("None is None", "bool"),
        ("li is []", "bool"),
        ("a is li", "bool"),
        ("t and t", "bool"),
        ("t or t", "bool"),
    ],
)
def test_operands_that_fit(text: str, kind: str) -> None:
    assert messages(f"{BEFORE}{text}\n") == []
    assert type_of(text, BEFORE) == kind


@pytest.mark.parametrize(
    ("left", "operator", "right", "kind"),
    [
        ("i", "+", "t", "int"),
        ("s", "+", "i", "int"),
        ("i", "+", "li", "int"),
        ("t", "+", "t", "object"),
        ("s", "+", "ls", "object"),
        ("None", "+", "None", "object"),
        ("[]", "+", "li", "object"),
        ("li", "+", "[]", "object"),
        ("[]", "+", "[]", "object"),
        ("o", "+", "o", "object"),
        ("i", "-", "t", "int"),
        ("s", "*", "i", "int"),
        ("t", "//", "t", "int"),
        ("o", "%", "i", "int"),
        ("i", "<", "t", "bool"),
        ("s", "<=", "s", "bool"),
        ("t", ">", "t", "bool"),
        ("o", ">=", "i", "bool"),
        ("i", "==", "t", "bool"),
        ("None", "==", "None", "bool"),
        ("o", "!=", "o", "bool"),
        ("li", "==", "li", "bool"),
        ("i", "is", "i", "bool"),
        ("s", "is", "None", "bool"),
        ("o", "is", "t", "bool"),
        ("i", "and", "t", "bool"),
        ("t", "or", "i", "bool"),
        ("None", "or", "t", "bool"),
    ],
)
def test_operands_that_do_not_fit(left: str, operator: str, right: str, kind: str) -> None:
    types = [type_of(operand, BEFORE) for operand in (left, right)]
    text = f"{left} {operator} {right}"
    message = f"Cannot apply operator `{operator}` on types `{types[0]}` and `{types[1]}`"
    assert messages(f"{BEFORE}{text}\n") == [message]
    node = last_expression(f"{BEFORE}{text}\n")
    assert node["errorMsg"] == message
    assert shown(node["inferredType"]) == kind


@pytest.mark.parametrize(
    ("text", "operator", "operand", "kind"),
    [
        ("-t", "-", "bool", "int"),
        ("-s", "-", "str", "int"),
        ("not i", "not", "int", "bool"),
        ("not []", "not", "<Empty>", "bool"),
    ],
)
def test_an_operand_that_does_not_fit(text: str, operator: str, operand: str, kind: str) -> None:
    assert messages(f"{BEFORE}{text}\n") == [f"Cannot apply operator `{operator}` on type `{operand}`"]
    assert type_of(text, BEFORE) == kind


def test_operands_are_checked_from_left_to_right() -> None:
    assert messages("x + y - z\n") == [
        "Not a variable: x",
        "Not a variable: y",
        "Cannot apply operator `+` on types `object` and `object`",
        "Not a variable: z",
        "Cannot apply operator `-` on types `object` and `object`",
    ]
