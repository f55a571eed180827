"""A grammar file in Lark's format comes in; a `Grammar` goes out, or an error with file, line and hint.

The file is read with Lark's own loader, up to the point where Lark would turn EBNF into plain productions:
imports, templates, `%extend` and anonymous terminals are Lark's work, the EBNF structure is kept.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lark.exceptions import LarkError, UnexpectedInput
from lark.lexer import Pattern as LarkPattern
from lark.lexer import PatternStr, TerminalDef
from lark.load_grammar import (
    ApplyTemplates,
    GrammarBuilder,
    PrepareAnonTerminals,
    PrepareLiterals,
    TerminalTreeToPattern,
    ValidateSymbols,
    nr_deepcopy_tree,
)
from lark.load_grammar import Grammar as LarkGrammar

from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import unproductive_rules
from bonsai.grammar.lark_rules import alternatives
from bonsai.grammar.model import Grammar, Layout, Pattern, Rule, Terminal, rule_names, terminal_names
from bonsai.grammar.pools import Lexicon, with_values

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Source:
    """The grammar file, to say where in it something stands."""

    path: Path
    text: str

    def error(self, message: str, hint: str, name: str | None = None) -> BonsaiError:
        line = self.line_of(name) if name else None
        return BonsaiError(f"{self.path}{f':{line}' if line else ''}: {message}", hint)

    def line_of(self, name: str) -> int | None:
        """The line on which a rule or terminal is defined or imported, as far as this file knows."""
        bare = re.escape(name.split("{")[0])
        definition = re.search(rf"^[ \t]*(?:%\w+[ \t]+)?[?!]*{bare}\b[^:\n]*:", self.text, re.MULTILINE)
        mention = definition or re.search(rf"(?<!\w){bare}\b", self.text)
        return self.text.count("\n", 0, mention.end()) + 1 if mention else None


def read_lark(path: Path, start: str = "start", lexicon: Lexicon | None = None) -> Grammar:
    """The grammar of a `.lark` file, with values for its terminals."""
    source = _Source(path, _read_text(path))
    return _read(source, start, lexicon or Lexicon())


def read_lark_text(text: str, start: str = "start", lexicon: Lexicon | None = None) -> Grammar:
    """The grammar of a text in Lark's format; relative imports start from the current folder."""
    return _read(_Source(Path("grammar.lark"), text), start, lexicon or Lexicon())


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BonsaiError(
            f"{path}: not UTF-8 text (byte {error.start})", "save the grammar file in UTF-8"
        ) from None
    except OSError as error:
        raise BonsaiError(
            f"{path}: cannot read the grammar file: {error.strerror}", "check `file` in [grammar]"
        ) from None


def _read(source: _Source, start: str, lexicon: Lexicon) -> Grammar:
    loaded = _lark(source, lambda: _load(source))
    rules, definitions = _lark(source, lambda: _rules_and_terminals(loaded))
    if start not in rules:
        raise source.error(
            f"there is no rule {start!r} to start from",
            f"name one of the grammar's rules as `start` in [grammar]: {_some(rules)}",
        )
    declared = [str(name) for name, (tree, _) in loaded.term_defs if tree is None]
    terminals = {
        str(d.name): Terminal(str(d.name), _pattern(d.pattern), (), priority=d.priority) for d in definitions
    }
    terminals |= {name: Terminal(name, None, ()) for name in declared}
    used = {name for rule in rules.values() for name in terminal_names(rule)} | set(loaded.ignore)
    grammar = Grammar(
        start=start,
        rules=rules,
        terminals={name: t for name, t in terminals.items() if name in used},
        ignored=tuple(loaded.ignore),
        layout=_layout(source, lexicon.layout, terminals),
        spacing=lexicon.spacing,
        soft=lexicon.soft,
        source=str(source.path),
    )
    _require_defined(source, grammar)
    _require_productive(source, grammar)
    return with_values(grammar, lexicon, lambda message, hint, name: source.error(message, hint, name))


