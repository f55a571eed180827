"""`chocopy.lark`: the whole language, in a shape in which the bounds mean what the paper says."""

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from statistics import fmean

import pytest

from bonsai import Bounds, Invalid, Subject, Unparsed, load_subject, measure, parse
from bonsai.choices import Draws
from bonsai.parsing import parser_for
from bonsai.sampler import Sampler
from bonsai.subjects.chocopy.driver import check

from .answers import SHARED, is_unparsed

needs_answers = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference's answers are not here")


@lru_cache
def subject() -> Subject:
    return load_subject("chocopy")


# The examples of the paper's figures, with the bounds of a node that they are shown for.
PAPER = {
    "A": ("pass\n", Bounds(1, 1, 1)),
    "B": ("a:object = 1\n", Bounds(1, 1, 1)),
    "C": ("def a():\n    return\n", Bounds(1, 1, 1)),
    "D": ("class a(object):\n    a:int = 1\npass\n", Bounds(1, 2, 1)),
    "E": ('("a")[0]\n', Bounds(1, 1, 2)),
    "F": ("0 < 0\n", Bounds(1, 1, 2)),
    "G": ('"" == "a"\n', Bounds(1, 1, 2)),
    "H": ("def a(b:str, a:int):\n    pass\n", Bounds(2, 2, 1)),
    "I": ("[[1], [None]]\n", Bounds(3, 3, 3)),
    "J": ("class a(object):\n    a:int = 1\n(a()).a = 1\n", Bounds(3, 3, 3)),
    "K": ("def a():\n    def b():\n        pass\n    return\n", Bounds(3, 3, 3)),
}


@pytest.mark.parametrize("example", PAPER)
def test_the_papers_examples_come_out_as_they_are_printed(example: str) -> None:
    text, within = PAPER[example]
    parsed = parse(subject().grammar, text)
    assert measure(parsed) <= within
    assert parsed.text == text


def test_the_smallest_node_has_the_papers_first_examples() -> None:
    sampler, draws = Sampler(subject().grammar, Bounds(1, 1, 1)), Draws(0)
    programs = {sampler.sample(draws)[0] for _ in range(60_000)}
    assert {"", "pass\n", "def a():\n    return\n"} <= programs


EVERYTHING = """\
class A(object):
    x:"A" = None
    def __init__(self:"A"):
        self.x = self
    def f(self:A, y:[[int]]) -> [A]:
        global g
        nonlocal h
        z:str = ""
        def k():
            pass
        return [self, A()]
"""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "\n\n# first\npass # last",
        "print(input())\n",
        "x:int = 1\nx = y = z[0] = z.a = len([1, 2])\n",
        "a if b if c else d else e\n",
        "not a and not b or -c is None\n",
        EVERYTHING,
        "class A(int):\n    pass\n",
        "def print(len:int, self:str) -> bool:\n    return True\n",
        "int:int = 0\nclass object(print):\n    pass\n",
        "if a:\n    pass\nelif b:\n    pass\nelif c:\n\tpass\nelse:\n  for x in y:\n\t  while z:\n\t\tpass\n",
        '"hello".b(1).c[2 + 3] // 4 % -5 * "x y"[0]\n',
    ],
)
def test_the_whole_language_is_derivable(text: str) -> None:
    derivation = parse(subject().grammar, text)
    assert not is_unparsed(derivation.text)


def test_names_keep_together_across_quoted_types_and_predefined_names_stay() -> None:
    text = 'class Foo(object):\n    x:"Foo" = None\n    def __init__(self:"Foo", y:int):\n        print(self.x)\n'
    assert parse(subject().grammar, text).text == (
        'class a(object):\n    b:"a" = None\n    def __init__(self:"a", c:int):\n        print(self.b)\n'
    )


def parsed_programs() -> Iterator[tuple[str, str]]:
    """(where from, text) of every program that the reference parses."""
    with gzip.open(SHARED / "chocopy/reference-answers.jsonl.gz", "rt") as lines:
        for number, line in enumerate(lines):
            answer = json.loads(line)
            if answer["parsed"]:
                yield f"answer {number}", answer["text"]
    for line in (SHARED / "chocopy/published-corpora.typed.jsonl").read_text().splitlines():
        answer = json.loads(line)
        if answer["parsed"]:
            path = SHARED / "published-corpora/chocopy" / answer["corpus"] / answer["file"]
            yield str(path), path.read_text()
    for path in sorted((SHARED / "chocopy").glob("pa[12]/**/*.py")):
        answer = json.loads(path.with_suffix(".py.ast").read_text())
        if not any(error.get("syntax") for error in answer["errors"]["errors"]):
            yield str(path), path.read_text()


def assert_derivable(programs: list[tuple[str, str]]) -> None:
    parser = parser_for(subject().grammar)
    for where, text in programs:
        assert parser.parse(text), where


@needs_answers
def test_some_programs_that_the_reference_parses_are_derivable() -> None:
    assert_derivable(list(parsed_programs())[::40])


@pytest.mark.slow
@needs_answers
@pytest.mark.parametrize("part", range(4))
def test_every_program_that_the_reference_parses_is_derivable(part: int) -> None:
    programs = list(parsed_programs())
    assert len(programs) > 3_800
    assert_derivable(programs[part::4])


def sampled(within: Bounds, number: int) -> list[str]:
    sampler, draws = Sampler(subject().grammar, within), Draws("sampled")
    return [sampler.sample(draws)[0] for _ in range(number)]


def assert_parses(text: str) -> None:
    try:
        check(text)
    except Unparsed as error:
        pytest.fail(f"{error}: {text}")
    except Invalid:
        pass


@pytest.mark.slow
def test_sampled_programs_have_no_syntax_error_and_a_readable_size() -> None:
    programs = sampled(Bounds(3, 3, 3), 1000)
    assert fmean(len(text) for text in programs) < 1200
    for text in programs[:300]:
        assert_parses(text)
    for text in sampled(Bounds(1, 1, 1), 1000) + sampled(Bounds(2, 2, 2), 1000):
        assert_parses(text)


@pytest.mark.slow
def test_ten_thousand_sampled_programs_have_no_syntax_error() -> None:
    for text in sampled(Bounds(3, 3, 3), 10_000):
        assert_parses(text)
