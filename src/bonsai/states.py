"""A grammar and bounds come in; the states of Algorithm 1 go out, each with what it allows and how likely.

A *state* is a place in the grammar that offers a choice, together with the number of times that each
nonterminal which may still occur has been expanded on the path from the root. What may be chosen there, with
which probability, and what follows, depends on nothing else; so each state is prepared once, at its first visit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from math import gcd, lcm

from bonsai.bounds import Bounds, require_positive
from bonsai.choices import Draws, avoided, to_allowed
from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import Analysis, Counts, least_items
from bonsai.grammar.model import (
    Choice,
    Grammar,
    Option,
    Reference,
    Repetition,
    Sequence,
    Symbol,
    Token,
)
from bonsai.render import Renderer

_MANY_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Weighted:
    """The options of a state: what is allowed, each with a whole-number weight."""

    allowed: tuple[int, ...]
    weights: tuple[int, ...]


class State:
    """One place that offers a choice, under given counts.

    `options[c]` is the expansion of choice c, as far as c has been asked for. `table[b]`, for a random byte b, is
    the expansion that it draws; None where the byte does not decide, because the probabilities do not divide 256.
    Both are filled in at the first visit: a slot that is still empty calls `__getattr__`, once.
    """

    __slots__ = ("bounded", "counts", "options", "symbol", "table", "weighted")

    bounded: "BoundedGrammar"
    symbol: Symbol
    counts: Counts
    weighted: Weighted
    options: "dict[int, Expansion]"
    table: "list[Expansion | None]"

    def __init__(self, bounded: "BoundedGrammar", symbol: Symbol, counts: Counts) -> None:
        self.bounded = bounded
        self.symbol = symbol
        self.counts = counts

    def __getattr__(self, name: str) -> object:
        if name == "weighted":
            self.weighted = self.bounded.options(self)
        elif name == "options":
            self.options = {}
        elif name == "table":
            self.table = self._table()
        else:
            raise AttributeError(name)
        return getattr(self, name)

    def _table(self) -> "list[Expansion | None]":
        size = sum(self.weighted.weights)
        if size > 256:
            return [None] * 256
        pairs = zip(self.weighted.allowed, self.weighted.weights, strict=True)
        once = [self.expansion(choice) for choice, weight in pairs for _ in range(weight)]
        return [*once * (256 // size), *[None] * (256 % size)]

    def expansion(self, choice: int) -> "Expansion":
        """What a choice leads to; one that is not allowed here is mapped to one that is."""
        found = self.options.get(choice)
        if found is None:
            allowed = self.weighted.allowed
            if choice in allowed:
                found = self.bounded.expand(self, choice)
            else:
                found = self.expansion(to_allowed(choice, allowed))
            self.options[choice] = found
        return found

    def draw(self, draws: Draws) -> "Expansion":
        """A fresh draw where the last byte did not decide: by the next that does, if any can."""
        table = self.table
        if table[0] is None:
            return self.expansion(self._spin(self.weighted, draws))
        found = None
        while found is None:
            found = table[next(draws.bytes)]
        return found

    def redraw(self, request: int, draws: Draws) -> "Expansion":
        """A fresh draw in place of a choice, other than the one that the request rules out if there is another."""
        ruled_out = avoided(request)
        if ruled_out is None or self.weighted.allowed == (ruled_out,):
            return self.draw(draws)
        pairs = zip(self.weighted.allowed, self.weighted.weights, strict=True)
        kept = [(choice, weight) for choice, weight in pairs if choice != ruled_out]
        others = Weighted(tuple(choice for choice, _ in kept), tuple(weight for _, weight in kept))
        return self.expansion(self._spin(others, draws))

    @staticmethod
    def _spin(weighted: Weighted, draws: Draws) -> int:
        return draws.choices(weighted.allowed, weighted.weights)[0]

    def shortest(self) -> "Expansion":
        """The allowed choice that needs the fewest tokens, for winding a program down."""
        return self.expansion(self.bounded.shortest(self))


Item = State | str
# A choice, the run of tokens that come at once, and what follows: reversed, ready to be pushed on a stack.
Expansion = tuple[int, str, tuple[Item, ...]]


class BoundedGrammar:
    """A grammar under bounds, 𝒢 with (m, n, d): the source of states."""

    def __init__(self, grammar: Grammar, bounds: Bounds) -> None:
        require_positive(bounds)
        self.grammar = grammar
        self.bounds = bounds
        self.renderer = Renderer(grammar)
        self._root = Reference(grammar.start)
        self.analysis = Analysis(grammar, bounds.items)
        if grammar.start not in self.analysis.productive(frozenset()):
            least = Bounds(1, least_items(grammar), 1)
            raise BonsaiError(
                f"no program of {grammar.source} is within bounds {bounds}",
                f"the smallest bounds that hold one are {least}",
            )
        # By the identity of the symbol: hashing a nested symbol by value costs more than the rest of a look-up.
        self._states: dict[tuple[int, Counts], State] = {}
        self._relevant: dict[int, tuple[Symbol, tuple[bool, ...]]] = {}

    @property
    def start(self) -> tuple[Item, ...]:
        """What a derivation begins with: reversed, ready to be a stack."""
        if len(self._states) > _MANY_STATES:
            self._states.clear()  # states are pure functions of their keys; none is lost for good
        return tuple(reversed(list(self.items(self._root, self.analysis.no_counts))))

    def items(self, symbol: Symbol, counts: Counts) -> Iterator[Item]:
        """The symbol with everything expanded that leaves no choice: runs of tokens and states in between."""
        for is_run, group in groupby(self._parts(symbol, counts), lambda item: isinstance(item, str)):
            if is_run:
                yield "".join(str(item) for item in group)
            else:
                yield from group

    def _parts(self, symbol: Symbol, counts: Counts) -> Iterator[Item]:
        match symbol:
            case Token(terminal):
                if len(self.grammar.terminals[terminal].values) > 1:
                    yield self.state(symbol, self.analysis.no_counts)
                else:
                    yield self.renderer.code(terminal)
            case Sequence(symbols):
                yield from chain.from_iterable(self._parts(part, counts) for part in symbols)
            case Reference(rule):
                counts = self.analysis.entered(rule, counts)
                alternatives = self.grammar.rules[rule].alternatives
                if len(alternatives) > 1:
                    yield self.state(symbol, counts)
                else:
                    yield from self._parts(alternatives[0], counts)
            case _:
                yield self.state(symbol, counts)

    def state(self, symbol: Symbol, counts: Counts) -> State:
        """The state of a symbol that offers a choice; counts that cannot matter any more are forgotten."""
        known = self._relevant.get(id(symbol))
        if known is None:
            inside = self.analysis.counted_in(symbol)
            known = (symbol, tuple(name in inside for name in self.analysis.counted))
            self._relevant[id(symbol)] = known
        counts = tuple([c if matters else 0 for c, matters in zip(counts, known[1], strict=True)])
        key = (id(symbol), counts)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = State(self, symbol, counts)
        return found

    def expand(self, state: State, choice: int) -> Expansion:
        """What a choice leads to."""
        symbol, counts = state.symbol, state.counts
        match symbol:
            case Token(terminal):
                return (choice, self.renderer.code(terminal, choice), ())
            case Reference(rule):
                body = self.grammar.rules[rule].alternatives[choice]
            case Choice(alternatives):
                body = alternatives[choice]
            case Option(item):
                body = item if choice else Sequence(())
            case Repetition(item, separator=None):
                body = Sequence((item,) * choice)
            case Repetition(item, separator=separator):
                assert separator is not None
                body = Sequence((item, *(separator, item) * (choice - 1))) if choice else Sequence(())
            case Sequence():
                raise AssertionError("a sequence offers no choice")
        items = list(self.items(body, counts))
        lead = items.pop(0) if items and isinstance(items[0], str) else ""
        assert isinstance(lead, str)
        return (choice, lead, tuple(reversed(items)))

    def shortest(self, state: State) -> int:
        """The allowed choice of a state with the fewest tokens."""
        match state.symbol:
            case Reference(rule):
                parts = self.grammar.rules[rule].alternatives
            case Choice(alternatives):
                parts = alternatives
            case _:
                return state.weighted.allowed[0]
        return min(state.weighted.allowed, key=lambda choice: self.analysis.least_tokens(parts[choice]))

    def options(self, state: State) -> Weighted:
        """What may be chosen in a state, and how likely (Algorithm 1)."""
        match state.symbol:
            case Token(terminal):
                found = self.grammar.terminals[terminal]
                size = len(found.values)
                return _uniform(range(min(size, self.bounds.idents) if found.identifier else size))
            case Reference(rule):
                return self._alternatives(rule, state.counts)
            case Choice(alternatives):
                return _uniform(self._feasible(alternatives, self._blocked(state.counts)))
            case Option(item):
                return _uniform(range(1 + self.analysis.completable(item, self._blocked(state.counts))))
            case Repetition(item, least, most):
                if not self.analysis.completable(item, self._blocked(state.counts)):
                    return _uniform([0])
                return _uniform(range(least, min(self.bounds.items, most or self.bounds.items) + 1))
            case Sequence():
                raise AssertionError("a sequence offers no choice")

    def _alternatives(self, rule: str, counts: Counts) -> Weighted:
        """Closing alternatives, which can be completed without expanding the rule again, with p = (c+1)/(d+1)."""
        alternatives = self.grammar.rules[rule].alternatives
        blocked = self._blocked(counts)
        feasible = self._feasible(alternatives, blocked)
        if rule not in self.analysis.recursive:
            return _uniform(feasible)
        closing = self._feasible(alternatives, blocked | {rule})
        deepening = [index for index in feasible if index not in closing]
        if not closing or not deepening:
            return _uniform(feasible)
        expansions = self.analysis.expansions(rule, counts)
        depth = self.bounds.depth
        shared = lcm(len(closing), len(deepening))
        to_close = (expansions + 1) * (shared // len(closing))
        to_deepen = (depth - expansions) * (shared // len(deepening))
        common = gcd(to_close, to_deepen)
        weights = [(to_close if index in closing else to_deepen) // common for index in feasible]
        return Weighted(tuple(feasible), tuple(weights))

    def _blocked(self, counts: Counts) -> frozenset[str]:
        depth = self.bounds.depth
        return frozenset(name for name, c in zip(self.analysis.counted, counts, strict=True) if c >= depth)

    def _feasible(self, alternatives: tuple[Symbol, ...], blocked: frozenset[str]) -> list[int]:
        return [i for i, symbol in enumerate(alternatives) if self.analysis.completable(symbol, blocked)]


def _uniform(allowed: "range | list[int]") -> Weighted:
    return Weighted(tuple(allowed), (1,) * len(allowed))
