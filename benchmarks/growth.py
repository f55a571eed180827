"""What grown ChocoPy corpora are like, beside the published ones: sizes, files, valid, features.

    python benchmarks/growth.py [--bounds M,N,D] [--budget auto] [--seed N] [--jobs N] [--shared FOLDER] [--json]

One run that keeps the smallest, before and after pruning, selected in both ways; one run by the paper's policy,
with as many executions for a node as the other one used on average; the corpora published with the paper and
the official samples, where they are; and what of theirs, within the bounds, was not grown. The last line is one
JSON object.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import bonsai
from bonsai.budget import Executions, NodeBudget, parse_budget
from bonsai.corpus import Archive, Corpus, Input, Policy, Select, bits
from bonsai.feedback import Saving
from bonsai.grow_settings import GrowSettings
from bonsai.grow_tasks import PRUNE
from bonsai.session import begin
from bonsai.subject import start_target
from bonsai.targets.execution import Outcome, Target
from bonsai.workers.local import LocalWorkers

SUBJECT = bonsai.load_subject("chocopy")
SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[2] / "shared"))
PUBLISHED = {
    "published bonsai": "published-corpora/chocopy/bonsai",
    "published baseline": "published-corpora/chocopy/baseline",
    "official samples": "chocopy",
}


def grown(settings: GrowSettings, jobs: int) -> tuple[dict[str, list[Input]], dict[str, Any]]:
    """The corpora of one run by their names, and its summary."""
    workers = LocalWorkers(SUBJECT, jobs)
    try:
        session, _ = begin(SUBJECT, settings, workers, None)
        summary: dict[str, Any] = session.grow().summary()
    finally:
        workers.close()
    growing = session.growing
    if settings.policy is Policy.PAPER:
        return {"paper policy": growing.grown().selected(Select.VALID_FIRST)}, summary
    unpruned: Corpus = Archive(Saving.UNRESTRICTED)
    for key, result in growing.results.items():
        for member in result.state.members if key != PRUNE else ():
            unpruned.add(member)
    pruned = growing.grown()
    return {
        "smallest, valid first": pruned.selected(Select.VALID_FIRST),
        "smallest, both": pruned.selected(Select.BOTH),
        "not pruned, valid first": unpruned.selected(Select.VALID_FIRST),
        "not pruned, both": unpruned.selected(Select.BOTH),
    }, summary


def read(folder: Path, target: Target) -> list[Input]:
    """The files of a folder that the target parses."""
    texts = [file.read_text() for file in sorted(folder.rglob(f"*{SUBJECT.suffix}"))]
    return [
        Input(text, (), found.outcome is Outcome.VALID, found.features)
        for text, found in zip(texts, target.execute(texts), strict=True)
        if found.outcome in (Outcome.VALID, Outcome.INVALID)
    ]


def features(corpus: Sequence[Input]) -> int:
    covered = 0
    for one in corpus:
        covered |= one.features
    return covered


def row(corpus: Sequence[Input]) -> dict[str, Any]:
    return {
        "files": len(corpus),
        "valid": round(sum(one.valid for one in corpus) / len(corpus), 3),
        "mean_size": round(fmean(one.size[0] for one in corpus), 2),
        "max_size": max(one.size[0] for one in corpus),
        "features": features(corpus).bit_count(),
        "by_valid": features([one for one in corpus if one.valid]).bit_count(),
    }


def within(bounds: bonsai.Bounds, corpus: Sequence[Input]) -> list[Input]:
    """The programs that are no larger than the bounds."""
    return [one for one in corpus if bonsai.measure(bonsai.parse(SUBJECT.grammar, one.text)) <= bounds]


def table(rows: dict[str, dict[str, Any]]) -> None:
    keys = list(next(iter(rows.values())))
    print(" " * 24, *(f"{key:>10}" for key in keys))
    for name, found in rows.items():
        print(f"{name:<24}", *(f"{found[key]:>10}" for key in keys))


def main() -> None:
    parser = argparse.ArgumentParser(description="Grow ChocoPy corpora and compare them with published ones.")
    parser.add_argument("--bounds", default="3,3,3", help="upper bounds of the lattice (default: 3,3,3)")
    parser.add_argument("--budget", default="auto", help="of each node (default: auto)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the published corpora are")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    arguments = parser.parse_args()
    bounds = bonsai.Bounds(*map(int, arguments.bounds.split(",")))
    budget: NodeBudget = parse_budget(arguments.budget)
    corpora, summary = grown(GrowSettings(bounds, budget=budget, seed=arguments.seed), arguments.jobs)
    same = Executions(summary["executions"] // len(summary["nodes"]))
    paper, _ = grown(GrowSettings(bounds, budget=same, policy=Policy.PAPER, seed=arguments.seed), arguments.jobs)
    target = start_target(SUBJECT)
    published = {name: read(arguments.shared / folder, target) for name, folder in PUBLISHED.items()}
    published = {name: corpus for name, corpus in published.items() if corpus}
    target.close()
    asked = features([one for corpus in published.values() for one in within(bounds, corpus)])
    missed = [target.features[one] for one in bits(asked & ~features(corpora["smallest, valid first"]))]
    rows = {name: row(corpus) for name, corpus in {**paper, **corpora, **published}.items()}
    if not arguments.json:
        print(f"{summary['executions']} executions in {summary['seconds']} seconds")
        table(rows)
        print(
            f"published within the bounds: {asked.bit_count()} features; of these, not grown: {len(missed)}",
            *missed,
        )
    found = {"benchmark": "growth", "seconds": summary["seconds"], "executions": summary["executions"]}
    print(json.dumps({**found, "bounds": arguments.bounds, "rows": rows, "missed": missed}))


if __name__ == "__main__":
    main()
