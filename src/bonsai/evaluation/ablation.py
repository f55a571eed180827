"""Settings come in; the same with one thing switched off go out: what each part of growing contributes."""

from dataclasses import replace

from bonsai.budget import Auto
from bonsai.cbgf import TREE_MUTATORS, Pruning
from bonsai.corpus import Policy
from bonsai.dedup import Dedup
from bonsai.grow_settings import GrowSettings
from bonsai.lattice import Kind

PREFIX = "ablation-"
COMPLETE = PREFIX + "complete"
EVENLY = PREFIX + "without-saturation"  # as many executions as the complete settings need, the same for each node
SOON = Auto(residual=0.005, quiet=300, quiet_per_member=3)  # a tenth of what `auto` waits for


def variants(settings: GrowSettings) -> dict[str, GrowSettings]:
    """The complete settings, and each without one thing, by names.

    All but one stop nodes by saturation; where the budget is fixed, to be quick, sooner than usual.
    """
    settings = settings if isinstance(settings.budget, Auto) else replace(settings, budget=SOON)
    found = {
        "complete": settings,
        "policy paper": replace(settings, policy=Policy.PAPER, mutators=tuple(TREE_MUTATORS)),
        "without pruning": replace(settings, pruning=Pruning.OFF),
        "without dedup": replace(settings, dedup=Dedup.OFF),
        "without saturation": settings,
        "plain lattice": replace(settings, lattice=Kind.PLAIN),
        "zest alone": replace(settings, mutators=("zest",)),
    }
    for name in TREE_MUTATORS:
        others = tuple(other for other in TREE_MUTATORS if other != name)
        found[f"without {name}"] = replace(settings, mutators=others)
    return {PREFIX + name.replace(" ", "-"): one for name, one in found.items()}
