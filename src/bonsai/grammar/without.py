"""A grammar and names come in; the part of the grammar that needs none of them goes out.

A name is that of a rule or terminal, or the text of a keyword or punctuation mark. An alternative that needs one of
them is left out, an optional part is always absent, and what cannot be reached any more is gone.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from bonsai.grammar.model import (
    EMPTY,
    Choice,
    Grammar,
    Option,
    Reference,
    Repetition,
    Rule,
    Sequence,
    Symbol,
    Token,
    rule_names,
)


def unknown_names(grammar: Grammar, names: Collection[str]) -> list[str]:
    """Those that mean nothing in the grammar."""
    return [name for name in names if name not in grammar.rules and not any(_tokens(grammar, name))]


def without(grammar: Grammar, names: Collection[str]) -> Grammar | None:
    """The grammar without what has these names; None if nothing is left of its start."""
    gone = {token for name in names for token in _tokens(grammar, name)} | {*names}
    rules = dict(grammar.rules)
    while True:
        left = {name: _pruned_rule(rule, gone) for name, rule in rules.items() if name not in gone}
        dead = {name for name, rule in left.items() if not rule.alternatives}
        if not dead:
            break
        gone |= dead
    if grammar.start not in left:
        return None
    return replace(grammar, rules={name: left[name] for name in left if name in _reached(left, grammar.start)})


def _tokens(grammar: Grammar, name: str) -> Iterator[str]:
    for terminal in grammar.terminals.values():
        text = terminal.pattern.value if terminal.pattern and terminal.is_literal else None
        if name in (terminal.name, text):
            yield terminal.name


def _reached(rules: dict[str, Rule], start: str) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        new = {*rule_names(rules[waiting.pop()])} - reached
        reached |= new
        waiting += new
    return reached


def _pruned_rule(rule: Rule, gone: Collection[str]) -> Rule:
    pruned = (_pruned(symbol, gone) for symbol in rule.alternatives)
    return Rule(rule.name, tuple(symbol for symbol in pruned if symbol is not None))


def _pruned(symbol: Symbol, gone: Collection[str]) -> Symbol | None:
    """What is left of a symbol; None if it can derive nothing any more."""
    match symbol:
        case Token(name) | Reference(name):
            return None if name in gone else symbol
        case Sequence(symbols):
            parts = [_pruned(part, gone) for part in symbols]
            left = tuple(part for part in parts if part is not None and part != EMPTY)
            return None if None in parts else left[0] if len(left) == 1 else Sequence(left)
        case Choice(alternatives):
            options = tuple(one for one in (_pruned(part, gone) for part in alternatives) if one is not None)
            return Choice(options) if len(options) > 1 else options[0] if options else None
        case Option(item):
            kept = _pruned(item, gone)
            return EMPTY if kept is None or kept == EMPTY else Option(kept)
        case Repetition():
            return _pruned_repetition(symbol, gone)


def _pruned_repetition(symbol: Repetition, gone: Collection[str]) -> Symbol | None:
    item = _pruned(symbol.item, gone)
    separator = None if symbol.separator is None else _pruned(symbol.separator, gone)
    if item is None:
        return None if symbol.least else EMPTY
    if item == EMPTY and separator is None:
        return EMPTY
    if symbol.separator is not None and separator is None:  # so there are not two of them
        return (None if symbol.least > 1 else item) if symbol.least else Option(item)
    return replace(symbol, item=item, separator=separator)
