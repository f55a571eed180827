"""A grammar and bounds come in; the states of Algorithm 1 go out, each with what it allows and how likely.

A *state* is a place in the grammar that offers a choice, together with the number of times that each
nonterminal which may still occur has been expanded on the path from the root. What may be chosen there, with
which probability, and what follows, depends on nothing else; so each state is prepared once, at its first visit.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sized
from dataclasses import dataclass
from itertools import accumulate, groupby
from math import gcd, lcm
from operator import mul

from bonsai.bounds import Bounds, require_positive
from bonsai.choices import Choices, Draws, avoided, to_allowed
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
    expansion,
    offers_choice,
)
from bonsai.render import Renderer

_MANY_STATES = 20_000
_FEW_STATES = 1_000
_MANY_COUNTS = 5_000_000
_MOST_TOKENS = 1_000_000  # of a smallest program
# Under bounds deeper than this, or with more recursive rules than this, most states are visited a few times only,
# and a table for each would cost more than it saves.
_DEEP = 12
_WIDE = 12


@dataclass(frozen=True, slots=True)
class Weighted:
    """The options of a state: what is allowed, in ascending order, each with a whole-number weight."""

    allowed: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.weights)

    def __contains__(self, choice: int) -> bool:
        place = bisect_left(self.allowed, choice)
        return place < len(self.allowed) and self.allowed[place] == choice


class State:
    """One place that offers a choice, under given counts; `tail` is a token that comes right after what it derives.

    `options[c]` is the expansion of choice c, as far as c has been asked for. `single[b]`, for a random byte b, is
    the expansion that it draws, and `table[b]` one in which following choices are made as well; None where the byte
    does not decide, because the probabilities do not divide 256. All are filled in when first needed: a slot that
    is still empty calls `__getattr__`, once.
    """

    __slots__ = (
        "bounded",
        "counts",
        "cumulative",
        "options",
        "shortest",
        "single",
        "symbol",
        "table",
        "tail",
        "weighted",
    )

    bounded: "BoundedGrammar"
    symbol: Symbol
    counts: Counts
    tail: str
    weighted: Weighted
    cumulative: list[int]  # the sums of the first weights, for drawing where no table decides
    options: "dict[int, Expansion]"
    single: "list[Expansion | None]"
    table: "list[Expansion | None]"
    shortest: "Expansion"  # the allowed choice that needs the fewest tokens, for winding a program down

    def __init__(self, bounded: "BoundedGrammar", symbol: Symbol, counts: Counts, tail: str) -> None:
        self.bounded = bounded
        self.symbol = symbol
        self.counts = counts
        self.tail = tail

    def __getattr__(self, name: str) -> object:
        match name:
            case "weighted":
                self.weighted = self.bounded.options(self)
            case "options":
                self.options = {}
            case "single":
                self.single = _byte_table(self.expansions()) if self._fits_table() else _NO_TABLE
            case "table":
                self.table = _byte_table(fused(self)) if self._fits_table() else _NO_TABLE
            case "cumulative":
                self.cumulative = list(accumulate(self.weighted.weights))
            case "shortest":
                self.shortest = self.expansion(self.bounded.shortest(self))
            case _:
                raise AttributeError(name)
        return getattr(self, name)

    def _fits_table(self) -> bool:
        return not self.bounded.is_vast and self.weighted.total <= _BYTES

    def expansions(self) -> "list[tuple[int, Expansion]]":
        """What each allowed choice leads to, with its weight."""
        pairs = zip(self.weighted.weights, self.weighted.allowed, strict=True)
        return [(weight, self.expansion(choice)) for weight, choice in pairs]

    def expansion(self, choice: int) -> "Expansion":
        """What a choice leads to; one that is not allowed here is mapped to one that is."""
        found = self.options.get(choice)
        if found is None:
            if choice in self.weighted:
                found = self.bounded.expand(self, choice)
            else:
                found = self.expansion(to_allowed(choice, self.weighted.allowed))
            self.options[choice] = found
        return found

    def draw(self, table: "list[Expansion | None]", draws: Draws) -> "Expansion":
        """A fresh draw where the last byte did not decide: by the next that does, if any can."""
        if table[0] is None:
            return self.expansion(draws.choices(self.weighted.allowed, cum_weights=self.cumulative)[0])
        found = None
        while found is None:
            found = table[next(draws.bytes)]
        return found

    def redraw(self, request: int, draws: Draws) -> "Expansion":
        """A fresh draw in place of one choice, other than what the request rules out if there is another."""
        found = self.single[next(draws.bytes)] or self.draw(self.single, draws)
        ruled_out = avoided(request)
        if ruled_out is not None and self.weighted.allowed != (ruled_out,):
            while found[0] == (ruled_out,):
                found = self.single[next(draws.bytes)] or self.draw(self.single, draws)
        return found


Item = State | str
# The choices made, the run of tokens that come at once, the state that is next if any, and what follows it:
# reversed, ready to be pushed on a stack.
Expansion = tuple[Choices, str, State | None, tuple[Item, ...]]
_BYTES = 256
_NO_TABLE: list[Expansion | None] = [None] * _BYTES
_MOST_FUSED = 256
_MOST_UNDECIDED = _BYTES // 8  # a byte that does not decide costs more than a choice that is not fused
_LONGEST_FUSED = 8


def _byte_table(weighted: list[tuple[int, Expansion]]) -> list[Expansion | None]:
    size = sum(weight for weight, _ in weighted)
    once = [expansion for weight, expansion in weighted for _ in range(weight)]
    return [*once * (_BYTES // size), *[None] * (_BYTES % size)]


def fused(state: State) -> list[tuple[int, Expansion]]:
    """The expansions of a state, with the choices after it made as well, as long as one byte can decide them all.

    Every weight stays a whole number, so the probabilities are exactly those of one choice after the other.
    """
    entries = fitting = state.expansions()
    size = sum(weight for weight, _ in entries)
    while True:
        if _BYTES % size <= _MOST_UNDECIDED:
            fitting = entries
        cheapest = None  # the one that multiplies the table least, then the likeliest
        for place, (weight, (choices, _, following, _)) in enumerate(entries):
            if following is None or len(choices) >= _LONGEST_FUSED:
                continue
            total = following.weighted.total
            factor = total // gcd(weight, total)
            if size * factor <= _MOST_FUSED and (cheapest is None or (factor, -weight) < cheapest[:2]):
                cheapest = (factor, -weight, place, total)
        if cheapest is None:
            return fitting
        factor, _, place, total = cheapest
        size *= factor
        entries = [(weight * factor, expansion) for weight, expansion in entries]
        weight, first = entries.pop(place)
        assert first[2] is not None
        entries += [(weight * w // total, _joined(first, then)) for w, then in first[2].expansions()]


def _joined(first: Expansion, then: Expansion) -> Expansion:
    """Two expansions as one, the second that of the state that the first leads to."""
    choices, run, following, rest = first[0] + then[0], first[1] + then[1], then[2], first[3] + then[3]
    if following is None:
        below = list(rest)
        while below and following is None:
            item = below.pop()
            if isinstance(item, str):
                run += item
            else:
                following = item
        rest = tuple(below)
    return choices, run, following, rest


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
        fewest = self.analysis.least_tokens(self._root)
        if fewest > _MOST_TOKENS:
            raise BonsaiError(
                f"the smallest program of {grammar.source} has {fewest:.3g} tokens",
                "give its rules alternatives that are shorter",
            )
        # By the identity of the symbol: hashing a nested symbol by value costs more than the rest of a look-up.
        self._states: dict[tuple[int, Counts, str], State] = {}
        self._stacks: dict[tuple[int, Counts], tuple[Item, ...]] = {}
        self._allowed: dict[tuple[int, Counts], tuple[int, ...]] = {}
        self._relevant: dict[int, bytes] = {}
        self._symbols: dict[int, Symbol] = {}  # an identity is only good while its owner lives
        # Each key holds all counts, so there may be fewer keys the more counts there are.
        self._most_kept = min(_MANY_STATES, max(_FEW_STATES, _MANY_COUNTS // (len(self.analysis.counted) or 1)))
        self.is_vast = bounds.depth > _DEEP or len(self.analysis.counted) > _WIDE

    @property
    def start(self) -> tuple[Item, ...]:
        """What a derivation begins with: reversed, ready to be a stack."""
        return self.stack(self._root, self.analysis.no_counts)

    def stack(self, symbol: Symbol, counts: Counts) -> tuple[Item, ...]:
        """What a derivation from a symbol begins with: reversed, ready to be a stack."""
        key = (id(symbol), counts)
        found = self._stacks.get(key)
        if found is None:
            found = tuple(reversed(self._items(symbol, counts)))
            self._forget_if_full(self._stacks)
            self._stacks[key] = found
            self._symbols[id(symbol)] = symbol
        return found

    def allowed(self, symbol: Symbol, counts: Counts) -> tuple[int, ...]:
        """What may be chosen at a symbol that offers a choice."""
        key = (id(symbol), counts)
        found = self._allowed.get(key)
        if found is None:
            found = self.state(symbol, counts).weighted.allowed
            self._forget_if_full(self._allowed)
            self._allowed[key] = found
            self._symbols[id(symbol)] = symbol
        return found

    @property
    def kept(self) -> int:
        """How much is remembered to be quick, in entries."""
        caches: list[Sized] = [self._states, self._stacks, self._allowed, self._relevant, self._symbols]
        return sum(map(len, caches))

    def _forget_if_full(self, kept: Sized) -> None:
        """Forgets everything if there is no room for more: all of it is a function of its keys, so nothing is lost.

        States that a derivation is using stay alive until it no longer needs them.
        """
        if len(kept) >= self._most_kept:
            self._states.clear()
            self._stacks.clear()
            self._allowed.clear()
            self._relevant.clear()
            self._symbols.clear()

    def _items(self, symbol: Symbol, counts: Counts, tail: str = "") -> list[Item]:
        """The symbol with everything expanded that leaves no choice: states, and runs of tokens in between.

        A single token belongs to the state before it, which saves the walk a turn.
        """
        found: list[Item] = []
        for is_run, group in groupby([*self._parts(symbol, counts), tail], lambda item: isinstance(item, str)):
            if not is_run:
                found.extend(group)
                continue
            run = "".join(str(item) for item in group)
            before = found[-1] if found else ""
            if isinstance(before, State) and len(run) == 1:
                found[-1] = self.state(before.symbol, before.counts, run)
            elif run:
                found.append(run)
        return found

    def _parts(self, symbol: Symbol, counts: Counts) -> Iterator[Item]:
        todo = [(symbol, counts)]
        while todo:
            symbol, counts = todo.pop()
            match symbol:
                case Token(terminal):
                    if offers_choice(self.grammar, symbol):
                        yield self.state(symbol, self.analysis.no_counts)
                    else:
                        yield self.renderer.code(terminal)
                case Sequence(symbols):
                    todo += [(part, counts) for part in reversed(symbols)]
                case Reference(rule):
                    counts = self.analysis.entered(rule, counts)
                    if offers_choice(self.grammar, symbol):
                        yield self.state(symbol, counts)
                    else:
                        todo.append((self.grammar.rules[rule].alternatives[0], counts))
                case _:
                    yield self.state(symbol, counts)

    def state(self, symbol: Symbol, counts: Counts, tail: str = "") -> State:
        """The state of a symbol that offers a choice; counts that cannot matter any more are forgotten."""
        relevant = self._relevant.get(id(symbol))
        if relevant is None:
            relevant = self._relevant[id(symbol)] = self.analysis.counted_in(symbol)
            self._symbols[id(symbol)] = symbol
        counts = tuple(map(mul, counts, relevant))
        key = (id(symbol), counts, tail)
        found = self._states.get(key)
        if found is None:
            self._forget_if_full(self._states)
            found = self._states[key] = State(self, symbol, counts, tail)
        return found

    def expand(self, state: State, choice: int) -> Expansion:
        """What a choice leads to."""
        if isinstance(state.symbol, Token):
            return (choice,), self.renderer.code(state.symbol.terminal, choice) + state.tail, None, ()
        body = Sequence(expansion(self.grammar, state.symbol, choice))
        items = self._items(body, state.counts, state.tail)
        lead = items.pop(0) if items and isinstance(items[0], str) else ""
        following = items.pop(0) if items else None
        assert isinstance(lead, str)
        assert not isinstance(following, str)
        return (choice,), lead, following, tuple(reversed(items))

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
                return _uniform(self.analysis.feasible(alternatives, self._blocked(state.counts)))
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
        feasible = self.analysis.feasible(alternatives, blocked)
        if rule not in self.analysis.recursive:
            return _uniform(feasible)
        closing = set(self.analysis.feasible(alternatives, blocked | {rule}))
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


def _uniform(allowed: "range | list[int]") -> Weighted:
    return Weighted(tuple(allowed), (1,) * len(allowed))
