"""The grammar of declarations and statements, and the locations of their nodes."""

import pytest

from bonsai.subjects.chocopy import Json, parse, to_json

from .answers import errors, is_unparsed


def tree(text: str) -> Json:
    return to_json(parse(text))


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "   ", "\n\n  # a\n"])
def test_an_empty_program(text: str) -> None:
    assert tree(text) == {
        "kind": "Program",
        "location": [0, 0, 0, 0],
        "declarations": [],
        "statements": [],
        "errors": {"errors": [], "kind": "Errors", "location": [0, 0, 0, 0]},
    }


def test_pass_leaves_no_node() -> None:
    program = tree("pass\npass\n")
    assert program["statements"] == []
    assert program["location"] == [1, 1, 2, 5]


def test_a_program_ends_with_its_last_line_end() -> None:
    assert tree("\n# a\nx:int = 1  # b\n\n")["location"] == [3, 1, 3, 15]


@pytest.mark.parametrize(
    "text",
    [
        "x:int = 1\n",
        "x:[[int]] = None\n",
        'x:"A" = None\n',
        'x:["A"] = "a b"\n',
        "class A(object):\n    pass\n",
        "class A(B):\n    x:int = 1\n    def f(self:A):\n        pass\n    y:int = 1\n",
        "def f():\n    pass\n",
        "def f(x:int, y:[A]) -> int:\n    return 1\n",
        "def f():\n    global x\n    nonlocal y\n    z:int = 1\n    def g():\n        pass\n    pass\n",
        "if a:\n    pass\n",
        "if a:\n    pass\nelif b:\n    pass\nelif c:\n    pass\nelse:\n    pass\n",
        "while a:\n    b\n    c\n",
        "for a in b:\n    for c in d:\n        return\n",
        "return\n",
        "return a\n",
        "a = b\n",
        "a = b.c = d[e] = f().g = h()[i] = (j).k = (l)[m] = n = (o)\n",
        "if a:\n  b\nc\n",
    ],
)
def test_what_parses(text: str) -> None:
    assert not is_unparsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "x:int\n",
        "x:int = \n",
        "x:int = -1\n",
        "x:int = y\n",
        "x:int = 1 + 1\n",
        "x:[int] = []\n",
        "x:int = (1)\n",
        "x:None = 1\n",
        'x:"" = 1\n',
        'x:"a b" = 1\n',
        "x:[] = 1\n",
        "x:[int = 1\n",
        "x:1 = 1\n",
        "x.y:int = 1\n",
        "x:int = 1 y:int = 1\n",
        "pass\nx:int = 1\n",
        "pass\ndef f():\n    pass\n",
        "pass\nclass A(object):\n    pass\n",
        "class A:\n    pass\n",
        "class A():\n    pass\n",
        "class A(B, C):\n    pass\n",
        "class A(object): pass\n",
        "class A(object):\n    pass\n    pass\n",
        "class A(object):\n    x:int = 1\n    pass\n",
        "class A(object):\n    pass\n    x:int = 1\n",
        "class A(object):\n    x = 1\n",
        "class A(object):\nx:int = 1\n",
        "class A(object):\n    class B(object):\n        pass\n",
        "class A(object):\n    global x\n",
        "class 1(object):\n    pass\n",
        "def f()\n    pass\n",
        "def f(x):\n    pass\n",
        "def f(x:int,):\n    pass\n",
        "def f(x:int = 1):\n    pass\n",
        "def f() ->:\n    pass\n",
        "def f() -> None:\n    pass\n",
        "def f(): pass\n",
        "def f():\npass\n",
        "def f():\n",
        "def f():\n    x:int = 1\n",
        "def f():\n    global x\n",
        "def f():\n    pass\n    x:int = 1\n",
        "def f():\n    pass\n    global x\n",
        "def f():\n    global x, y\n    pass\n",
        "def f():\n    class A(object):\n        pass\n",
        "def f():\n    pass\n    def g():\n        pass\n",
        "def f.g():\n    pass\n",
        "global x\n",
        "nonlocal x\n",
        "if a:\n    x:int = 1\n",
        "if a:\n    def f():\n        pass\n",
        "if a: pass\n",
        "if a:\npass\n",
        "if a:\n",
        "if:\n    pass\n",
        "else:\n    pass\n",
        "elif a:\n    pass\n",
        "if a:\n    pass\nelse:\n    pass\nelse:\n    pass\n",
        "if a:\n    pass\nelse:\n    pass\nelif b:\n    pass\n",
        "if a:\n    pass\n  else:\n    pass\n",
        "while a\n    pass\n",
        "while:\n    pass\n",
        "while a:\n    pass\nelse:\n    pass\n",
        "for a.b in c:\n    pass\n",
        "for 1 in c:\n    pass\n",
        "for (a) in c:\n    pass\n",
        "for a, b in c:\n    pass\n",
        "for a in:\n    pass\n",
        "1 = a\n",
        "f() = a\n",
        "a.f() = b\n",
        "a + b = c\n",
        "-a = b\n",
        "[a] = b\n",
        "(a) = b\n",
        "(a.b) = c\n",
        "(a[b]) = c\n",
        "a = (b) = c\n",
        "None = a\n",
        "a = \n",
        "= a\n",
        "a == b = c\n",
        "not a = b\n",
        "a = b = \n",
        "x = (y = 2)\n",
        "a += b\n",
        "print(x = 1)\n",
        "pass pass\n",
        "pass; pass\n",
        "return return\n",
        "a b\n",
        "  pass\n",
        "pass\n  pass\n",
        "if a:\n    b\n  c\n",
        "break\n",
        "continue\n",
        "import a\n",
        "from a import b\n",
        "del a\n",
        "assert a\n",
        "raise a\n",
        "with a:\n    pass\n",
        "try:\n    pass\n",
        "async\n",
        "@a\ndef f():\n    pass\n",
        "def self.f():\n    pass\n",
        "class self(object)\n",
        "as:int = 1\n",
        "def is():\n    pass\n",
        "a.if\n",
    ],
)
def test_what_does_not_parse(text: str) -> None:
    assert is_unparsed(text)


