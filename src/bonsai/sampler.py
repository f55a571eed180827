"""A grammar and bounds come in; random derivations within the bounds go out (Algorithm 1), as text and choices.

`BoundedSample` of the paper is one loop over a stack of things still to be expanded. It draws where the choice
sequence has nothing to say, and replays where it has; so sampling, replaying and mutating are the same walk.
"""

from itertools import islice

from bonsai.bounds import Bounds
from bonsai.choices import Draws, Edited
from bonsai.grammar.analysis import Counts
from bonsai.grammar.model import Grammar, Symbol
from bonsai.render import Glue
from bonsai.states import BoundedGrammar, Item, State

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
        return self._walk(self.bounded.start, (), draws, self.bounded.renderer.start)

    def replay(self, choices: Edited, draws: Draws) -> tuple[str, list[int]]:
        """The program of a choice sequence; choices that are not allowed are mapped, missing ones drawn."""
        return self._walk(self.bounded.start, choices, draws, self.bounded.renderer.start)

    def continue_from(
        self, symbol: Symbol, counts: Counts, choices: Edited, draws: Draws, most: int = MOST_DRAWS
    ) -> tuple[str, list[int]]:
        """One symbol's derivation at a place with these counts, its tokens and choices: replayed, then drawn.

        After `most` fresh draws it is wound down.
        """
        return self._walk(self.bounded.stack(symbol, counts), choices, draws, self.bounded.renderer.verbatim, most)

    def _walk(
        self, start: tuple[Item, ...], choices: Edited, draws: Draws, glue: Glue, most: int = MOST_DRAWS
    ) -> tuple[str, list[int]]:
        """Expand what is on the stack, leftmost first. The two loops differ in where a choice comes from."""
        stack: list[Item] = ["", *start]  # a run at the bottom: only after a run can the stack be empty
        taken: list[int] = []
        texts: list[str] = []
        pop, push, take, write = stack.pop, stack.extend, taken.extend, texts.append
        extend = self.bounded.renderer.extend
        state: State | None = None
        for given in choices:
            if state is None:
                item = pop()
                while item.__class__ is str:
                    try:
                        text, glue = glue[item]
                    except KeyError:
                        text, glue = extend(glue, item)
                    write(text)
                    if not stack:
                        return "".join(texts), taken
                    item = pop()
                state = item  # type: ignore[assignment]  # what is not a run is a state
            if given < 0:
                made, run, state, rest = state.redraw(given, draws)  # type: ignore[union-attr]
            else:
                made, run, state, rest = state.options.get(given) or state.expansion(given)  # type: ignore[union-attr]
            take(made)
            if run:
                try:
                    text, glue = glue[run]
                except KeyError:
                    text, glue = extend(glue, run)
                write(text)
            if rest:
                push(rest)
        for byte in islice(draws.bytes, most):
            if state is None:
                item = pop()
                while item.__class__ is str:
                    try:
                        text, glue = glue[item]
                    except KeyError:
                        text, glue = extend(glue, item)
                    write(text)
                    if not stack:
                        return "".join(texts), taken
                    item = pop()
                state = item  # type: ignore[assignment]
            made, run, state, rest = state.table[byte] or state.draw(state.table, draws)  # type: ignore[union-attr]
            take(made)
            if run:
                try:
                    text, glue = glue[run]
                except KeyError:
                    text, glue = extend(glue, run)
                write(text)
            if rest:
                push(rest)
        if state is not None:
            stack.append(state)
        return self._wind_down(stack, taken, texts, glue)

    def _wind_down(
        self, stack: list[Item], taken: list[int], texts: list[str], glue: Glue
    ) -> tuple[str, list[int]]:
        """Complete a program the shortest way."""
        while stack:
            item = stack.pop()
            run = ""
            if isinstance(item, str):
                run = item
            else:
                made, run, following, rest = item.shortest
                taken.extend(made)
                stack.extend(rest)
                if following is not None:
                    stack.append(following)
            try:
                text, glue = glue[run]
            except KeyError:
                text, glue = self.bounded.renderer.extend(glue, run)
            texts.append(text)
        return "".join(texts), taken
