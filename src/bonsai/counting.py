"""A grammar and bounds come in; the number of derivations within the bounds goes out, exactly.

The number is a sum over options of products over what follows, along the states that the sampler walks. There are
finitely many states and none leads back to itself, since every way round a cycle raises a count.
"""

from collections.abc import Callable, Iterable
from math import fsum, inf, log10, prod
from typing import TypeVar

from bonsai.bounds import Bounds
from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import Counts
from bonsai.grammar.model import Grammar
from bonsai.states import BoundedGrammar, Expansion, Item, State

# Up to here the exact number is computed; beyond, only its logarithm: the number would not fit in memory.
MOST_DIGITS = 2_000_000
# A grammar with many mutually recursive nonterminals has too many states under deep bounds to visit them all.
MOST_STATES = 100_000
MOST_COUNTS = 10_000_000

Number = TypeVar("Number", int, float)


def count(grammar: Grammar, bounds: Bounds) -> int:
    """The exact number of derivations within the bounds."""
    magnitude = log10_count(grammar, bounds)
    if magnitude > MOST_DIGITS:
        raise BonsaiError(
            f"the number of programs within {bounds} has about {magnitude:.3g} digits",
            f"the exact number is given up to {MOST_DIGITS:,} digits; ask for its logarithm, or smaller bounds",
        )
    return _fold(BoundedGrammar(grammar, bounds), sum, prod)


def log10_count(grammar: Grammar, bounds: Bounds, most_states: int = MOST_STATES) -> float:
    """The decimal logarithm of the number of derivations within the bounds."""
    return _fold(BoundedGrammar(grammar, bounds), _log_sum, fsum, most_states)


def _fold(
    bounded: BoundedGrammar,
    add: Callable[[list[Number]], Number],
    multiply: Callable[[list[Number]], Number],
    most_states: int = MOST_STATES,
) -> Number:
    """Evaluate all states, children first, with an explicit stack: paths can be long."""
    known: dict[tuple[int, Counts], Number] = {}
    # Each case holds all counts, so there may be fewer cases the more counts there are.
    most_states = min(most_states, MOST_COUNTS // (len(bounded.analysis.counted) or 1))

    def product(items: Iterable[Item]) -> Number:
        return multiply([known[_case(item)] for item in items if isinstance(item, State)])

    start = bounded.start
    stack = [item for item in start if isinstance(item, State)]
    while stack:
        state = stack[-1]
        if _case(state) in known:
            stack.pop()
            continue
        options = [_following(expansion) for _, expansion in state.expansions()]
        missing = {_case(one): one for states in options for one in states if _case(one) not in known}
        if missing:
            stack.extend(missing.values())
            if len(known) + len(stack) > most_states:
                raise BonsaiError(
                    f"counting the programs within {bounded.bounds} takes more than {most_states:,} cases",
                    "many nonterminals of this grammar contain each other; ask for a smaller depth",
                )
        else:
            known[_case(state)] = add([product(states) for states in options])
            stack.pop()
    return product(start)


def _case(state: State) -> tuple[int, Counts]:
    """States that differ in the token behind them count as one."""
    return id(state.symbol), state.counts


def _following(expansion: Expansion) -> list[State]:
    _, _, following, rest = expansion
    return [item for item in (following, *rest) if isinstance(item, State)]


def _log_sum(logarithms: list[float]) -> float:
    """The logarithm of a sum of numbers that are given by their logarithms."""
    largest = max(logarithms)
    if largest == inf:
        return inf
    return largest + log10(fsum(10 ** (value - largest) for value in logarithms))
