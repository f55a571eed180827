"""Text comes in; its parse in the grammar goes out, as steps of a leftmost derivation.

Lark does the parsing, with its basic lexer and, for indentation-sensitive languages, its indenter. The grammar it
parses with is made from ours: one production for each option of each choice, so that the tree it returns can be
read off as choices.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import cycle, islice
from typing import Any

from lark import Lark, Tree
from lark import Token as LarkToken
from lark.exceptions import LarkError, UnexpectedInput
from lark.grammar import NonTerminal, RuleOptions
from lark.grammar import Terminal as LarkTerminal
from lark.indenter import Indenter
from lark.load_grammar import Grammar as LarkGrammar

from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import structure
from bonsai.grammar.automata import matches
from bonsai.grammar.lexing import RuleDef, terminal_definitions
from bonsai.grammar.model import (
    Choice,
    Grammar,
    Layout,
    Option,
    Reference,
    Repetition,
    Sequence,
    Symbol,
    Terminal,
    Token,
    expansion,
    flat,
    offers_choice,
)
from bonsai.wording import counted

_MOST_STEPS = 400_000
_MOST_WORDS = 2_500
# A choice of the grammar, or a token with a pool, as (terminal, text).
Steps = list[int | tuple[str, str]]


@lru_cache(maxsize=16)
def parser_for(grammar: Grammar) -> "Parser":
    """The parser of a grammar, made once."""
    return Parser(grammar)


class Parser:
    """Reads texts of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        _require_small(grammar)
        self._grammar = grammar
        self._productions = _Productions(grammar)
        self._lark = Lark(
            self._productions.lark_grammar(),
            parser="earley",
            lexer="basic",
            start=self._productions.start,
            postlex=_indenter(grammar),
        )

    def parse(self, text: str) -> Steps:
        """The text as choices and values."""
        layout = self._grammar.layout
        if layout and text and not text.endswith("\n"):
            text += "\n"
        try:
            tree = self._tree(text)
        except UnexpectedInput as error:
            raise BonsaiError(_complaint(error), "the text is not in the language of the grammar") from None
        except (LarkError, AssertionError) as error:
            raise BonsaiError(
                f"the text does not parse: {str(error).splitlines()[0] if str(error) else 'bad brackets'}",
                "check its indentation and brackets",
            ) from None
        return self._productions.steps(tree)

    def _tree(self, text: str) -> Any:
        try:
            return self._lark.parse(text)
        except UnexpectedInput:
            if self._grammar.layout is None:
                raise
            # Comments and blank lines in front of the first line are no line end of the grammar's.
            return self._lark.parse(re.sub(r"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)+", "", text))


def _require_small(grammar: Grammar) -> None:
    """Raises an error if Lark would take minutes or gigabytes to prepare for the grammar.

    Its time grows with the number of rules times the length of the chains in which they mention each other, and its
    memory with the square of the number of words to tell apart.
    """
    levels = 0
    seen, level = {grammar.start}, {grammar.start}
    while level:
        levels += 1
        level = {name for rule in level for name in structure(grammar).mentions[rule]} - seen
        seen |= level
    words = sum(len(terminal.values) if terminal.pattern is None else 1 for terminal in grammar.terminals.values())
    if len(grammar.rules) * levels > _MOST_STEPS or words > _MOST_WORDS:
        raise BonsaiError(
            f"{grammar.source} is too large to parse texts with: {counted(len(grammar.rules), 'rule')} in chains "
            f"of up to {levels:,}, {counted(words, 'word')} to tell apart",
            "sampling and growing do not need a parser; to parse texts, merge rules or terminals",
        )


def _complaint(error: UnexpectedInput) -> str:
    if getattr(error, "line", -1) in (None, -1, "?"):
        return "the text does not parse: it ends too early"
    token = getattr(error, "token", None)
    what = f"unexpected {str(token)!r}" if token is not None else "unexpected character"
    return f"the text does not parse: {what} at line {error.line}, column {error.column}"


