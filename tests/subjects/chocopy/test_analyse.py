"""Properties of the whole: an answer for every text, from every stack, in linear time."""

import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.subjects.chocopy import Json, analyse
from bonsai.subjects.chocopy.lexer import KEYWORDS
from strategies import examples

from .answers import errors, find, messages

WORDS = [
    *sorted(KEYWORDS),
    *["a", "b", "A", "B", "x", "self", "int", "str", "bool", "object", "print", "len", "input", "__init__"],
    *[
        "+",
        "-",
        "*",
        "//",
        "%",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "=",
        "(",
        ")",
        "[",
        "]",
        ":",
        ",",
        ".",
        "->",
    ],
    "0",
    "1",
    "2147483648",
    '""',
    '"A"',
    '"a b"',
    '"',
    "\n",
    "\n    ",
    "\n        ",
    "\n\t",
    " ",
    "#",
    "\r",
    "\\",
    "\0",
    "é",
]
LINES = [
    "x:int = 1",
    "x:[A] = None",
    "class A(object):",
    "class B(A):",
    "def f(x:int) -> int:",
    "def f(self:A):",
    "global x",
    "nonlocal x",
    "pass",
    "x = 1",
    "x = y = [None]",
    "return",
    "return x",
    "if x:",
    "elif x:",
    "else:",
    "while x:",
    "for x in y:",
    "f(x)",
    "x.f(1)[0].y = x",
    "x if y else z",
    "-x + 1 == 2",
    "not x is None",
]

words = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
lines = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(LINES)).map(lambda line: "    " * line[0] + line[1]),
    max_size=12,
).map(lambda parts: "\n".join(parts) + "\n")


def check_answer(answer: Json) -> None:
    assert list(answer) == ["kind", "location", "declarations", "statements", "errors"]
    assert answer == json.loads(json.dumps(answer))
    attached = [node["errorMsg"] for node in nodes(answer) if "errorMsg" in node]
    reported = [error["message"] for error in answer["errors"]["errors"] if "syntax" not in error]
    assert sorted(attached) == sorted(reported)  # Every error is on exactly one node.


def nodes(tree: object) -> list[Json]:
    if isinstance(tree, dict):
        return [tree, *(node for value in tree.values() for node in nodes(value))]
    if isinstance(tree, list):
        return [node for value in tree for node in nodes(value)]
    return []


@given(st.one_of(st.text(), words, lines))
@examples(500)
def test_every_text_has_an_answer(text: str) -> None:
    check_answer(analyse(text))


@given(lines)
@examples(200)
def test_the_answer_depends_on_the_text_alone(text: str) -> None:
    assert analyse(text) == analyse(text)


@given(lines)
@examples(200)
def test_a_valid_program_has_a_type_on_every_expression(text: str) -> None:
    answer = analyse(text)
    if not answer["errors"]["errors"]:
        for kind in (
            "BinaryExpr",
            "UnaryExpr",
            "IfExpr",
            "IndexExpr",
            "CallExpr",
            "MethodCallExpr",
            "ListExpr",
        ):
            assert all("inferredType" in node for node in find(answer, kind))


@pytest.mark.parametrize(
    "text", ["\ud800", "\0", "\u2028", "\N{BYTE ORDER MARK}pass", '"\udcff"', "٣\n", "ª = 1\n"]
)
def test_odd_characters_are_syntax_errors(text: str) -> None:
    assert errors(text)[0]["syntax"]


def test_odd_characters_may_stand_in_comments() -> None:
    assert errors("pass  # \ud800 \0 é \u2028\n") == []


def test_any_stack_will_do() -> None:
    """Wherever the caller's stack is, the answer is the same, or at the very end that there was no room."""
    text = "def f(x:int) -> int:\n    return " + "(" * 40 + "x" + ")" * 40 + "\n"
    expected = analyse(text)
    assert expected["errors"]["errors"] == []
    seen = []

    def deep(level: int) -> None:
        try:
            deep(level + 1)
        except RecursionError:
            return  # Even the call of analyse had no room; the levels above have.
        seen.append(analyse(text))

    deep(0)
    assert seen.count(expected) > len(seen) - 100
    assert all(
        answer == expected or answer["errors"]["errors"][0]["message"] == "Nested too deeply" for answer in seen
    )


def test_a_small_recursion_limit_will_do() -> None:
    limit = sys.getrecursionlimit()
    text = "(" * 100 + "1" + ")" * 100 + "\n"
    assert errors(text) == []

    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        depth += 1
        frame = frame.f_back
    sys.setrecursionlimit(depth + 60)
    try:
        answer = analyse(text)
    finally:
        sys.setrecursionlimit(limit)
    assert answer["errors"]["errors"] in (
        [],
        [{**answer["errors"]["errors"][0], "message": "Nested too deeply"}],
    )


def test_nesting_and_chains_together_get_an_answer() -> None:
    text = "(" * 100 + "a" + (".b" * 100 + ")") * 100 + "\n"
    assert errors(text)[0]["message"] == "Nested too deeply"


@pytest.mark.parametrize("operator", ["+", "-", "*", "//", "%"])
def test_a_long_chain_of_operators_is_checked(operator: str) -> None:
    assert messages(f" {operator} ".join(["1"] * 5_000) + "\n") == []
    assert len(messages(f" {operator} ".join(["1"] * 4_999 + ["True"]) + "\n")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "repeat",
    [
        lambda count: " + ".join(["1"] * count) + "\n",
        lambda count: "pass\n" * count,
        lambda count: "[" + "1, " * count + "1]\n",
        lambda count: "\n" * count,
        lambda count: " " * count,
        lambda count: "# a\n" * count,
        lambda count: '"' * count,
        lambda count: "a" * count,
        lambda count: '"' + "\\n" * count,
        lambda count: "".join(f"x{number}:int = 1\n" for number in range(count)),
        lambda count: "x:int = 1\n" + "x = " * count + "1\n",
        lambda count: "if True:\n" + "    pass\n\n  # a\n" * count,
    ],
)
def test_long_programs_take_linear_time(repeat: Callable[[int], str]) -> None:
    def calls(count: int) -> int:
        """Counts what is called, in Python and in C: times depend on what else the machine does."""
        text, number = repeat(count), 0

        def count_calls(frame: object, event: str, argument: object) -> None:
            nonlocal number
            number += event in ("call", "c_call")

        sys.setprofile(count_calls)
        try:
            analyse(text)
        finally:
            sys.setprofile(None)
        return number

    assert calls(4_000) < 12 * calls(400)
