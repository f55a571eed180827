"""The type rules of statements and variable definitions."""

import pytest

from bonsai.subjects.chocopy import analyse

from ..answers import find, located, messages, shown

UNDECLARED = "Cannot assign to variable that is not explicitly declared in this scope: "
BEFORE = (
    "class A(object):\n    x:int = 1\n"
    'i:int = 1\nt:bool = True\ns:str = ""\no:object = None\nl:[int] = None\na:A = None\n'
)
LINE = BEFORE.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        "x:int = 1",
        'x:str = "a"',
        "x:bool = False",
        "x:object = 1",
        "x:object = None",
        "x:[int] = None",
        "x:A = None",
        'class B(A):\n    y:str = ""',
    ],
)
def test_definitions_that_are_right(text: str) -> None:
    assert messages(f"{BEFORE}{text}\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:int = True", "Expected type `int`; got type `bool`"),
        ("x:str = None", "Expected type `str`; got type `<None>`"),
        ("x:[int] = 1", "Expected type `[int]`; got type `int`"),
        ('x:A = ""', "Expected type `A`; got type `str`"),
    ],
)
def test_definitions_that_are_wrong(text: str, message: str) -> None:
    assert located(f"{BEFORE}{text}\n") == [(message, [LINE, 1, LINE, len(text)])]


@pytest.mark.parametrize(
    "text",
    [
        "i = 2",
        "o = 1",
        "o = l",
        "l = []",
        "l = None",
        "l[0] = 1",
        "a.x = 1",
        "a = None",
        "i = l[0] = a.x = 3",
        "o = l = [1]",
        "o = a = None",
        "o = [None]",
    ],
)
def test_assignments_that_are_right(text: str) -> None:
    assert messages(f"{BEFORE}{text}\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i = True", ["Expected type `int`; got type `bool`"]),
        ("i = None", ["Expected type `int`; got type `<None>`"]),
        ("i = []", ["Expected type `int`; got type `<Empty>`"]),
        ("l = [True]", ["Expected type `[int]`; got type `[bool]`"]),
        ("l[0] = True", ["Expected type `int`; got type `bool`"]),
        ("a.x = True", ["Expected type `int`; got type `bool`"]),
        ("i = t = 1", ["Expected type `bool`; got type `int`"]),
        ("i = s = None", ["Expected type `int`; got type `<None>`"]),
        ("z = 1", ["Not a variable: z"]),
        ("A = 1", ["Not a variable: A"]),
        ("i = z = None", ["Expected type `int`; got type `<None>`", "Not a variable: z"]),
        ("s[0] = s", ["`str` is not a list type"]),
        ("s[0] = 1", ["Expected type `str`; got type `int`", "`str` is not a list type"]),
        ("s[t] = s", ["Index is of non-integer type `bool`"]),
        ("i[0] = 1", ["Cannot index into type `int`"]),
        ("a.z = 1", ["There is no attribute named `z` in class `A`"]),
        ("o = l = [None]", ["Expected type `[int]`; got type `[<None>]`"]),
        ("o = o = [None]", ["Right-hand side of multiple assignment may not be [<None>]"]),
        ("z = z2 = z3", ["Not a variable: z3", "Not a variable: z", "Not a variable: z2"]),
    ],
)
def test_assignments_that_are_wrong(text: str, expected: list[str]) -> None:
    assert messages(f"{BEFORE}{text}\n") == expected


def test_an_assignment_has_one_error_of_its_own() -> None:
    assert located(f"{BEFORE}i = s = None\n") == [("Expected type `int`; got type `<None>`", [LINE, 1, LINE, 12])]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    x = 1\n", [UNDECLARED + "x"]),
        ("    x = True\n", ["Expected type `int`; got type `bool`", UNDECLARED + "x"]),
        ("    f = 1\n", ["Not a variable: f"]),
        ("    global x\n    x = 1\n", []),
        ("    x:int = 2\n    x = 1\n", []),
        ('    for y in "":\n        pass\n', [UNDECLARED + "y"]),
        ("    for y in [1]:\n        pass\n", ["Expected type `str`; got type `int`", UNDECLARED + "y"]),
        ('    global y\n    for y in "":\n        pass\n', []),
        ("    l[0] = 1\n", []),
    ],
)
def test_only_names_of_the_own_scope_can_be_assigned_to(body: str, expected: list[str]) -> None:
    assert messages(f'x:int = 1\ny:str = ""\nl:[int] = None\ndef f():\n{body}') == expected


