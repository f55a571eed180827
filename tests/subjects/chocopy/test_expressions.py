"""The grammar of expressions: precedence, association, what can be called, and locations."""

from collections.abc import Callable

import pytest

from bonsai.subjects.chocopy import Json, parse, to_json
from bonsai.subjects.chocopy.expressions import DEEPEST_NESTING

from .answers import is_unparsed


def expression(text: str) -> Json:
    tree: Json = to_json(parse(text + "\n"))["statements"][0]["expr"]
    return tree


def bracketed(tree: Json) -> str:
    """An expression with all its brackets."""
    kind = tree["kind"]
    if kind == "BinaryExpr":
        return f"({bracketed(tree['left'])} {tree['operator']} {bracketed(tree['right'])})"
    if kind == "UnaryExpr":
        return f"({tree['operator']} {bracketed(tree['operand'])})"
    if kind == "IfExpr":
        parts = [bracketed(tree[part]) for part in ("thenExpr", "condition", "elseExpr")]
        return "({} if {} else {})".format(*parts)
    if kind == "IndexExpr":
        return f"({bracketed(tree['list'])}[{bracketed(tree['index'])}])"
    if kind == "MemberExpr":
        return f"({bracketed(tree['object'])}.{tree['member']['name']})"
    if kind in ("CallExpr", "MethodCallExpr"):
        callee = tree["function"] if kind == "CallExpr" else tree["method"]
        return f"{bracketed(callee)}({', '.join(map(bracketed, tree['args']))})"
    if kind == "ListExpr":
        return f"[{', '.join(map(bracketed, tree['elements']))}]"
    return str(tree["name"] if kind == "Identifier" else tree.get("value"))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a - b - c", "((a - b) - c)"),
        ("a * b // c % d", "(((a * b) // c) % d)"),
        ("a + b * c", "(a + (b * c))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("-a + b", "((- a) + b)"),
        ("a - -b", "(a - (- b))"),
        ("--a", "(- (- a))"),
        ("-a * b", "((- a) * b)"),
        ("-a.b", "(- (a.b))"),
        ("-a[b]", "(- (a[b]))"),
        ("-f(a)", "(- f(a))"),
        ("a + b == c", "((a + b) == c)"),
        ("a is b", "(a is b)"),
        ("(a < b) < c", "((a < b) < c)"),
        ("not a == b", "(not (a == b))"),
        ("not not a", "(not (not a))"),
        ("not a and b", "((not a) and b)"),
        ("a and not b", "(a and (not b))"),
        ("a or b and c", "(a or (b and c))"),
        ("a and b or c", "((a and b) or c)"),
        ("a or b or c", "((a or b) or c)"),
        ("a or b if c or d else e or f", "((a or b) if (c or d) else (e or f))"),
        ("not a if b else c", "((not a) if b else c)"),
        ("a if b else c if d else e", "(a if b else (c if d else e))"),
        ("a if b if c else d else e", "(a if (b if c else d) else e)"),
        ("a.b.c", "((a.b).c)"),
        ("a[b][c]", "((a[b])[c])"),
        ("a.b(c).d(e)", "((a.b)(c).d)(e)"),
        ("f(a)(b)", None),
        ("f()[a]", "(f()[a])"),
        ("f(a, b if c else d)", "f(a, (b if c else d))"),
        ("[a, [], [b]]", "[a, [], [b]]"),
        ("1.a", "(1.a)"),
        ('"a".b(c)', "(a.b)(c)"),
        ("[][a]", "([][a])"),
        ("1if a else 2", "(1 if a else 2)"),
    ],
)
def test_precedence(text: str, meaning: str | None) -> None:
    if meaning is None:
        assert is_unparsed(text + "\n")
    else:
        assert bracketed(expression(text)) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "a < b < c",
        "a == b != c",
        "a is b is c",
        "a < b is c",
        "a + not b",
        "a == not b",
        "- not a",
        "not",
        "-",
        "+a",
        "a b",
        "a if b",
        "a if b else",
        "a else b",
        "a..b",
        "a.1",
        "a.",
        "a[]",
        "a[b",
        "a[b, c]",
        "(a, b)",
        "()",
        "(a",
        "[a,]",
        "[,]",
        "f(a,)",
        "f(,)",
        "f(a",
        "f(a=b)",
        "(f)(a)",
        "(a.b)(c)",
        "a[b](c)",
        "1()",
        "None()",
        '"a"()',
        "[](a)",
        "(a)()",
        "lambda: a",
        "a ** b",
        "a / b",
        "a <> b",
        "a << b",
        "a if b else c = d",
        "{}",
        "a;",
        "a\\",
        "f(\na)",
        "[a,\nb]",
        "a +\nb",
        "(a\n)",
    ],
)
def test_what_is_no_expression(text: str) -> None:
    assert is_unparsed(text + "\n")


@pytest.mark.parametrize(
    ("text", "location", "inner"),
    [
        ("(a).b", [1, 1, 1, 5], [1, 2, 1, 2]),
        ("((a)).b", [1, 1, 1, 7], [1, 3, 1, 3]),
        ("(a)[b]", [1, 1, 1, 6], [1, 2, 1, 2]),
    ],
)
def test_brackets_belong_to_what_encloses_them(text: str, location: list[int], inner: list[int]) -> None:
    tree = expression(text)
    assert tree["location"] == location
    assert tree["list" if text.endswith("]") else "object"]["location"] == inner


def test_a_node_in_brackets_keeps_its_own_location() -> None:
    statement = to_json(parse("(a + (b))\n"))["statements"][0]
    assert statement["location"] == [1, 1, 1, 9]
    assert statement["expr"]["location"] == [1, 2, 1, 8]
    assert statement["expr"]["right"]["location"] == [1, 7, 1, 7]


@pytest.mark.parametrize(
    "nest",
    [
        lambda depth: "(" * depth + "a" + ")" * depth,
        lambda depth: "[" * depth + "]" * depth,
        lambda depth: "f(" * depth + ")" * depth,
        lambda depth: "a[" * depth + "b" + "]" * depth,
        lambda depth: "not " * depth + "a",
        lambda depth: "-" * depth + "a",
        lambda depth: "a" + ".b" * depth,
        lambda depth: "a" + ".b()" * depth,
        lambda depth: "a" + "[b]" * depth,
        lambda depth: "a if b else " * depth + "c",
        lambda depth: "a or (" * depth + "b" + ")" * depth,
    ],
)
def test_nesting_has_an_end(nest: Callable[[int], str]) -> None:
    assert not is_unparsed(nest(DEEPEST_NESTING // 2 - 5) + "\n")
    assert is_unparsed(nest(1_000) + "\n")
    assert is_unparsed(nest(20_000) + "\n")
