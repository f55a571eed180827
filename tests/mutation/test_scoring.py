"""Mutation scores of corpora."""

from collections.abc import Iterator

import pytest

from bonsai import Subject
from bonsai.mutation.bench import Bench
from bonsai.mutation.scoring import score, scores
from tiny_subject import write_tiny_subject

CORPUS = ["(1)", "0 1 2"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return write_tiny_subject(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def bench(subject: Subject) -> Iterator[Bench]:
    with Bench(subject, jobs=2) as bench:
        yield bench


def test_a_larger_corpus_kills_more_and_fuzzing_from_it_more_still(bench: Bench, subject: Subject) -> None:
    small = score(bench, subject, CORPUS)
    large = score(bench, subject, [*CORPUS, "(2 3)", "3 3 3"])
    fuzzed = score(bench, subject, CORPUS, fuzz=100)
    assert 0 < small.of_corpus < large.of_corpus <= 1
    assert fuzzed.by_corpus == small.by_corpus
    assert fuzzed.of_corpus < fuzzed.with_fuzzing <= 1
    assert fuzzed.children == 100
    assert len(fuzzed.survivors) == len(bench.mutants) - len(fuzzed.by_corpus) - len(fuzzed.by_fuzzing)
    assert small.with_fuzzing == small.of_corpus
    assert set(large.by_corpus) >= set(small.by_corpus)


def test_corpora_side_by_side_have_the_scores_that_each_has_alone(bench: Bench, subject: Subject) -> None:
    corpora = [CORPUS, [")("], [*CORPUS, "(2 3)", "3 3 3"]]
    together = scores(bench, subject, corpora, fuzz=40, seed=2)
    for texts, found in zip(corpora, together, strict=True):
        alone = score(bench, subject, texts, fuzz=40, seed=2)
        assert (found.by_corpus, found.by_fuzzing) == (alone.by_corpus, alone.by_fuzzing)
        assert found.children == alone.children


def test_the_same_seed_gives_the_same_score(bench: Bench, subject: Subject) -> None:
    one, other = (score(bench, subject, CORPUS, fuzz=40, seed=seed) for seed in (3, 3))
    assert (one.by_corpus, one.by_fuzzing) == (other.by_corpus, other.by_fuzzing)


def test_a_corpus_that_does_not_parse_cannot_be_fuzzed_from(bench: Bench, subject: Subject) -> None:
    found = score(bench, subject, [")("], fuzz=10)
    assert (found.children, found.by_fuzzing) == (0, {})
