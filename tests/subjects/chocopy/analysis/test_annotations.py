import pytest

from ..answers import located, messages

INVALID = "Invalid type annotation; there is no class named: "


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        ("x:A = None\n", "A", [1, 3, 1, 3]),
        ('x:"A" = None\n', "A", [1, 3, 1, 5]),
        ("x:[[A]] = None\n", "A", [1, 5, 1, 5]),
        ("def f(x:A):\n    pass\n", "A", [1, 9, 1, 9]),
        ("def f() -> A:\n    pass\n", "A", [1, 12, 1, 12]),
        ("def f():\n    x:A = None\n    pass\n", "A", [2, 7, 2, 7]),
        ("def f():\n    def g(x:A):\n        pass\n    pass\n", "A", [2, 13, 2, 13]),
        ("class B(object):\n    x:A = None\n", "A", [2, 7, 2, 7]),
        ("class B(object):\n    def f(self:B) -> A:\n        pass\n", "A", [2, 22, 2, 22]),
        ("x:print = None\n", "print", [1, 3, 1, 7]),
        ("x:x = None\n", "x", [1, 3, 1, 3]),
        ('x:"class" = None\n', "class", [1, 3, 1, 9]),
    ],
)
def test_a_type_must_be_a_class(text: str, name: str, place: list[int]) -> None:
    assert located(text) == [(INVALID + name, place)]


@pytest.mark.parametrize("name", ["object", "A", '"A"', "[A]", '["A"]', "[[object]]"])
def test_classes_may_come_later(name: str) -> None:
    assert messages(f"x:{name} = None\nclass A(object):\n    y:A = None\n") == []


def test_annotations_are_checked_in_the_order_of_the_text() -> None:
    text = "class E(object):\n    x:A = None\ndef f(x:B) -> C:\n    y:D = None\n    pass\n"
    assert messages(text) == [INVALID + name for name in "ABCD"]


def test_annotations_come_after_all_other_declarations() -> None:
    assert messages("x:A = None\nx:int = 1\n")[-1] == INVALID + "A"
