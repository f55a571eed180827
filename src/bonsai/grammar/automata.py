"""Regular expressions as automata: the shortest matches of a pattern, and where two tokens would merge.

Patterns come in as Python regular expressions. Constructs that a finite automaton has no word for (look-behind,
word boundaries, the verbose flag) are relaxed away first; the automaton then accepts somewhat more, which
is the safe side for merging, and matches are always checked with `re` before they are used.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from interegular import parse_pattern
from interegular.fsm import FSM, State, TransitionKey, anything_else

from bonsai.grammar.model import Pattern

# Characters that read well come first; a match is made of the first few that its place allows.
PREFERRED = (
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ _-+*/=<>.,:;!?#$%&@~^|'\"()[]{}\\`\t\n\r"
)
CHARACTERS_PER_PLACE = 3
FINITE_POOL = 64
INFINITE_POOL = 4
_SEARCH_LIMIT = 20_000
_TRIED = 1_000

_LOOKAROUND = re.compile(r"\(\?(?:<[!=]|[!=])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\\\[])*\)")
_LAZY = re.compile(r"(?<!\\)[*+?}]\?")
_ANCHOR = re.compile(r"(\\\\)|\\[bBAZ]|(\\.|\[(?:\\.|[^\]\\])*\])|[\^$]", re.DOTALL)


def to_regex(pattern: Pattern) -> str:
    """The pattern as a Python regular expression, flags included."""
    body = re.escape(pattern.value) if pattern.literal else pattern.value
    flags = "".join(sorted(pattern.flags))
    return f"(?{flags}:{body})" if flags else body


def matches(pattern: Pattern, text: str) -> bool:
    """Whether the whole text is one match of the pattern, whatever its look-around wants to see outside."""
    if re.fullmatch(to_regex(pattern), text):
        return True
    return bool(_LOOKAROUND.search(pattern.value)) and re.fullmatch(_relaxed(pattern), text) is not None


@lru_cache(maxsize=4096)
def _automaton(pattern: Pattern) -> FSM | None:
    """An automaton that accepts at least what the pattern matches, or None if there is none to be had."""
    for regex in (to_regex(pattern), _relaxed(pattern)):
        try:
            parsed = parse_pattern(regex)
            if parsed.prefix_postfix == (0, 0):  # otherwise it accepts what look-around sees outside the match
                return parsed.to_fsm()
        except Exception:  # interegular raises many kinds for what it does not know; the next try decides
            continue
    return None


def _relaxed(pattern: Pattern) -> str:
    body = pattern.value
    if "x" in pattern.flags:
        body = re.sub(r"(\\.|\[(?:\\.|[^\]\\])*\])|\s+|#[^\n]*", lambda m: m[1] or "", body)
    body = _LOOKAROUND.sub("", body)
    body = _ANCHOR.sub(lambda m: m[1] or m[2] or "", body)
    flags = "".join(sorted(pattern.flags & {"i", "s"}))
    return f"(?{flags}:{body})" if flags else body


def shortest_matches(pattern: Pattern, wanted: Callable[[str], bool] = lambda text: True) -> tuple[str, ...]:
    """Distinct short texts that the pattern matches and that are wanted, shortest first; none if none are found.

    All of them if the pattern is a small finite set, such as a group of operators; otherwise the first few.
    Of letters and digits that are interchangeable for the pattern, only the first few are tried.
    """
    if pattern.literal:
        return (pattern.value,)
    automaton = _automaton(pattern)
    if automaton is None:
        return ()
    exact = re.compile(to_regex(pattern))
    found: Iterator[str] = (text for text in _enumerate(automaton) if text and exact.fullmatch(text))
    if "i" in pattern.flags or "(?i" in pattern.value:
        found = _first_of_each_case(found)
    pool = tuple(islice(filter(wanted, islice(found, _TRIED)), FINITE_POOL + 1))
    return pool if len(pool) <= FINITE_POOL else pool[:INFINITE_POOL]


def _first_of_each_case(texts: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text.casefold() not in seen:
            seen.add(text.casefold())
            yield text


def _enumerate(automaton: FSM) -> Iterator[str]:
    """Accepted texts in order of length, over a few characters per transition."""
    live = _live_states(automaton)
    steps = {state: _steps(automaton, state, live) for state in live}
    layer = [("", automaton.initial)] if automaton.initial in live else []
    visited = 0
    while layer and visited < _SEARCH_LIMIT:
        yield from (text for text, state in layer if state in automaton.finals)
        layer = [(text + char, target) for text, state in layer for char, target in steps[state]]
        visited += len(layer)
        layer = layer[:_SEARCH_LIMIT]


def _steps(automaton: FSM, state: State, live: frozenset[State]) -> list[tuple[str, State]]:
    found: list[tuple[str, State]] = []
    for key, target in automaton.map.get(state, {}).items():
        if target in live:
            found += [(char, target) for char in _representatives(automaton, key)]
    return sorted(found, key=lambda step: _preference(step[0]))


def _representatives(automaton: FSM, key: TransitionKey) -> list[str]:
    """All punctuation marks that a place lists, as `[<>=!]` does, and the first few of other characters."""
    symbols = automaton.alphabet.by_transition[key]
    listed = sorted((symbol for symbol in symbols if symbol is not anything_else), key=_preference)
    if len(listed) < len(symbols):
        others = [char for char in PREFERRED if char not in automaton.alphabet]
        return sorted([*listed, *others], key=_preference)[:CHARACTERS_PER_PLACE]
    few = [char for char in listed if char.isalnum()][:CHARACTERS_PER_PLACE]
    return few + [char for char in listed if not char.isalnum()]


def _preference(char: str) -> tuple[int, str]:
    place = PREFERRED.find(char)
    return (place if place >= 0 else len(PREFERRED), char)


def _live_states(automaton: FSM) -> frozenset[State]:
    """The states from which acceptance can still be reached."""
    live = set(automaton.finals)
    progress = True
    while progress:
        before = len(live)
        live |= {
            state for state, steps in automaton.map.items() if any(target in live for target in steps.values())
        }
        progress = len(live) > before
    return frozenset(live)


class Prefixes:
    """Whether a text begins some match of a pattern: a lexer that has read it may still want more."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        # A lazy pattern (as in Lark's own ESCAPED_STRING) stops at the first chance, whatever could follow.
        self._lazy = None if pattern.literal or not _LAZY.search(pattern.value) else re.compile(to_regex(pattern))
        self._automaton = None if pattern.literal else _automaton(pattern)
        self._live = _live_states(self._automaton) if self._automaton is not None else frozenset()

    def __contains__(self, text: str) -> bool:
        if self._pattern.literal:
            if "i" in self._pattern.flags:
                return self._pattern.value.casefold().startswith(text.casefold())
            return self._pattern.value.startswith(text)
        if self._automaton is None:
            return matches(self._pattern, text)
        state = self._automaton.initial
        for char in text:
            symbol = char if char in self._automaton.alphabet else anything_else
            key = self._automaton.alphabet[symbol]
            following = self._automaton.map.get(state, {}).get(key)
            if following is None:
                return False
            state = following
        return state in self._live

    def goes_on(self, text: str, following: str) -> bool:
        """Whether a lexer that has read the text as a token may read on into what follows."""
        if self._lazy is not None:
            match = self._lazy.match(text + following)
            if match is not None and match.end() == len(text):
                return False
        return text + following in self
