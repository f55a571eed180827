"""What follows from a grammar: who reaches whom, who is recursive, and what can still be completed.

The central question is feasibility. A derivation may expand no nonterminal more than d times on a path, so
at any point the nonterminals used up on the path are *blocked*. A completion of least height repeats no
nonterminal on a path; so a symbol can be completed exactly if it can be derived without the blocked ones.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
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
_MOST_KEPT = 2_000_000  # names in remembered sets of nonterminals


@dataclass(frozen=True)
class Analysis:
    """The derived facts of one grammar, computed once each. `items` is the bound n on repetitions."""

    grammar: Grammar
    items: int
    _known_unproductive: dict[Blocked, frozenset[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def _components(self) -> list[list[str]]:
        return _components(self.mentions)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The nonterminals that can occur inside themselves: the only ones whose expansions need counting."""
        return frozenset(
            name
            for component in self._components
            for name in component
            if len(component) > 1 or name in self.mentions[name]
        )

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
    def mentions(self) -> dict[str, frozenset[str]]:
        """For every nonterminal, those that stand in its alternatives."""
        return {name: frozenset(rule_names(rule)) for name, rule in self.grammar.rules.items()}

    @cached_property
    def _counted_inside(self) -> dict[str, int]:
        """For every nonterminal, the places in `counted` that a derivation from it may expand, as a set of bits."""
        inside: dict[str, int] = {}
        for component in self._components:
            own = 0
            for name in component:
                if name in self.recursive:
                    own |= 1 << self._place[name]
                for mentioned in self.mentions[name]:
                    own |= inside.get(mentioned, 0)
            inside |= dict.fromkeys(component, own)
        return inside

    def counted_in(self, symbol: Symbol) -> bytes:
        """For each place in `counted`, 1 if a derivation from the symbol may expand that nonterminal, else 0."""
        inside = 0
        for part in walk(symbol):
            if isinstance(part, Reference):
                inside |= self._counted_inside[part.rule]
        return bytes(map(int, reversed(f"{inside:0{len(self.counted)}b}"))) if self.counted else b""

    def productive(self, blocked: Blocked) -> frozenset[str]:
        """The nonterminals that derive some text in the grammar without the blocked ones."""
        return frozenset(self.grammar.rules) - self._unproductive(blocked)

    def _unproductive(self, blocked: Blocked) -> frozenset[str]:
        """The nonterminals that derive no text in the grammar without the blocked ones, these included."""
        known = self._known_unproductive.get(blocked)
        if known is None:
            if len(self._known_unproductive) * len(self.grammar.rules) > _MOST_KEPT:
                self._known_unproductive.clear()
            known = self._known_unproductive[blocked] = self._without(blocked)
        return known

    def _without(self, blocked: Blocked) -> frozenset[str]:
        """What blocking costs: only those nonterminals are looked at whose known way to a text is blocked."""
        never, users = self._ways
        affected = _closure(users, blocked) - never
        unproductive = {*affected, *never, *blocked}
        for _ in self._completed(affected - blocked, unproductive):
            pass
        return frozenset(unproductive)

    @cached_property
    def _ways(self) -> tuple[frozenset[str], dict[str, list[str]]]:
        """The nonterminals that never derive a text; and for each other, those that rely on it to derive theirs."""
        unproductive = set(self.grammar.rules)
        users: dict[str, list[str]] = defaultdict(list)
        for name in self._completed(self.grammar.rules, unproductive):
            ways = (a for a in self.grammar.rules[name].alternatives if self._derivable(a, unproductive))
            for needed in min((self._needed(way, unproductive) for way in ways), key=len):
                users[needed].append(name)
        return frozenset(unproductive), users

    def _completed(self, names: Collection[str], unproductive: set[str]) -> Iterator[str]:
        """Takes those of `names` that derive a text away from the unproductive ones, and yields each before.

        Every nonterminal is looked at after those that it mentions, as far as possible, and again only if one of
        these turns out to be productive later.
        """
        todo = deque(sorted(names, key=self._rank.__getitem__))
        waiting = set(todo)
        while todo:
            name = todo.popleft()
            waiting.discard(name)
            if any(self._derivable(a, unproductive) for a in self.grammar.rules[name].alternatives):
                yield name
                unproductive.discard(name)
                again = [user for user in self._users[name] if user in unproductive and user in names]
                todo += [user for user in again if user not in waiting]
                waiting.update(again)

    @cached_property
    def _rank(self) -> dict[str, int]:
        """The nonterminals in an order in which those that a nonterminal mentions come first, except for cycles."""
        names = (name for component in self._components for name in component)
        return {name: rank for rank, name in enumerate(names)}

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        """For every nonterminal, those that mention it."""
        users: dict[str, list[str]] = defaultdict(list)
        for name, mentioned in self.mentions.items():
            for other in mentioned:
                users[other].append(name)
        return users

    def _needed(self, symbol: Symbol, unproductive: Collection[str]) -> set[str]:
        """The nonterminals in the first way to derive a text from a derivable symbol."""
        match symbol:
            case Reference(rule):
                return {rule}
            case Sequence(symbols):
                return set().union(*(self._needed(part, unproductive) for part in symbols))
            case Choice(alternatives):
                return self._needed(next(a for a in alternatives if self._derivable(a, unproductive)), unproductive)
            case Repetition(item, least) if least:
                return self._needed(item, unproductive)
            case _:
                return set()

    @cached_property
    def _least_tokens(self) -> dict[str, float]:
        """The fewest tokens that any text of a nonterminal has, whatever the depth."""
        least = dict.fromkeys(self.grammar.rules, inf)
        todo = deque(self._rank)
        waiting = set(todo)
        while todo:
            name = todo.popleft()
            waiting.discard(name)
            fewest = min(self._tokens(alternative, least) for alternative in self.grammar.rules[name].alternatives)
            if fewest < least[name]:
                least[name] = fewest
                again = [user for user in self._users[name] if user not in waiting]
                todo += again
                waiting.update(again)
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
                return float(sum(self._tokens(part, least) for part in symbols))
            case Choice(alternatives):
                return min(self._tokens(part, least) for part in alternatives)
            case Repetition(item, count):
                return float(count) * self._tokens(item, least) if count else 0

    def completable(self, symbol: Symbol, blocked: Blocked) -> bool:
        """Whether the symbol can be derived with no blocked nonterminal and no more than `items` items."""
        return self._derivable(symbol, self._unproductive(blocked))

    def feasible(self, alternatives: tuple[Symbol, ...], blocked: Blocked) -> list[int]:
        """The indices of the alternatives that can be completed."""
        unproductive = self._unproductive(blocked)
        return [i for i, symbol in enumerate(alternatives) if self._derivable(symbol, unproductive)]

    def _derivable(self, symbol: Symbol, unproductive: Collection[str]) -> bool:
        match symbol:
            case Token() | Option():
                return True
            case Reference(rule):
                return rule not in unproductive
            case Sequence(symbols):
                return all(self._derivable(part, unproductive) for part in symbols)
            case Choice(alternatives):
                return any(self._derivable(part, unproductive) for part in alternatives)
            case Repetition(item, least):
                return least == 0 or (least <= self.items and self._derivable(item, unproductive))


