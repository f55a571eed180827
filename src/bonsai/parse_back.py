"""Text comes in; the derivation that it has in the grammar goes out, so that existing files can be seeds.

Identifiers are renamed by first occurrence into their pools; any other value that its pool does not hold extends
the pool, in a grammar made for that purpose. Never used inside the fuzzing loop.
"""

import re
from collections.abc import Iterable

from bonsai.derivation import Derivation, find_places
from bonsai.grammar.model import Grammar
from bonsai.parsing import Steps, parser_for
from bonsai.render import Renderer


def parse(grammar: Grammar, text: str) -> Derivation:
    """A derivation of the text, identifiers renamed into their pools; its grammar may have larger pools."""
    return parse_all(grammar, [text])[0]


def parse_all(grammar: Grammar, texts: Iterable[str]) -> list[Derivation]:
    """Derivations of several texts, all in one grammar, whose pools hold the values of all of them."""
    parser = parser_for(grammar)
    return derivations(grammar, [parser.parse(text) for text in texts])


def derivations(grammar: Grammar, parsed: list[Steps]) -> list[Derivation]:
    """The derivations of parsed texts in one grammar that knows all their values."""
    renamed = [_rename(grammar, steps) for steps in parsed]
    extended = _extended(grammar, renamed)
    index = {
        name: {value: place for place, value in enumerate(terminal.values)}
        for name, terminal in extended.terminals.items()
    }
    found = []
    renderer = Renderer(extended)
    for steps in renamed:
        choices = tuple(
            step if isinstance(step, int) else index[step[0]][step[1]]
            for step in steps
            if isinstance(step, int) or len(index[step[0]]) > 1
        )
        found.append(Derivation(extended, choices, renderer.render(find_places(extended, choices).tokens)))
    return found


def _rename(grammar: Grammar, steps: Steps) -> Steps:
    """Identifiers by first occurrence into their pools; the values of soft terminals keep their names."""
    names = _Names(grammar)
    kept = {value for name in grammar.soft for value in grammar.terminals[name].values}
    return [
        (step[0], names.new_name(*step))
        if isinstance(step, tuple) and grammar.terminals[step[0]].identifier and _word(step[1]) not in kept
        else step
        for step in steps
    ]


class _Names:
    """New names for the identifiers of one text. Different values of a terminal get different names.

    The same word in two terminals, `A` and a quoted `"A"`, stays the same word, at the same place of both pools.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._new: dict[tuple[str, str], str] = {}
        self._words: dict[str, int] = {}
        self._next = 0

    def new_name(self, terminal: str, value: str) -> str:
        if (terminal, value) not in self._new:
            place = self._place(terminal, value)
            pool = self._grammar.terminals[terminal].values
            self._new[terminal, value] = pool[place] if place < len(pool) else self._outside(terminal, value)
        return self._new[terminal, value]

    def _place(self, terminal: str, value: str) -> int:
        word = _word(value)
        pool = self._grammar.terminals[terminal].values
        shared = self._words.get(word)
        if shared is not None and (shared >= len(pool) or pool[shared] not in self._taken(terminal)):
            return shared
        place = self._next
        self._next += 1
        self._words.setdefault(word, place)
        return place

    def _taken(self, terminal: str) -> set[str]:
        return {new for (name, _), new in self._new.items() if name == terminal}

    def _outside(self, terminal: str, value: str) -> str:
        """A name for what the pool has no room for: its own, with letters repeated until nobody else has it."""
        taken = {*self._grammar.terminals[terminal].values, *self._taken(terminal)}
        while value in taken:
            value = re.sub(r"(\w)(\W*)$", r"\1\1\2", value) if re.search(r"\w", value) else value + value
        return value


def _word(value: str) -> str:
    return re.sub(r"\W", "", value) or value


def _extended(grammar: Grammar, texts: list[Steps]) -> Grammar:
    pools: dict[str, tuple[str, ...]] = {}
    for steps in texts:
        for step in steps:
            if isinstance(step, tuple):
                name, value = step
                pool = pools.get(name) or grammar.terminals[name].values
                if value not in pool:
                    pools[name] = (*pool, value)
    return grammar.with_pools(pools) if pools else grammar
