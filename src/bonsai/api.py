"""The job in a few calls, for use from Python: what `bonsai.<name>` offers beyond single layers."""

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.derivation import Derivation
from bonsai.sampler import Sampler
from bonsai.subject import Subject


def sample(subject: Subject, number: int = 1, bounds: Bounds | None = None, seed: int = 0) -> list[Derivation]:
    """Random programs of a subject within bounds (Algorithm 1); the same seed gives the same programs."""
    sampler = Sampler(subject.grammar, bounds or subject.bounds)
    draws = Draws(seed)
    programs = []
    for _ in range(number):
        text, choices = sampler.sample(draws)
        programs.append(Derivation(subject.grammar, tuple(choices), text))
    return programs