def _lark(source: _Source, work: Callable[[], T]) -> T:
    """Do a part of Lark's work, and say in one line what Lark has against the file."""
    hint = "see the Lark grammar reference for the format"
    try:
        return work()
    except UnexpectedInput as error:
        place = f"{source.path}:{error.line}"
        raise BonsaiError(f"{place}: syntax error in the grammar, column {error.column}", hint) from None
    except OSError as error:
        raise source.error(
            f"cannot import {error.filename}: {error.strerror}", "an %import is relative to the grammar file"
        ) from None
    except UnicodeDecodeError:
        raise source.error("an imported grammar is not UTF-8 text", "save it in UTF-8") from None
    except (LarkError, ValueError, AssertionError, RecursionError) as error:
        message = " ".join(str(error).split("\n\n")[0].split()) or "Lark cannot read this grammar"
        named = re.search(r"\(in (?:rule|terminal|template) (\S+)\)", message) or re.search(
            r"['\"`](\w+)['\"`]", message
        )
        line = re.search(r"at line (\d+)", message)
        if line:
            raise BonsaiError(f"{source.path}:{line[1]}: {message}", hint) from None
        raise source.error(message, _hint_for(message, hint), named[1] if named else None) from None


def _hint_for(message: str, otherwise: str) -> str:
    if "used but not defined" in message:
        return "define it, or correct the spelling"
    if "defined more than once" in message:
        return "keep one definition, or use %override or %extend"
    return otherwise


def _load(source: _Source) -> LarkGrammar:
    builder = GrammarBuilder(import_paths=[])
    builder.load_grammar(source.text, str(source.path))
    return builder.build()


def _rules_and_terminals(loaded: LarkGrammar) -> tuple[dict[str, Rule], list[TerminalDef]]:
    """Lark's first steps of compiling a grammar: patterns, names for anonymous terminals, templates."""
    to_pattern = PrepareLiterals() * TerminalTreeToPattern()
    definitions = [
        TerminalDef(name, to_pattern.transform(nr_deepcopy_tree(tree)), priority)
        for name, (tree, priority) in loaded.term_defs
        if tree is not None
    ]
    rule_defs = [(name, params, nr_deepcopy_tree(tree), opts) for name, params, tree, opts in loaded.rule_defs]
    prepare = PrepareLiterals() * ValidateSymbols() * PrepareAnonTerminals(definitions) * ApplyTemplates(rule_defs)
    rules = {}
    for name, params, tree, _ in rule_defs:  # grows while templates are instantiated
        if not params and tree is not None:
            rules[str(name)] = Rule(str(name), alternatives(prepare.transform(tree)))
    return rules, definitions


def _pattern(pattern: LarkPattern) -> Pattern:
    return Pattern(pattern.value, frozenset(pattern.flags), isinstance(pattern, PatternStr))


def _layout(source: _Source, layout: Layout | None, terminals: Mapping[str, Terminal]) -> Layout | None:
    for name in (layout.newline, layout.indent, layout.dedent) if layout else ():
        if name is not None and name not in terminals:
            raise source.error(
                f"the layout terminal {name} is not in the grammar",
                f"%declare {name}, or correct [grammar.layout]",
            )
    return layout


def _require_defined(source: _Source, grammar: Grammar) -> None:
    for rule in grammar.rules.values():
        for name in rule_names(rule):
            if name not in grammar.rules:
                raise source.error(
                    f"rule {name!r} used but not defined (in rule {rule.name})", "define it", rule.name
                )


def _require_productive(source: _Source, grammar: Grammar) -> None:
    dead = unproductive_rules(grammar)
    if dead:
        raise source.error(
            f"rule {dead[0]!r} derives only infinite texts",
            f"give it an alternative that does not lead back to {dead[0]!r}",
            dead[0],
        )


def _some(names: Mapping[str, object]) -> str:
    shown = [name for name in names if "{" not in name][:6]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")
