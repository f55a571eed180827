"""Which feature an input must exercise to get to a place."""

import pytest

from bonsai.mutation.reach import Reach
from bonsai.targets.python.instrument import arms

SOURCE = '''
LIMIT = 10

def first(xs, default=LIMIT + 1):
    """ä"""; total = 1 + 2
    for x in xs:
        if x > 1 and x < LIMIT or not x:
            return x - 1
        elif x:
            total += x
    else:
        total = -total
    try:
        value = (lambda y: y * 2 if y else y + 5)(total)
    except ValueError:
        value = 7
    match value:
        case [a] if a > 3:
            return a + 1
        case _:
            return [v ** 2 for v in xs if v != 4]
'''
FEATURES = arms(SOURCE.encode(), "m")


@pytest.mark.parametrize(
    ("code", "arm"),
    [
        ("10", None),
        ("LIMIT + 1", None),
        ("1 + 2", "function"),
        ("x > 1", "for-item"),
        ("x < LIMIT", "and"),
        ("not x", "or"),
        ("x - 1", "if-true"),
        ("elif", "if-false"),
        ("total += x", "if-true"),
        ("-total", "for-end"),
        ("y * 2", "then"),
        ("y else", "lambda"),
        ("y + 5", "else"),
        ("value = 7", "except"),
        ("a > 3", "guard"),
        ("a + 1", "case"),
        ("v ** 2", "case"),
        ("v != 4", "case"),
    ],
)
def test_the_innermost_arm_around_a_place(code: str, arm: str | None) -> None:
    before = SOURCE[: SOURCE.index(code)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    found = Reach("m", SOURCE, FEATURES).feature(line, column)
    if arm is None:
        assert found is None
    else:
        assert found is not None
        assert FEATURES[found].endswith(f":{arm}")


def test_where_two_arms_have_one_name_the_one_around_them_counts() -> None:
    source = "def f(x):\n    return (x and x + 1)\n"
    features = arms(source.encode(), "m")
    [name] = [one for one in features if one.endswith(":and")]
    place = (2, source.splitlines()[1].index("+"))
    assert Reach("m", source, features).feature(*place) == features.index(name)
    assert Reach("m", source, [*features, f"{name}-2"]).feature(*place) == 0