def test_an_inner_function_needs_nonlocal() -> None:
    text = "def f(x:int):\n    def g():\n{}        x = 1\n    pass\n"
    assert messages(text.format("")) == [UNDECLARED + "x"]
    assert messages(text.format("        nonlocal x\n")) == []


@pytest.mark.parametrize("statement", ["if {}:\n    pass\n", "while {}:\n    pass\n"])
def test_conditions(statement: str) -> None:
    assert messages(BEFORE + statement.format("t")) == []
    assert messages(BEFORE + statement.format("i")) == ["Condition expression cannot be of type `int`"]
    assert messages(BEFORE + statement.format("None")) == ["Condition expression cannot be of type `<None>`"]


def test_all_parts_of_a_statement_are_checked() -> None:
    text = "if a:\n    b\nelif c:\n    d\nelse:\n    e\nwhile f:\n    g\nfor h in i:\n    j\n"
    found = [message for message in messages(text) if message.startswith("Not a variable")]
    assert found == [f"Not a variable: {name}" for name in "abcdefgij"]


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("i in l", []),
        ("s in s", []),
        ("o in l", []),
        ("o in [None]", []),
        ("i in s", ["Expected type `int`; got type `str`"]),
        ("i in [True]", ["Expected type `int`; got type `bool`"]),
        ("i in [None]", ["Expected type `int`; got type `<None>`"]),
        ("z in l", ["Not a variable: z"]),
        ("A in l", ["Not a variable: A"]),
        ("i in i", ["Cannot iterate over value of type `int`"]),
        ("i in []", ["Cannot iterate over value of type `<Empty>`"]),
        ("i in None", ["Cannot iterate over value of type `<None>`"]),
    ],
)
def test_loops(loop: str, expected: list[str]) -> None:
    text = f"{BEFORE}for {loop}:\n    pass\n"
    assert messages(text) == expected
    node = find(analyse(text), "ForStmt")[0]
    if expected:
        assert node["errorMsg"] == expected[0]
        assert "inferredType" not in node["identifier"]
    else:
        assert shown(node["identifier"]["inferredType"]) == {"i": "int", "s": "str", "o": "object"}[loop[0]]


@pytest.mark.parametrize(
    ("result", "statement", "expected"),
    [
        (" -> int", "return 1", []),
        (" -> int", "return True", ["Expected type `int`; got type `bool`"]),
        (" -> int", "return", ["Expected type `int`; got `None`"]),
        (" -> int", "return None", ["Expected type `int`; got type `<None>`"]),
        (" -> object", "return", []),
        (" -> object", "return 1", []),
        (" -> [int]", "return", []),
        (" -> [int]", "return []", []),
        (" -> A", "return None", []),
        (" -> A", "return 1", ["Expected type `A`; got type `int`"]),
        ("", "return", []),
        ("", "return None", []),
        ("", "return 1", ["Expected type `<None>`; got type `int`"]),
    ],
)
def test_returns(result: str, statement: str, expected: list[str]) -> None:
    assert messages(f"{BEFORE}def f(){result}:\n    {statement}\n") == expected


def test_return_at_the_top_level() -> None:
    assert located("return\n") == [("Return statement cannot appear at the top level", [1, 1, 1, 6])]
    assert messages("if True:\n    return x\n") == ["Return statement cannot appear at the top level"]
    assert "inferredType" not in analyse("return 1\n")["statements"][0]["value"]


def test_each_function_has_its_own_result_type() -> None:
    text = 'def f() -> int:\n    def g() -> str:\n        return 1\n    return ""\n'
    assert messages(text) == ["Expected type `str`; got type `int`", "Expected type `int`; got type `str`"]


def test_declarations_are_checked_before_the_statements() -> None:
    text = "def f():\n    x\nclass A(object):\n    y:int = True\n    def g(self:A):\n        z\nw\n"
    assert messages(text) == [
        "Not a variable: x",
        "Expected type `int`; got type `bool`",
        "Not a variable: z",
        "Not a variable: w",
    ]