def test_a_syntax_error_is_located() -> None:
    assert errors("x = (y = 2)\n") == [
        {
            "kind": "CompilerError",
            "location": [1, 8, 1, 8],
            "message": "Parse error near token =",
            "syntax": True,
        }
    ]
    assert errors("print(1)\nprint a\n")[0]["message"] == "Parse error near token identifier: a"


def test_a_block_belongs_to_its_statement_to_the_end() -> None:
    statements = tree("if a:\n    if b:\n        c\n\nwhile d:\n  e\n")["statements"]
    assert statements[0]["location"] == [1, 1, 5, 0]
    assert statements[0]["thenBody"][0]["location"] == [2, 5, 5, 0]
    assert statements[1]["location"] == [5, 1, 7, 1]


def test_elif_is_an_if_in_the_else_body() -> None:
    statement = tree("if a:\n  b\nelif c:\n  d\nelse:\n  e\nf\n")["statements"][0]
    inner = statement["elseBody"][0]
    assert inner["kind"] == "IfStmt"
    assert inner["location"] == [3, 1, 7, 0]
    assert inner["elseBody"][0]["location"] == [6, 3, 6, 3]


def test_a_function_ends_with_its_last_statement() -> None:
    function = tree("def f():\n    a\n\nb\n")["declarations"][0]
    assert function["location"] == [1, 1, 2, 6]
    function = tree("def f():\n    if a:\n        b\nc\n")["declarations"][0]
    assert function["location"] == [1, 1, 4, 0]


def test_a_class_ends_with_its_last_member() -> None:
    assert tree("class A(object):\n    x:int = 1\n\nb\n")["declarations"][0]["location"] == [1, 1, 2, 14]
    assert tree("class A(object):\n    pass\nb\n")["declarations"][0]["location"] == [1, 1, 2, 9]
    text = "class A(object):\n    def f(x:A):\n        pass\n\nb\n"
    assert tree(text)["declarations"][0]["location"] == [1, 1, 5, 0]


def test_a_function_without_a_result_type_returns_none() -> None:
    function = tree("def f():\n    pass\n")["declarations"][0]
    assert function["returnType"] == {"kind": "ClassType", "location": [1, 8, 1, 8], "className": "<None>"}


def test_quoted_types_are_types() -> None:
    variable = tree('x:["A"] = None\n')["declarations"][0]["var"]
    assert variable["location"] == [1, 1, 1, 7]
    assert variable["type"]["elementType"] == {
        "kind": "ClassType",
        "location": [1, 4, 1, 6],
        "className": "A",
    }


def test_a_block_may_nest_only_so_deep() -> None:
    def nested(depth: int) -> str:
        return "".join(" " * level + "if True:\n" for level in range(depth)) + " " * depth + "pass\n"

    assert not is_unparsed(nested(140))
    assert errors(nested(1_000))[0]["message"] == "Nested too deeply"
    assert errors("if True:\n  pass\n" + "elif True:\n  pass\n" * 1_000)[0]["message"] == "Nested too deeply"
    assert errors("x:" + "[" * 1_000 + "int" + "]" * 1_000 + " = None\n")[0]["message"] == "Nested too deeply"
