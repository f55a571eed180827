"""How good a corpus for the ChocoPy checker is, grown with a small budget: concise, comprehensive, mostly valid."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import bonsai
from bonsai import Bounds
from bonsai.budget import Executions
from bonsai.corpus import Policy, bits
from bonsai.grow_settings import GrowSettings
from bonsai.store import Run
from bonsai.subject import start_target
from bonsai.targets.execution import Outcome, Target
from subjects.chocopy.answers import SHARED

pytestmark = pytest.mark.slow

SUBJECT = bonsai.load_subject("chocopy")
WITHIN = Bounds(2, 2, 2)
BUDGET = Executions(3000)  # for each of the 16 nodes
PUBLISHED = [SHARED / "published-corpora" / "chocopy", SHARED / "chocopy"]
MISSED = 0.05  # the share of what others cover that so small a budget may miss


@pytest.fixture(scope="module")
def grown() -> Run:
    return bonsai.grow(SUBJECT, GrowSettings(WITHIN, budget=BUDGET, seed=1), jobs=2)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with closing(start_target(SUBJECT)) as started:
        yield started


def features_within(bounds: Bounds, folders: list[Path], target: Target) -> int:
    """What the programs cover that are no larger than the bounds."""
    texts = [file.read_text() for folder in folders for file in sorted(folder.rglob("*.py"))]
    covered = 0
    for text, execution in zip(texts, target.execute(texts), strict=True):
        judged = execution.outcome in (Outcome.VALID, Outcome.INVALID)
        if judged and bonsai.measure(bonsai.parse(SUBJECT.grammar, text)) <= bounds:
            covered |= execution.features
    return covered


def test_it_is_concise_and_mostly_valid(grown: Run) -> None:
    corpus = grown.corpus
    assert len(corpus) <= 157  # as many as the published corpus has
    assert sum(one.size[0] for one in corpus) / len(corpus) <= 14
    assert sum(one.valid for one in corpus) / len(corpus) >= 0.5


def test_its_files_cover_what_is_said(grown: Run, target: Target) -> None:
    covered = by_valid = 0
    for one, execution in zip(grown.corpus, target.execute([one.text for one in grown.corpus]), strict=True):
        assert (execution.outcome is Outcome.VALID) == one.valid
        covered |= execution.features
        by_valid |= execution.features if one.valid else 0
    assert (covered, by_valid) == (grown.covered, grown.covered_by_valid)


@pytest.mark.skipif(not PUBLISHED[0].is_dir(), reason="the published corpora are not there (set BONSAI_SHARED)")
def test_it_covers_what_published_corpora_and_official_samples_of_its_size_cover(
    grown: Run, target: Target
) -> None:
    theirs = features_within(WITHIN, PUBLISHED, target)
    missed = [target.features[feature] for feature in bits(theirs & ~grown.covered)]
    assert len(missed) <= MISSED * theirs.bit_count(), missed


def test_it_is_smaller_than_by_the_papers_policy_and_covers_no_less(grown: Run) -> None:
    paper = bonsai.grow(SUBJECT, GrowSettings(WITHIN, budget=BUDGET, policy=Policy.PAPER, seed=1), jobs=2)

    def mean(run: Run) -> float:
        return sum(one.size[0] for one in run.corpus) / len(run.corpus)

    assert mean(grown) < 0.8 * mean(paper)
    assert grown.covered.bit_count() >= paper.covered.bit_count()
    assert grown.covered_by_valid.bit_count() >= paper.covered_by_valid.bit_count()
