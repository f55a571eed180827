import pytest

from ..answers import located, messages

MESSAGE = "All paths in this function/method must have a return statement: "

RETURNING = [
    "    return 1\n",
    "    return 1\n    pass\n",
    "    1\n    return 1\n    2\n",
    "    if True:\n        return 1\n    else:\n        return 2\n",
    "    if True:\n        return 1\n    elif True:\n        return 2\n    else:\n        return 3\n",
    "    if True:\n        1\n    return 1\n",
]
NOT_RETURNING = [
    "    pass\n",
    "    if True:\n        return 1\n",
    "    if True:\n        return 1\n    else:\n        pass\n",
    "    if True:\n        pass\n    else:\n        return 1\n",
    "    if True:\n        return 1\n    elif True:\n        return 2\n",
    "    while True:\n        return 1\n",
    '    for x in "a":\n        return 1\n',
]


@pytest.mark.parametrize("body", RETURNING)
def test_all_paths_return(body: str) -> None:
    assert messages(f"def f() -> int:\n{body}") == []


@pytest.mark.parametrize("body", NOT_RETURNING)
def test_a_path_without_return(body: str) -> None:
    assert located(f"def f(x:str) -> int:\n{body}") == [(MESSAGE + "f", [1, 5, 1, 5])]


@pytest.mark.parametrize("result", ["int", "bool", "str"])
def test_special_results_must_be_returned(result: str) -> None:
    assert messages(f"def f() -> {result}:\n    pass\n") == [MESSAGE + "f"]


@pytest.mark.parametrize("result", ["", " -> object", " -> [int]", " -> A"])
def test_other_results_may_be_none(result: str) -> None:
    assert messages(f"class A(object):\n    pass\ndef f(){result}:\n    pass\n") == []


def test_methods_and_inner_functions_too() -> None:
    text = (
        "class A(object):\n    def m(self:A) -> int:\n        pass\n"
        "def f() -> int:\n    def g() -> int:\n        pass\n    pass\n"
    )
    assert messages(text) == [MESSAGE + "m", MESSAGE + "g", MESSAGE + "f"]


def test_a_name_with_an_error_has_no_second_one() -> None:
    text = "class A(object):\n    def m() -> int:\n        pass\n"
    assert len(messages(text)) == 1
