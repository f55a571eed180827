"""What follows from a grammar: who reaches whom, who is recursive, and what can still be completed.

The central question is feasibility. A derivation may expand no nonterminal more than d times on a path, so
at any point the nonterminals used up on the path are *blocked*. A completion of least height repeats no
nonterminal on a path; so a symbol can be completed exactly if it can be derived without the blocked ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import inf

from bonsai.grammar.model import (
    Choice,
    Grammar,
    Option,
    Reference,
    Repetition,
    Sequence,
    Symbol,
    Token,
    rule_names,
    walk,
)

Blocked = frozenset[str]
# How often each recursive nonterminal has been expanded on the path from the root.
Counts = tuple[int, ...]


@dataclass(frozen=True)
class Analysis:
    """The derived facts of one grammar, computed once each. `items` is the bound n on repetitions."""

    grammar: Grammar
    items: int
    _productive: dict[Blocked, frozenset[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def reachable(self) -> dict[str, frozenset[str]]:
        """For every nonterminal, those that a derivation from it can expand (itself only if recursive)."""
        return {name: _closure(self._mentions, self._mentions[name]) for name in self.grammar.rules}

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The nonterminals that can occur inside themselves: the only ones whose expansions need counting."""
        return frozenset(name for name, inside in self.reachable.items() if name in inside)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The recursive nonterminals in grammar order: what a tuple of `Counts` speaks of."""
        return tuple(name for name in self.grammar.rules if name in self.recursive)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.counted)}

    @property
    def no_counts(self) -> Counts:
        """The counts at the root, before anything is expanded."""
        return (0,) * len(self.counted)

    def entered(self, rule: str, counts: Counts) -> Counts:
        """The counts after one more expansion of a rule."""
        place = self._place.get(rule)
        if place is None:
            return counts
        return (*counts[:place], counts[place] + 1, *counts[place + 1 :])

    def expansions(self, rule: str, counts: Counts) -> int:
        """How often a rule has been expanded on a path; once, by definition, if it is not recursive."""
        place = self._place.get(rule)
        return 1 if place is None else counts[place]

    @cached_property
    def _mentions(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(rule_names(rule)) for name, rule in self.grammar.rules.items()}

    def counted_in(self, symbol: Symbol) -> frozenset[str]:
        """The recursive nonterminals that a derivation from this symbol may expand."""
        mentioned = {part.rule for part in walk(symbol) if isinstance(part, Reference)}
        return _closure(self._mentions, mentioned) & self.recursive

    def productive(self, blocked: Blocked) -> frozenset[str]:
        """The nonterminals that derive some text in the grammar without the blocked ones."""
        if blocked not in self._productive:
            self._productive[blocked] = self._least_fixpoint(blocked)
        return self._productive[blocked]

    def _least_fixpoint(self, blocked: Blocked) -> frozenset[str]:
        productive: set[str] = set()
        open_rules = [rule for name, rule in self.grammar.rules.items() if name not in blocked]
        progress = True
        while progress:
            progress = False
            for rule in open_rules:
                if rule.name not in productive and any(
                    self._derivable(alternative, productive) for alternative in rule.alternatives
                ):
                    productive.add(rule.name)
                    progress = True
        return frozenset(productive)

    @cached_property
    def _least_tokens(self) -> dict[str, float]:
        """The fewest tokens that any text of a nonterminal has, whatever the depth."""
        least = dict.fromkeys(self.grammar.rules, inf)
        progress = True
        while progress:
            progress = False
            for name, rule in self.grammar.rules.items():
                found = min(self._tokens(alternative, least) for alternative in rule.alternatives)
                if found < least[name]:
                    least[name] = found
                    progress = True
        return least

    def least_tokens(self, symbol: Symbol) -> float:
        """The fewest tokens that any text of a symbol has, whatever the depth."""
        return self._tokens(symbol, self._least_tokens)

    def _tokens(self, symbol: Symbol, least: Mapping[str, float]) -> float:
        match symbol:
            case Token():
                return 1
            case Option():
                return 0
            case Reference(rule):
                return least[rule]
            case Sequence(symbols):
                return sum(self._tokens(part, least) for part in symbols)
            case Choice(alternatives):
                return min(self._tokens(part, least) for part in alternatives)
            case Repetition(item, count):
                return count * self._tokens(item, least) if count else 0

    def completable(self, symbol: Symbol, blocked: Blocked) -> bool:
        """Whether the symbol can be derived with no blocked nonterminal and no more than `items` items."""
        return self._derivable(symbol, self.productive(blocked))

    def _derivable(self, symbol: Symbol, productive: Iterable[str]) -> bool:
        match symbol:
            case Token() | Option():
                return True
            case Reference(rule):
                return rule in productive
            case Sequence(symbols):
                return all(self._derivable(part, productive) for part in symbols)
            case Choice(alternatives):
                return any(self._derivable(part, productive) for part in alternatives)
            case Repetition(item, least):
                return least == 0 or (least <= self.items and self._derivable(item, productive))


@lru_cache(maxsize=64)
def structure(grammar: Grammar) -> Analysis:
    """The facts of a grammar that do not depend on the bound on items: recursion and counts."""
    return Analysis(grammar, items=1)


def _closure(edges: dict[str, frozenset[str]], start: Iterable[str]) -> frozenset[str]:
    seen: set[str] = set()
    todo = list(start)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(edges.get(name, ()))
    return frozenset(seen)


def unproductive_rules(grammar: Grammar) -> list[str]:
    """The nonterminals from which no finite text can be derived under any bound, in grammar order."""
    productive = Analysis(grammar, items=largest_minimum(grammar)).productive(frozenset())
    return [name for name in grammar.rules if name not in productive]


def unused_rules(grammar: Grammar) -> list[str]:
    """The nonterminals that no derivation from the start symbol expands."""
    used = Analysis(grammar, items=1).reachable[grammar.start] | {grammar.start}
    return [name for name in grammar.rules if name not in used]


def least_items(grammar: Grammar) -> int:
    """The smallest bound n under which the start symbol derives some text (1 unless `x~a..b` asks for more)."""
    least = 1
    while grammar.start not in Analysis(grammar, least).productive(frozenset()):
        least += 1
    return least


def largest_minimum(grammar: Grammar) -> int:
    """The largest number of items that any repetition insists on, at least 1."""
    minima = (
        part.least
        for rule in grammar.rules.values()
        for alternative in rule.alternatives
        for part in walk(alternative)
        if isinstance(part, Repetition)
    )
    return max(minima, default=1) or 1
