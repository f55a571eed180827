"""Lark's rule trees come in, still in EBNF; symbols of the model go out, separated repetitions recognised."""

from lark import Token as LarkToken
from lark import Tree
from lark.exceptions import GrammarError
from lark.grammar import NonTerminal
from lark.grammar import Terminal as LarkTerminal

from bonsai.grammar.model import (
    EMPTY,
    Choice,
    Option,
    Reference,
    Repetition,
    Sequence,
    Symbol,
    Token,
)

LarkNode = Tree[LarkToken] | NonTerminal | LarkTerminal


def alternatives(tree: LarkNode) -> tuple[Symbol, ...]:
    """The alternatives of an `expansions` tree, nested groups of alternatives flattened into one list."""
    if isinstance(tree, Tree) and tree.data == "expansions":
        return tuple(symbol for child in tree.children for symbol in alternatives(_node(child)))
    if isinstance(tree, Tree) and tree.data == "alias":
        return alternatives(_node(tree.children[0]))
    if isinstance(tree, Tree) and tree.data == "expansion" and len(tree.children) == 1:
        only = _node(tree.children[0])
        if isinstance(only, Tree) and only.data == "expansions":
            return alternatives(only)
    return (symbol_of(tree),)


def symbol_of(tree: LarkNode) -> Symbol:
    """One node of Lark's rule tree as a symbol."""
    if isinstance(tree, NonTerminal):
        return Reference(str(tree.name))
    if isinstance(tree, LarkTerminal):
        return Token(str(tree.name))
    nodes = tree.children
    match tree.data:
        case "expansion":
            return _sequence([symbol_of(_node(node)) for node in nodes])
        case "expansions" | "alias":
            options = alternatives(tree)
            return options[0] if len(options) == 1 else Choice(options)
        case "maybe":
            return _option(symbol_of(_node(nodes[0])))
        case "expr":
            return _repeated(symbol_of(_node(nodes[0])), [str(node) for node in nodes[1:]])
        case other:
            raise AssertionError(f"unknown node {other} in a Lark rule")


def _node(child: object) -> LarkNode:
    assert isinstance(child, Tree | NonTerminal | LarkTerminal), child
    return child


def _repeated(item: Symbol, operator: list[str]) -> Symbol:
    match operator:
        case ["?"]:
            return _option(item)
        case ["*"]:
            return Repetition(item, 0, None)
        case ["+"]:
            return Repetition(item, 1, None)
        case ["~", count]:
            return _between(item, int(count), int(count))
        case ["~", least, most]:
            return _between(item, int(least), int(most))
        case other:
            raise AssertionError(f"unknown operator {other} in a Lark rule")


def _between(item: Symbol, least: int, most: int) -> Symbol:
    if not 0 <= least <= most:
        raise GrammarError(f"there is nothing in the range ~{least}..{most}")
    return _sequence([item] * least) if least == most else Repetition(item, least, most)


def _sequence(parts: list[Symbol]) -> Symbol:
    """The parts in one flat sequence, in which `x ("," x)*` has become one separated repetition."""
    flat: list[Symbol] = []
    for part in parts:
        flat += part.symbols if isinstance(part, Sequence) else (part,)
        _merge_separated(flat)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _merge_separated(flat: list[Symbol]) -> None:
    """Rewrite a tail `x… (separator… x…)*` of the list into one repetition whose items are the x's."""
    last = flat[-1] if flat else EMPTY
    if not (isinstance(last, Repetition) and last.least == 0 and last.most is None and not last.separator):
        return
    if not isinstance(last.item, Sequence):
        return
    group = last.item.symbols
    for width in range(min(len(group), len(flat)) - 1, 0, -1):
        item, separator = group[-width:], group[:-width]
        if tuple(flat[-1 - width : -1]) == item and all(isinstance(part, Token) for part in separator):
            del flat[-1 - width :]
            flat.append(Repetition(_sequence([*item]), 1, None, _sequence([*separator])))
            return


def _option(item: Symbol) -> Symbol:
    if isinstance(item, Repetition) and item.separator and item.least == 1:
        return Repetition(item.item, 0, item.most, item.separator)
    return Option(item)