@lru_cache(maxsize=64)
def structure(grammar: Grammar) -> Analysis:
    """The facts of a grammar that do not depend on the bound on items: recursion and counts."""
    return Analysis(grammar, items=1)


def _closure(edges: Mapping[str, Iterable[str]], start: Iterable[str]) -> frozenset[str]:
    seen: set[str] = set()
    todo = list(start)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(edges.get(name, ()))
    return frozenset(seen)


def _components(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other (Tarjan's algorithm), each after all that it leads to.

    The algorithm keeps its own stack, because a path through a grammar can be longer than Python's.
    """
    components: list[list[str]] = []
    lowest: dict[str, int] = {}  # of an open node, the smallest number of an open node that it is known to reach
    open_nodes: list[str] = []
    done: set[str] = set()
    for root in edges:
        path = [] if root in lowest else [(root, iter(edges[root]), len(lowest))]
        while path:
            name, following, number = path[-1]
            if name not in lowest:
                lowest[name] = number
                open_nodes.append(name)
            for other in following:
                if other not in edges or other in done:
                    continue
                if other not in lowest:
                    path.append((other, iter(edges[other]), len(lowest)))
                    break
                lowest[name] = min(lowest[name], lowest[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number:
                    component = [open_nodes.pop()]
                    while component[-1] != name:
                        component.append(open_nodes.pop())
                    components.append(component)
                    done.update(component)
    return components


def unproductive_rules(grammar: Grammar) -> list[str]:
    """The nonterminals from which no finite text can be derived under any bound, in grammar order."""
    productive = Analysis(grammar, items=largest_minimum(grammar)).productive(frozenset())
    return [name for name in grammar.rules if name not in productive]


def unused_rules(grammar: Grammar) -> list[str]:
    """The nonterminals that no derivation from the start symbol expands."""
    used = _closure(structure(grammar).mentions, [grammar.start])
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
