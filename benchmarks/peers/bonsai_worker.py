"""Bonsai's side of benchmarks/sampling.py: fresh samples, or mutated and replayed ones; choices are recorded."""

import sys
from pathlib import Path

from serving import Limits, Programs, parse_limits, serve

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.derivation import Derivation
from bonsai.grammar.lark_reader import read_lark
from bonsai.grammar.pools import Lexicon
from bonsai.mutators import Surroundings, mutate, zest
from bonsai.sampler import Sampler

GRAMMAR = Path(__file__).with_name("statements.lark")
LEXICON = Lexicon(identifiers={"ID": ("a", "b", "c")}, pools={"INTEGER": tuple("0123456789")})
PARENTS = 2048


def fresh(limits: Limits) -> Programs:
    """Random programs; each comes with its choices, as a fuzzer needs them."""
    sampler, draws = _sampler(limits), Draws(limits.seed)

    def programs(count: int) -> list[str]:
        sampled = [sampler.sample(draws) for _ in range(count)]
        return [text for text, _ in sampled]

    return programs


def mutated(limits: Limits) -> Programs:
    """Children of random programs by the paper's mutator, replayed and recorded."""
    sampler, draws = _sampler(limits), Draws(limits.seed)
    sampled = (sampler.sample(draws) for _ in range(PARENTS))
    parents = [Derivation(sampler.grammar, tuple(choices), text) for text, choices in sampled]
    around = Surroundings(sampler)

    def programs(count: int) -> list[str]:
        children = (mutate(zest, parent, around, draws) for parent in draws.choices(parents, k=count))
        return [child[0] for child in children if child]

    return programs


def _sampler(limits: Limits) -> Sampler:
    return Sampler(read_lark(GRAMMAR, "start", LEXICON), Bounds(3, 3, limits.depth))


MODES = {"fresh": fresh, "mutated": mutated}

if __name__ == "__main__":
    mode = MODES[sys.argv.pop(1)]
    serve(mode(parse_limits()))
