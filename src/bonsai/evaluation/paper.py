"""The figures that the paper prints, to stand beside ours; by the names of its two subjects."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Printed:
    """Section "Evaluation" of the paper. Pairs are mean and deviation; None is what it does not report."""

    smaller_than_grammar: float  # Fig. "Distribution of size": how much smaller files are, on average
    smaller_than_characters: float
    grammar_minutes: tuple[float, float]  # Table "Time to minimize"
    characters_minutes: tuple[float, float]
    baseline_files: tuple[float, float]  # Table "Number of files"
    bonsai_files: tuple[float, float]
    validity_gain: float  # Fig. "Fraction of semantically valid programs"
    branch_loss: float | None  # Fig. "Branch coverage"; None if it was statistically insignificant
    baseline_score: tuple[float, float] | None = None  # Table "Mutation scores", with black-box fuzzing
    bonsai_score: tuple[float, float] | None = None
    bonsai_alone: float | None = None
    valid_when_blind: float | None = None  # the heat-maps' share of valid programs at (3,3,3)


CHOCOPY = Printed(
    smaller_than_grammar=0.4222,
    smaller_than_characters=0.4451,
    grammar_minutes=(56.510, 1.887),
    characters_minutes=(20.491, 3.209),
    baseline_files=(185.9, 7.666),
    bonsai_files=(152.9, 1.912),
    validity_gain=0.21,
    branch_loss=0.01175,
    baseline_score=(0.91486, 0.01012),
    bonsai_score=(0.90428, 0.00714),
    bonsai_alone=0.81,
    valid_when_blind=0.09,
)
CLOSURE = Printed(
    smaller_than_grammar=0.1649,
    smaller_than_characters=0.2556,
    grammar_minutes=(356.863, 37.560),
    characters_minutes=(392.777, 48.456),
    baseline_files=(1507.7, 28.351),
    bonsai_files=(1231.2, 36.705),
    validity_gain=0.07,
    branch_loss=None,
)
PAPER = {"chocopy": CHOCOPY, "chocopy-reference": CHOCOPY, "closure": CLOSURE}
EFFORT = "54 nodes for one hour each, the baseline for 54 hours, ten repetitions"
EVEN_BRANCHES = 0.985  # the share of the baseline's branch coverage that counts as about the same
EVEN_SCORE = 0.988  # the same of its mutation score: 90.428 of 91.486
