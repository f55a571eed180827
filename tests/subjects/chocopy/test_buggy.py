"""The buggy checker: each bug shows on a small program, on a grown corpus, and nowhere else."""

from collections.abc import Callable

import pytest

import bonsai
from bonsai.corpus_folder import CorpusFile
from bonsai.errors import Verdict
from bonsai.grading.candidates import read_candidate
from bonsai.grading.grade import grade
from bonsai.grow_settings import GrowSettings
from bonsai.subjects.chocopy import Json, buggy, driver

PROGRAMS = {
    "any_minus": "-True\n",
    "any_identity": "1 is 1\n",
    "forgotten_branches": "def f() -> int:\n    if True:\n        return 1\n    else:\n        return 2\n",
    "hasty_join": "[[1], []]\n",
    "none_is_everything": "x:int = None\n",
    "uncounted_arguments": "print()\n",
    "any_overriding": "class A(object):\n    def __init__(self:A, x:int):\n        pass\n",
    "nonlocal_finds_globals": "x:int = 1\ndef f():\n    nonlocal x\n    x = 2\n",
}


def answer(check: Callable[[str], Json], text: str) -> object:
    try:
        return check(text)
    except Verdict as verdict:
        return verdict.output


def test_every_bug_has_a_program() -> None:
    assert list(PROGRAMS) == list(buggy.BUGS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_bug_shows_on_its_program_and_is_gone_afterwards(name: str) -> None:
    right = answer(driver.check, PROGRAMS[name])
    assert answer(buggy.BUGS[name].check, PROGRAMS[name]) != right
    assert answer(buggy.check, PROGRAMS[name]) != right
    assert answer(driver.check, PROGRAMS[name]) == right
    for other in PROGRAMS:
        if other != name:
            assert answer(buggy.BUGS[other].check, PROGRAMS[name]) == right, other


@pytest.mark.slow
def test_a_grown_corpus_finds_every_bug() -> None:
    subject = bonsai.load_subject("chocopy")
    settings = GrowSettings(bonsai.Bounds(1, 2, 2), seed=1)
    tests = [
        CorpusFile(str(place), one.text) for place, one in enumerate(bonsai.grow(subject, settings, jobs=2).corpus)
    ]
    assert grade(subject, tests, read_candidate("bonsai.subjects.chocopy.driver:check")).failed == []
    for name in buggy.BUGS:
        found = grade(subject, tests, read_candidate(f"bonsai.subjects.chocopy.buggy:{name}.check"))
        assert found.failed, name
