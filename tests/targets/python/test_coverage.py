"""coverage.py agrees with our probes on the branches of the ChocoPy analysis, group of programs by group."""

import json
import subprocess
import sys
from collections import Counter
from functools import reduce
from operator import or_
from pathlib import Path

import pytest

import bonsai
from bonsai.targets.engines import start

WORKER = Path(__file__).with_name("coverage_worker.py")
# coverage.py counts the exits of lines; these arms of ours are exits of statements.
# What it does not count: function entries, operands, conditional expressions, comprehensions, assertions.
STATEMENTS = {"if-true", "if-false", "while-true", "while-false", "for-item", "for-end"}


@pytest.mark.slow
def test_the_same_branches_are_taken() -> None:
    subject = bonsai.load_subject("chocopy")
    assert subject.target is not None
    texts = [
        program.text
        for bounds in (bonsai.Bounds(1, 1, 1), bonsai.Bounds(2, 2, 2), bonsai.Bounds(3, 3, 3))
        for program in bonsai.sample(subject, number=40, bounds=bounds, seed=5)
    ]
    groups = [[text] for text in texts[::6]] + [texts[::2], texts[1::2], texts]
    answer = subprocess.run(
        [sys.executable, WORKER], input=json.dumps(groups), capture_output=True, text=True, check=True
    )
    theirs: list[dict[str, dict[str, int]]] = json.loads(answer.stdout)
    target = start(subject.target, subject.folder)
    compared = 0
    for group, verdict in zip(groups, theirs, strict=True):
        mask = reduce(or_, (execution.features for execution in target.execute(group)))
        ours: Counter[tuple[str, str]] = Counter()
        for number, name in enumerate(target.features):
            if name.startswith("reported:"):
                continue
            module, line, _, arm = name.split(":")
            stem = module.rpartition(".analysis")[2].lstrip(".") or "__init__"
            if arm in STATEMENTS and stem in verdict:
                ours[stem, line] += mask >> number & 1
        assert dict(ours) == {
            (stem, line): taken for stem, lines in verdict.items() for line, taken in lines.items()
        }
        compared += len(ours)
    assert compared > 1000
    target.close()
