"""A grammar file in Lark's format comes in; a `Grammar` goes out, or an error with file, line and hint.

The file is read with Lark's own loader, up to the point where Lark would turn EBNF into plain productions:
imports, templates, `%extend` and anonymous terminals are Lark's work, the EBNF structure is kept.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lark.exceptions import GrammarError
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
from bonsai.grammar.analysis import Analysis, unproductive_rules
from bonsai.grammar.lark_rules import alternatives
from bonsai.grammar.lexing import flaw
from bonsai.grammar.model import Grammar, Layout, Pattern, Rule, Terminal, rule_names, terminal_names
from bonsai.grammar.pools import Lexicon, with_values
from bonsai.grammar.source import Source, complaints, message_of

_MOST_NESTED_TEMPLATES = 50


def read_lark(path: Path, start: str = "start", lexicon: Lexicon | None = None) -> Grammar:
    """The grammar of a `.lark` file, with values for its terminals."""
    return _read(path, _read_text(path), start, lexicon or Lexicon())


def read_lark_text(text: str, start: str = "start", lexicon: Lexicon | None = None) -> Grammar:
    """The grammar of a text in Lark's format; relative imports start from the current folder."""
    return _read(Path("grammar.lark"), text, start, lexicon or Lexicon())


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BonsaiError(f"{path}:{line}: not UTF-8 text", "save the grammar file in UTF-8") from None
    except OSError as error:
        raise BonsaiError(
            f"{path}: cannot read the grammar file: {error.strerror}", "check `file` in [grammar]"
        ) from None


def _read(path: Path, text: str, start: str, lexicon: Lexicon) -> Grammar:
    source = Source(path, text, lexicon.place_of)
    loaded = _load(source)
    with complaints(source):
        definitions = _terminals(loaded)
        rules = _rules(loaded, definitions)
    if not rules:
        raise source.error("the grammar has no rules", f"write at least one: {start}: ...")
    if start not in rules:
        raise source.setting_error(
            f"there is no rule {start!r} to start from",
            f"name one of the grammar's rules as `start` in [grammar]: {_some(rules)}",
            start,
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
        source=str(path),
    )
    for require in (_require_defined, _require_lexer, _require_productive):
        require(source, grammar)
    return with_values(grammar, lexicon, source)


def _load(source: Source) -> LarkGrammar:
    builder = GrammarBuilder(import_paths=[_import])
    with complaints(source, builder.used_files):
        builder.load_grammar(source.text, str(source.path))
        return builder.build()


def _import(base: object, file: str) -> tuple[str, str]:
    """A file that a grammar imports, as Lark wants it: its path and its text."""
    if not isinstance(base, str) or not os.path.isfile(os.path.join(base, file)):
        raise FileNotFoundError(file)  # Lark goes on to look in its own library
    path = os.path.join(base, file)
    return path, _read_text(Path(path))


def _terminals(loaded: LarkGrammar) -> list[TerminalDef]:
    to_pattern = PrepareLiterals() * TerminalTreeToPattern()
    definitions = []
    for name, (tree, priority) in loaded.term_defs:
        if tree is not None:
            with _named("terminal", name):
                definitions.append(TerminalDef(name, to_pattern.transform(nr_deepcopy_tree(tree)), priority))
    return definitions


def _rules(loaded: LarkGrammar, definitions: list[TerminalDef]) -> dict[str, Rule]:
    """Lark's first steps of compiling a grammar: literals, names for anonymous terminals, templates."""
    rule_defs = [(name, params, nr_deepcopy_tree(tree), opts) for name, params, tree, opts in loaded.rule_defs]
    prepare = PrepareLiterals() * ValidateSymbols() * PrepareAnonTerminals(definitions) * ApplyTemplates(rule_defs)
    rules = {}
    for name, params, tree, _ in rule_defs:  # grows while templates are instantiated
        if not params and tree is not None:
            with _named("rule", name):
                if name.count("{") > _MOST_NESTED_TEMPLATES:
                    raise GrammarError("the template uses itself without end")
                rules[str(name)] = Rule(str(name), alternatives(prepare.transform(tree)))
    return rules


@contextmanager
def _named(kind: str, name: str) -> Iterator[None]:
    """Say where it is that Lark complains of something."""
    try:
        yield
    except GrammarError as error:
        raise GrammarError(f"{message_of(error)} (in {kind} {name.split('{')[0]})") from None


def _pattern(pattern: LarkPattern) -> Pattern:
    return Pattern(pattern.value, frozenset(pattern.flags), isinstance(pattern, PatternStr))


def _layout(source: Source, layout: Layout | None, terminals: Mapping[str, Terminal]) -> Layout | None:
    for name in (layout.newline, layout.indent, layout.dedent) if layout else ():
        if name is not None and name not in terminals:
            raise source.setting_error(
                f"the layout terminal {name} is not in the grammar",
                f"%declare {name}, or correct [grammar.layout]",
                name,
            )
    return layout


def _require_defined(source: Source, grammar: Grammar) -> None:
    for rule in grammar.rules.values():
        for name in rule_names(rule):
            if name not in grammar.rules:
                raise source.error(f"rule {name!r} used but not defined (in rule {rule.name})", "define it", name)
        for name in terminal_names(rule):
            if name in grammar.ignored:
                raise source.error(
                    f"the terminal {name} is ignored, so a parser never sees it in rule {rule.name}",
                    "take it out of the rule, or do not %ignore it",
                    rule.name,
                )


def _require_lexer(source: Source, grammar: Grammar) -> None:
    for terminal in grammar.terminals.values():
        found = flaw(terminal)
        if found:
            users = [rule.name for rule in grammar.rules.values() if terminal.name in terminal_names(rule)]
            raise source.error(f"the terminal {_shown(terminal)} {found.what}", found.remedy, terminal.name, *users)


def _shown(terminal: Terminal) -> str:
    anonymous = terminal.name.startswith("__")
    return f"/{terminal.pattern.value}/" if anonymous and terminal.pattern else terminal.name


def _require_productive(source: Source, grammar: Grammar) -> None:
    dead = unproductive_rules(grammar)
    if dead:
        recursive = Analysis(grammar, items=1).recursive
        name = next(name for name in dead if name in recursive)  # others only lead to one that is
        raise source.error(
            f"rule {name!r} derives only infinite texts",
            f"give it an alternative that does not lead back to {name!r}",
            name,
        )


def _some(names: Mapping[str, object]) -> str:
    shown = [name for name in names if "{" not in name][:6]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")
