"""A grammar and bounds come in; random derivations within the bounds go out (Algorithm 1), as text and choices.

`BoundedSample` of the paper is one loop over a stack of things still to be expanded. It draws where the choice
sequence has nothing to say, and replays where it has; so sampling, replaying and mutating are the same walk.
"""

from itertools import islice

from bonsai.bounds import Bounds
from bonsai.choices import Draws, Edited
from bonsai.grammar.analysis import Counts
from bonsai.grammar.model import Grammar, Symbol
from bonsai.states import BoundedGrammar, Item

# Under deep bounds a random program can be astronomically large. One that has taken this many fresh draws is
# wound down: from there on it takes the shortest way out. It stays within its bounds, and replays like any other.
MOST_DRAWS = 100_000


class Sampler:
    """Bounded grammar sampling: 𝒢 under (m, n, d)."""

    def __init__(self, grammar: Grammar, bounds: Bounds) -> None:
        self.grammar = grammar
        self.bounds = bounds
        self.bounded = BoundedGrammar(grammar, bounds)

    def sample(self, draws: Draws) -> tuple[str, list[int]]:
        """A random program within the bounds, and its choices."""
        return self._walk(self.bounded.start, (), draws)

    def replay(self, choices: Edited, draws: Draws) -> tuple[str, list[int]]:
        """The program of a choice sequence; choices that are not allowed are mapped, missing ones drawn."""
        return self._walk(self.bounded.start, choices, draws)

    def continue_from(self, symbol: Symbol, counts: Counts, choices: Edited, draws: Draws) -> list[int]:
        """The choices of one symbol's derivation at a place with these counts: replayed, then drawn."""
        stack = tuple(reversed(list(self.bounded.items(symbol, counts))))
        return self._walk(stack, choices, draws)[1]

    def _walk(self, start: tuple[Item, ...], choices: Edited, draws: Draws) -> tuple[str, list[int]]:
        """Expand what is on the stack, leftmost first. The two loops differ in where a choice comes from."""
        stack: list[Item] = ["", *start]  # a run at the bottom: only after a run can the stack be empty
        taken: list[int] = []
        texts: list[str] = []
        pop, push, take, write = stack.pop, stack.extend, taken.append, texts.append
        glue, extend = self.bounded.renderer.start, self.bounded.renderer.extend
        for given in choices:
            item = pop()
            while item.__class__ is str:
                text, glue = glue.get(item) or extend(glue, item)
                write(text)
                if not stack:
                    return "".join(texts), taken
                item = pop()
            if given < 0:
                choice, run, items = item.redraw(given, draws)  # type: ignore[union-attr]  # a state
            else:
                choice, run, items = item.options.get(given) or item.expansion(given)  # type: ignore[union-attr]
            take(choice)
            if run:
                text, glue = glue.get(run) or extend(glue, run)
                write(text)
            if items:
                push(items)
        for byte in islice(draws.bytes, MOST_DRAWS):
            item = pop()
            while item.__class__ is str:
                text, glue = glue.get(item) or extend(glue, item)
                write(text)
                if not stack:
                    return "".join(texts), taken
                item = pop()
            choice, run, items = item.table[byte] or item.draw(draws)  # type: ignore[union-attr]
            take(choice)
            if run:
                text, glue = glue.get(run) or extend(glue, run)
                write(text)
            if items:
                push(items)
        while stack:
            item = pop()
            if isinstance(item, str):
                run, items = item, ()
            else:
                choice, run, items = item.shortest()
                take(choice)
            text, glue = glue.get(run) or extend(glue, run)
            write(text)
            push(items)
        return "".join(texts), taken
