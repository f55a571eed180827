"""A derivation and a predicate come in; a smaller text goes out: hierarchical delta debugging, with picireny.

picireny's tree is built from the derivation; neither ANTLR nor Java takes part. Its leaves are not texts but tokens
of `render`, one character each: whatever picireny leaves of them is rendered anew, so that spaces and indentation
are right after every step.
"""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any

from bonsai.derivation import Derivation, Node
from bonsai.grammar.model import Choice, Grammar, Option, Reference, Repetition, Sequence, Symbol, Token, flat
from bonsai.reduction.predicate import load_tools, picire_tester
from bonsai.render import Renderer


class Transformations(Enum):
    """What picireny does with the nodes of a level: replace them by their smallest, or also by one inside them."""

    PRUNE = "prune"
    PRUNE_AND_HOIST = "prune and hoist"


def reduce_tree(derivation: Derivation, predicate: Callable[[str], bool], transformations: Transformations) -> str:
    """The text of what remains of the derivation's tree; its own text if that does not meet the predicate."""
    picire, picireny = load_tools()
    smallest = _smallest(derivation.grammar)
    tree = _Builder(picireny, smallest).root(derivation.tree)
    steps = [picireny.hdd.prune]
    if transformations is Transformations.PRUNE_AND_HOIST:
        steps.append(_load_hoist())
    reduced = picireny.reduce(
        tree,
        hddmin=picireny.hddmin,
        reduce_class=picire.DD,
        reduce_config={},
        tester_class=picire_tester(predicate, smallest.text),
        tester_config={},
        cache_class=picire.ContentCache,
        unparse_with_whitespace=False,
        hdd_phase_configs=({"transformations": tuple(steps)},),
    )
    return smallest.text(reduced.unparse(with_whitespace=False))


def _load_hoist() -> Callable[..., Any]:
    from picireny.hoist import hoist

    found: Callable[..., Any] = hoist
    return found


class Smallest:
    """The smallest run of tokens that each symbol of a grammar derives, by the characters of its text."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._renderer = Renderer(grammar)
        self._of_rule: dict[str, str] = {}
        changed = True
        while changed:
            changed = False
            for rule in grammar.rules.values():
                found = self._least(rule.alternatives)
                known = self._of_rule.get(rule.name)
                if found is not None and (known is None or self._key(found) < self._key(known)):
                    self._of_rule[rule.name] = found
                    changed = True

    def text(self, run: str) -> str:
        """The text of a run of tokens."""
        return self._renderer.render([run])

    def code(self, terminal: str, index: int) -> str:
        """The token for one value of a terminal."""
        return self._renderer.code(terminal, index)

    def of(self, symbol: Symbol) -> str | None:
        """The smallest run of a symbol; None while none is known."""
        match symbol:
            case Token(terminal):
                values = self._grammar.terminals[terminal].values
                return min((self.code(terminal, index) for index in range(len(values) or 1)), key=self._key)
            case Reference(rule):
                return self._of_rule.get(rule)
            case Sequence(symbols):
                return self._joined(symbols)
            case Choice(alternatives):
                return self._least(alternatives)
            case Option():
                return ""
            case Repetition(item, least, separator=separator):
                between = () if separator is None else flat(separator)
                return self._joined((item, *(*between, item) * (least - 1)) if least else ())

    def _joined(self, symbols: tuple[Symbol, ...]) -> str | None:
        runs = [self.of(symbol) for symbol in symbols]
        return None if None in runs else "".join(run for run in runs if run)

    def _least(self, alternatives: tuple[Symbol, ...]) -> str | None:
        runs = (self.of(alternative) for alternative in alternatives)
        return min((run for run in runs if run is not None), key=self._key, default=None)

    def _key(self, run: str) -> tuple[int, int, str]:
        return sum(len(self._renderer.text_of(code)) for code in run), len(run), run


_smallest = lru_cache(maxsize=16)(Smallest)


class _Builder:
    """Builds picireny's nodes. A node without a name is one that picireny does not hoist to."""

    def __init__(self, picireny: Any, smallest: Smallest) -> None:
        self._rule = picireny.HDDRule
        self._token = picireny.HDDToken
        self._smallest = smallest

    def root(self, node: Node) -> Any:
        """The tree of a derivation, without nodes that have no text."""
        root = self._rule("", replace=self._smallest.of(node.symbol))
        root.add_child(self._built(node))
        return root

    def _built(self, node: Node) -> Any:
        replacement = self._smallest.of(node.symbol)
        match node.symbol:
            case Token(terminal):
                return self._token(terminal, self._smallest.code(terminal, node.choice or 0), replace=replacement)
            case Reference(rule):
                return self._parent(rule, replacement, [self._built(child) for child in node.children])
            case Repetition(separator=separator):
                return self._parent("", replacement, self._items(node, separator))
            case _:
                return self._parent("", replacement, [self._built(child) for child in node.children])

    def _items(self, node: Node, separator: Symbol | None) -> list[Any]:
        """Each item can be taken out; behind a separator, together with it, as in `item ("," item)*`."""
        if separator is None:
            return [self._parent("", "", [self._built(item)]) for item in node.children]
        first, *rest = [self._built(child) for child in node.children] or [None]
        pairs = [self._parent("", "", [rest[place], rest[place + 1]]) for place in range(0, len(rest), 2)]
        return [first, *pairs] if first is not None else []

    def _parent(self, name: str, replacement: str | None, children: list[Any]) -> Any:
        made = self._rule(name, replace=replacement)
        made.add_children(children)
        return made
