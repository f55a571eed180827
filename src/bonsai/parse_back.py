"""Text comes in; the derivation that it has in the grammar goes out, so that existing files can be seeds.

Identifiers are renamed by first occurrence into their pools; any other value that its pool does not hold extends
the pool, in a grammar made for that purpose. Never used inside the fuzzing loop.
"""

import re
from collections.abc import Iterable

from bonsai.choices import Choices
from bonsai.derivation import Derivation
from bonsai.grammar.model import Grammar, Token
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
        found.append(Derivation(extended, choices, _text(extended, renderer, choices)))
    return found


def _text(grammar: Grammar, renderer: Renderer, choices: Choices) -> str:
    derivation = Derivation(grammar, choices, "")
    return renderer.render(
        [
            renderer.code(node.symbol.terminal, node.choice or 0)
            for node in derivation.tree.walk()
            if isinstance(node.symbol, Token)
        ]
    )


def _rename(grammar: Grammar, steps: Steps) -> Steps:
    """Identifiers by first occurrence into their pools; the same name in two terminals stays the same name.

    `ID` and a quoted `IDSTRING` speak of the same things: their values are compared by the word inside. The values
    of soft terminals, predefined names for instance, keep their names.
    """
    places: dict[str, int] = {}
    kept = {value for name in grammar.soft for value in grammar.terminals[name].values}
    renamed: Steps = []
    for step in steps:
        if isinstance(step, tuple) and _word(step[1]) not in kept and grammar.terminals[step[0]].identifier:
            name, value = step
            place = places.setdefault(_word(value), len(places))
            pool = grammar.terminals[name].values
            step = (name, pool[place]) if place < len(pool) else (name, _fresh(value, pool))
        renamed.append(step)
    return renamed


def _word(value: str) -> str:
    return re.sub(r"\W", "", value) or value


def _fresh(value: str, pool: tuple[str, ...]) -> str:
    """A value for the first name that the pool has no room for: its own, made distinct from the pool's."""
    while value in pool:
        value = re.sub(r"(\w)(\W*)$", r"\1\1\2", value) if re.search(r"\w", value) else value + value
    return value


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
