"""Whether `--budget auto` stops late enough: against a fixed budget that is ten times as large.

    python benchmarks/saturation.py [--bounds M,N,D] [--seed N] [--jobs N] [--times 10] [--json]

The corpus is grown with `auto`; then again with ten times as many executions for every node as `auto` used for
one on average. Goals: `auto` covers at least 99 % of the features, and its tests are at most 3 % larger. The
last line is one JSON object.
"""

import argparse
import json
from typing import Any

import bonsai
from bonsai.budget import Auto, Executions, NodeBudget
from bonsai.grow_settings import GrowSettings

SUBJECT = bonsai.load_subject("chocopy")
GOALS = {"features": 0.99, "mean_size": 1.03}


def grown(bounds: bonsai.Bounds, budget: NodeBudget, seed: int, jobs: int) -> dict[str, Any]:
    summary: dict[str, Any] = bonsai.grow(
        SUBJECT, GrowSettings(bounds, budget=budget, seed=seed), jobs=jobs
    ).summary()
    return {
        "budget": summary["budget"],
        "features": summary["features"]["covered"],
        "by_valid": summary["features"]["by_valid"],
        "files": summary["corpus"]["files"],
        "mean_size": summary["corpus"]["mean_size"],
        "nodes": len(summary["nodes"]),
        "executions": summary["executions"],
        "seconds": summary["seconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Compare the budget auto with a fixed one that is ten times larger."
    )
    parser.add_argument("--bounds", default="3,3,3", help="upper bounds of the lattice (default: 3,3,3)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--times", type=int, default=10, help="how much larger the other budget is (default: 10)")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    arguments = parser.parse_args()
    bounds = bonsai.Bounds(*map(int, arguments.bounds.split(",")))
    auto = grown(bounds, Auto(), arguments.seed, arguments.jobs)
    fixed = Executions(arguments.times * auto["executions"] // auto["nodes"])
    larger = grown(bounds, fixed, arguments.seed, arguments.jobs)
    ratios = {key: round(auto[key] / larger[key], 4) for key in GOALS}
    if not arguments.json:
        for key in auto:
            print(f"{key:>12} {auto[key]!s:>12} {larger[key]!s:>12}")
        print(f"features: {ratios['features']:.1%} of the larger budget's, goal at least {GOALS['features']:.0%}")
        print(f"mean size: {ratios['mean_size']:.1%} of the larger budget's, goal at most {GOALS['mean_size']:.0%}")
    reached = ratios["features"] >= GOALS["features"] and ratios["mean_size"] <= GOALS["mean_size"]
    found = {"benchmark": "saturation", "auto": auto, "fixed": larger, "ratios": ratios, "reached": reached}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
