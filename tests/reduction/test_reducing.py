"""Whole corpora of the ChocoPy type checker, reduced for real."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bonsai import Subject, load_subject
from bonsai.corpus import Input, size_of
from bonsai.corpus_folder import read_corpus
from bonsai.reduction.criterion import Criterion, criteria
from bonsai.reduction.reducing import Method, reduce_corpus, reduce_text
from bonsai.subject import start_target
from bonsai.targets.execution import Outcome, Target
from fakes import FakeTarget

SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[3] / "shared"))
TEXTS = [
    "x:int = 1\ny:int = 2\nwhile x < 1 + 2:\n    x = x + 1\n    pass\nprint(y)\n",
    "class foo(object):\n    n:int = 0\n    def get(self:'foo') -> int:\n        return self.n\n".replace("'", '"'),
    "def f(a:int, b:[str]) -> bool:\n    for a in b:\n        pass\n    return True\nf(1, None)\nz = 3\n",
    "if True:\n    print(1 + True)\nelse:\n    pass\n",
]


@pytest.fixture(scope="module")
def subject() -> Subject:
    return load_subject("chocopy")


@pytest.fixture(scope="module")
def target(subject: Subject) -> Iterator[Target]:
    target = start_target(subject)
    yield target
    target.close()


def judged(target: Target, texts: list[str]) -> list[Input]:
    return [
        Input(text, (), one.outcome is Outcome.VALID, one.features)
        for text, one in zip(texts, target.execute(texts), strict=True)
    ]


@pytest.mark.parametrize("method", Method)
def test_each_reduction_is_smaller_and_still_worth_saving(subject: Subject, target: Target, method: Method) -> None:
    found = reduce_corpus(subject, TEXTS, method)
    wanted = criteria(judged(target, TEXTS))
    assert [one.original for one in found] == TEXTS
    for reduction, criterion, execution in zip(
        found, wanted, target.execute([one.text for one in found]), strict=True
    ):
        assert criterion is not None
        assert criterion.met_by(execution)
        assert reduction.outcome is execution.outcome
        assert size_of(reduction.text) < size_of(reduction.original)
        assert reduction.tests > 1
        assert reduction.note == ""
    assert reduce_corpus(subject, TEXTS, method)[0].text == found[0].text


@pytest.mark.slow
def test_hoisting_makes_tests_no_larger_than_pruning(subject: Subject) -> None:
    sizes = {
        method: sum(size_of(one.text)[0] for one in reduce_corpus(subject, TEXTS, method))
        for method in (Method.GRAMMAR, Method.HOIST)
    }
    assert sizes[Method.HOIST] <= sizes[Method.GRAMMAR]


def test_what_cannot_be_reduced_as_asked_is_listed_with_the_reason(subject: Subject) -> None:
    doubled = f"{TEXTS[3]}# no more than that\n"
    texts = [*TEXTS, "if if\n", doubled]
    found = reduce_corpus(subject, texts, Method.GRAMMAR)
    assert found[4].note == "the target does not parse it: kept as it is"
    assert found[4].text == "if if\n"
    assert found[5].note == "adds nothing to the others: kept as it is"
    assert found[5].text == doubled


def test_what_the_grammar_does_not_derive_is_reduced_by_characters(tmp_path: Path) -> None:
    (tmp_path / "bonsai.toml").write_text(
        '[grammar]\nfile = "g.lark"\n[target]\nengine = "python"\ncall = "reducing_target:check"\n'
    )
    (tmp_path / "g.lark").write_text('start: "a"+\n')
    (tmp_path / "reducing_target.py").write_text('def check(text):\n    if "b" in text:\n        return 1\n')
    found = reduce_corpus(load_subject(tmp_path), ["aabaa", "aaaa"], Method.GRAMMAR)
    assert [(one.text, one.note) for one in found] == [
        ("b", "not in the grammar: reduced by characters"),
        ("a", ""),
    ]


def test_what_is_nested_too_deeply_for_picireny_is_reduced_by_characters() -> None:
    text = "[" * 300 + "]" * 300
    found = reduce_text(load_subject("json"), FakeTarget(), text, Criterion(False, 0), Method.GRAMMAR)
    assert found.note == "nested too deeply for picireny: reduced by characters"
    assert found.text == ""


def test_what_no_longer_meets_its_own_criterion_is_kept() -> None:
    found = reduce_text(load_subject("json"), FakeTarget(), "[1]", Criterion(True, ~0), Method.HOIST)
    assert (found.text, found.note) == ("[1]", "does not do the same again: kept as it is")


def test_a_text_that_is_another_when_the_grammar_writes_it_is_reduced_by_characters() -> None:
    target, subject = FakeTarget(), load_subject("json")
    one = Criterion(False, target.execute(["1 ]"])[0].features)
    found = reduce_text(subject, target, "[true, 1 ]", one, Method.GRAMMAR)
    assert found.text == "1 ]"
    assert found.note.startswith("no longer worth saving")


def test_an_interruption_keeps_what_is_done(subject: Subject) -> None:
    def interrupt(done: int, tasks: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    found = reduce_corpus(subject, TEXTS, Method.HOIST, watch=interrupt)
    assert [bool(one.note) for one in found] == [False, False, True, True]
    assert found[2].text == TEXTS[2]
    assert found[2].note.startswith("interrupted")


@pytest.mark.slow
def test_the_number_of_processes_makes_no_difference(subject: Subject) -> None:
    one, two = (reduce_corpus(subject, TEXTS, Method.HOIST, jobs=jobs) for jobs in (1, 2))
    assert [(r.text, r.tests) for r in one] == [(r.text, r.tests) for r in two]


@pytest.mark.slow
def test_the_published_baseline_is_reduced_further_and_keeps_its_features(subject: Subject, target: Target) -> None:
    folder = SHARED / "published-corpora/chocopy/baseline"
    if not folder.is_dir():
        pytest.skip(f"there is no {folder.name} corpus in the shared data (BONSAI_SHARED)")
    texts = [file.text for file in read_corpus(folder, ".py")][:60]
    found = [one.text for one in reduce_corpus(subject, texts, Method.HOIST, jobs=2)]
    before, after = judged(target, texts), judged(target, found)
    for valid_only in (False, True):
        masks = [[one.features for one in side if one.valid or not valid_only] for side in (before, after)]
        covered = [sum(1 << i for i in range(2000) if any(mask >> i & 1 for mask in side)) for side in masks]
        assert covered[0] & ~covered[1] == 0
    assert sum(map(len, found)) < sum(map(len, texts))
