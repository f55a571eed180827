"""Mutants of a source: what is made, what is left out."""

import ast

import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from bonsai.mutation.mutants import fingerprint, mutants_of

SOURCE = """
def larger(one: int, other: "int | None") -> int | None:
    # Which of the two?
    if other is None or one > other:
        return one
    return other
"""


def test_each_mutant_is_one_small_change_that_compiles() -> None:
    made = mutants_of({"m": SOURCE}).mutants
    assert len({one.name for one in made}) == len(made)
    assert len({one.source for one in made}) == len(made)
    lines = SOURCE.splitlines()
    for mutant in made:
        ast.parse(mutant.source)
        changed = [n for n, (a, b) in enumerate(zip(lines, mutant.source.splitlines(), strict=True), 1) if a != b]
        assert changed == [mutant.line]
        assert " → " in mutant.change
    changes = {one.change for one in made}
    assert "if other is None or one > other: → if other is None and one > other:" in changes
    assert "if other is None or one > other: → if other is None or one <= other:" in changes


VARIED = """
@cache
def f(xs, n=0):
    for x in xs:
        if not x and n < 2 or x is None:
            continue
        while -n >= 10 ** x:
            n = n | 1 if x else ~n
            break
        assert x, True
    try:
        return {"a": [v for v in xs if v != 3], "b": 0x1F}
    except (KeyError, ValueError) as error:
        return error == False
"""


def test_the_mutants_are_those_that_cosmic_ray_would_make() -> None:
    expected = set()
    for name in operator_names():
        operator = get_operator(name)
        for occurrence in range(100 if not operator.arguments() else 0):
            changed = mutate_code(VARIED, operator(), occurrence)
            if changed is None:
                break
            expected.add(changed)
    found = mutants_of({"m": VARIED})
    assert {one.source for one in found.mutants} <= expected
    by_code = {fingerprint(source) for source in expected} - {None, fingerprint(VARIED)}
    assert {fingerprint(one.source) for one in found.mutants} == by_code
    assert len(found.mutants) == len(by_code) > 50


def test_annotations_and_repetitions_are_left_out() -> None:
    found = mutants_of({"m": SOURCE})
    assert found.equivalent == 11  # the other binary operators in the place of `|` in the annotation
    assert all(one.line == 4 for one in found.mutants)
    # `not other is None` is `other is not None`.
    assert mutants_of({"m": "def f(x):\n    if x is None:\n        return 1\n"}).duplicates == 1


def test_the_order_is_that_of_modules_and_places() -> None:
    found = mutants_of({"b": "x = 1 + 2\n", "a": "y = 1 < 2\n\nz = True\n"}).mutants
    places = [(one.module, one.line, one.column, one.operator) for one in found]
    assert places == sorted(places)
    assert {one.module for one in found} == {"a", "b"}


def test_a_decorator_that_goes_is_described() -> None:
    [mutant] = mutants_of({"m": "@cache\ndef f():\n    pass\n"}).mutants
    assert mutant.change == "without @cache"


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("def f(x: int) -> str:\n    return x == 1\n", True),
        ("\n\n# moved\ndef f(x):\n\n    return (x == 1)\n", True),
        ("def f(x):\n    return x != 1\n", False),
        ("def f(x):\n    return x == True\n", False),
        ("def f(y):\n    return y == 1\n", False),
        ("def f(x=1):\n    return x == 1\n", False),
        ("def f(x):\n    return x == 1\nf(0)\n", False),
    ],
)
def test_sources_that_do_the_same(source: str, same: bool) -> None:
    assert (fingerprint(source) == fingerprint("def f(x):\n    return x == 1\n")) is same


def test_a_source_that_does_not_compile_has_no_fingerprint() -> None:
    assert fingerprint("def f(:\n") is None
    assert fingerprint("return 1\n") is None