class _Productions:
    """Our grammar as productions for Lark, and the way back from Lark's trees.

    Each rule, group, option and repetition is a rule of its own there; its options are aliased a0, a1, ...
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._names: dict[Symbol, str] = {Reference(rule): f"r{i}" for i, rule in enumerate(grammar.rules)}
        self._rules: list[RuleDef] = []
        for rule in grammar.rules.values():
            self._define(self._names[Reference(rule.name)], rule.alternatives)

    @property
    def start(self) -> str:
        return self._names[Reference(self._grammar.start)]

    def lark_grammar(self) -> LarkGrammar:
        return LarkGrammar(self._rules, terminal_definitions(self._grammar), list(self._grammar.ignored))

    def _define(self, name: str, alternatives: tuple[Symbol, ...]) -> None:
        expansions: list[Any] = []
        seen = set()
        for i, alternative in enumerate(alternatives):
            if alternative not in seen:  # Lark refuses to be told the same thing twice
                seen.add(alternative)
                expansions.append(Tree("alias", [self._expansion(alternative), NonTerminal(f"a{i}")]))
        self._add(name, expansions)

    def _add(self, name: str, expansions: list[Any], priority: int | None = None) -> None:
        options = RuleOptions(keep_all_tokens=True, priority=priority)
        self._rules.append((name, (), Tree("expansions", expansions), options))

    def _expansion(self, symbol: Symbol) -> Tree[Any]:
        return Tree("expansion", [self._lark_symbol(part) for part in flat(symbol)])

    def _lark_symbol(self, symbol: Symbol) -> Any:
        if isinstance(symbol, Token) and not self._accepts_soft(symbol):
            return LarkTerminal(symbol.terminal)
        if symbol not in self._names:
            self._names[symbol] = f"x{len(self._names)}"
            self._define_group(self._names[symbol], symbol)
        return NonTerminal(self._names[symbol])

    def _define_group(self, name: str, symbol: Symbol) -> None:
        match symbol:
            case Token(terminal):
                soft = f"{name}_soft"
                names: list[Any] = [LarkTerminal(terminal), NonTerminal(soft)]
                self._add(name, [Tree("expansion", [one]) for one in names])
                words: list[Any] = [LarkTerminal(one) for one in self._grammar.soft]
                # Where the grammar has a place for the word itself, it is no identifier.
                self._add(soft, [Tree("expansion", [one]) for one in words], priority=-1)
            case Choice(alternatives):
                self._define(name, alternatives)
            case Option(item):
                self._define(name, (Sequence(()), item))
            case Repetition():
                self._define_repetition(name, symbol)
            case _:
                raise AssertionError(symbol)

    def _define_repetition(self, name: str, symbol: Repetition) -> None:
        item = f"{name}_item"
        self._add(item, [self._expansion(symbol.item)])
        one: Any = NonTerminal(item)
        if symbol.most is not None:
            count = [LarkToken("OP", "~"), LarkToken("NUMBER", symbol.least), LarkToken("NUMBER", symbol.most)]
            body = [Tree("expr", [one, *count])]
        elif symbol.separator is None:
            body = [Tree("expr", [one, LarkToken("OP", "+" if symbol.least else "*")])]
        else:
            group = [self._lark_symbol(part) for part in flat(symbol.separator)] + [one]
            body = [one, Tree("expr", [Tree("expansion", group), LarkToken("OP", "*")])]
        expansions: list[Any] = [Tree("expansion", body)]
        if symbol.separator is not None and symbol.least == 0:
            expansions.append(Tree("expansion", []))
        self._add(name, expansions)

    def steps(self, tree: Any) -> Steps:
        """A parse tree of Lark's as choices and values, leftmost first."""
        steps: Steps = []
        stack: list[tuple[Symbol, Any]] = [(Reference(self._grammar.start), tree)]
        while stack:
            symbol, node = stack.pop()
            if isinstance(symbol, Token):
                while isinstance(node, Tree):  # an identifier, or a word that could be one
                    (node,) = node.children
                if self._has_pool(symbol):
                    steps.append((symbol.terminal, str(node)))
                continue
            body, choice = self._opened(symbol, node)
            if choice is not None and offers_choice(self._grammar, symbol):
                steps.append(choice)
            stack.extend(reversed(list(zip(body, node.children, strict=True))))
        return steps

    def _accepts_soft(self, token: Token) -> bool:
        """Whether the values of soft terminals could stand here: they are identifiers of this kind."""
        terminal = self._grammar.terminals[token.terminal]
        soft = [self._grammar.terminals[name] for name in self._grammar.soft]
        return terminal.identifier and any(
            terminal.pattern is not None and matches(terminal.pattern, one.values[0]) for one in soft
        )

    def _has_pool(self, token: Token) -> bool:
        """Whether a token's text is a value to look up: a literal and a layout token have none."""
        terminal = self._grammar.terminals[token.terminal]
        layout = self._grammar.layout
        return not terminal.is_literal and not (layout and terminal.name in layout)

    def _opened(self, symbol: Symbol, node: Any) -> tuple[list[Symbol], int | None]:
        """The symbols that a node's children stand for, and the choice that its option is."""
        if isinstance(symbol, Sequence):  # an item of a repetition that is a sequence of its own
            return list(symbol.symbols), None
        if isinstance(symbol, Repetition):
            separator = flat(symbol.separator) if symbol.separator else ()
            around = cycle([Sequence(flat(symbol.item)), *separator])
            return list(islice(around, len(node.children))), _count_items(node)
        option = int(node.data[1:])
        return list(expansion(self._grammar, symbol, option)), option


def _is_item(child: Any) -> bool:
    return isinstance(child, Tree) and str(child.data).endswith("_item")


def _count_items(node: Any) -> int:
    return sum(_is_item(child) for child in node.children)


def _is_one_of(terminal: Terminal, brackets: str) -> bool:
    return terminal.pattern is not None and terminal.is_literal and terminal.pattern.value in tuple(brackets)


def _indenter(grammar: Grammar) -> Indenter | None:
    if grammar.layout is None or grammar.layout.indent is None:
        return None
    layout: Layout = grammar.layout
    opening = [t.name for t in grammar.terminals.values() if _is_one_of(t, "([{")]
    closing = [t.name for t in grammar.terminals.values() if _is_one_of(t, ")]}")]

    class LayoutIndenter(Indenter):
        NL_type = layout.newline
        INDENT_type = layout.indent or ""
        DEDENT_type = layout.dedent or ""
        OPEN_PAREN_types = opening
        CLOSE_PAREN_types = closing
        tab_len = 8

        def handle_NL(self, token: LarkToken) -> Iterator[LarkToken]:  # noqa: N802  # Lark's name
            """A tab goes to the next multiple of eight columns."""
            return super().handle_NL(token.update(value=token.value.expandtabs(self.tab_len)))

    return LayoutIndenter()
