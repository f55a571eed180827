"""How good a corpus is where the best one is known: all programs of a small language, tried one by one."""

from collections.abc import Iterable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

import bonsai
from bonsai import Bounds
from bonsai.budget import Auto
from bonsai.choices import Draws
from bonsai.corpus import Input, Select, bits, filtered
from bonsai.grow_settings import GrowSettings
from bonsai.sampler import Sampler
from bonsai.subject import start_target
from bonsai.targets.execution import Outcome
from tiny_subject import write_tiny_subject

BUDGET = Auto(quiet=1500, quiet_per_member=20)


def bodies(items: int, depth: int) -> list[str]:
    """All sequences of so many items at most, which nest so deep at most."""
    item = [*"0123", *(f"({body})" for body in bodies(items, depth - 1))] if depth else []
    return ["".join(sequence) for length in range(items + 1) for sequence in product(item, repeat=length)]


def sizes(corpus: Iterable[Input]) -> dict[int, tuple[int, bool]]:
    """Returns, for each feature, the size of its test and whether that is valid. Valid tests come first."""
    found: dict[int, tuple[int, bool]] = {}
    for test in sorted(corpus, key=lambda test: (not test.valid, test.rank)):
        for feature in bits(test.features):
            found.setdefault(feature, (test.size[0], test.valid))
    return found


@pytest.mark.parametrize("bounds", [Bounds(1, 3, 1), Bounds(1, 2, 2)], ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_for_every_feature_no_program_within_the_bounds_is_smaller_than_its_test(
    bounds: Bounds, seed: int, tmp_path: Path
) -> None:
    subject = write_tiny_subject(tmp_path)
    sampler = Sampler(subject.grammar, bounds)
    derivations = [bonsai.parse(subject.grammar, text) for text in bodies(bounds.items, bounds.depth)]
    programs = [sampler.replay(derivation.choices, Draws(0))[0] for derivation in derivations]  # with spaces
    assert len(set(programs)) == len(programs) == bonsai.count(subject.grammar, bounds)
    with closing(start_target(subject)) as target:
        executions = target.execute(programs)
    judged = [
        Input(text, (), execution.outcome is Outcome.VALID, execution.features)
        for text, execution in zip(programs, executions, strict=True)
    ]
    run = bonsai.grow(subject, GrowSettings(bounds, budget=BUDGET, seed=seed))
    assert run.asked["select"] == Select.VALID_FIRST.value
    assert sizes(run.corpus) == sizes(filtered(judged))
    assert any(not test.valid for test in run.corpus) == (bounds.depth > 1)
