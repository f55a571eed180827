"""Lark's grammar format, construct by construct: what the reader makes of it, and what it says when it cannot."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.grammar.lark_reader import read_lark, read_lark_text
from bonsai.grammar.model import Grammar, Layout, Option, Reference, Repetition, Sequence, Token
from bonsai.grammar.pools import Lexicon


def values(grammar: Grammar, *names: str) -> tuple[tuple[str, ...], ...]:
    return tuple(grammar.terminals[name].values for name in names)


def write(folder: Path, **files: str) -> Path:
    """Grammar files in a folder; the path of `main`."""
    for name, text in files.items():
        (folder / f"{name}.lark").write_text(text, encoding="utf-8")
    return folder / "main.lark"


def test_inlined_conditional_and_keeping_rules_are_rules_like_any_other() -> None:
    grammar = read_lark_text('start: _a b c d\n_a: "a"\n?b: "b" | b "x"\n!c: "c"\n?d.3: "d" -> e\n')
    assert list(grammar.rules) == ["start", "_a", "b", "c", "d"]
    assert grammar.rules["b"].alternatives == (Token("B"), Sequence((Reference("b"), Token("X"))))


def test_priorities_of_terminals_are_kept_and_those_of_rules_read() -> None:
    grammar = read_lark_text("start.2: A | B\nA.5: /[a-z]/\nB.-1: /[a-z]+/\n")
    assert (grammar.terminals["A"].priority, grammar.terminals["B"].priority) == (5, -1)


def test_the_priority_of_a_terminal_decides_whose_value_a_text_is() -> None:
    grammar = read_lark_text('start: A | B\nA.2: "b" | "c"\nB: /[a-d]/\n')
    assert values(grammar, "A", "B") == (("b", "c"), ("a",))


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r'"\n"', "\n"),
        (r'"\t"', "\t"),
        (r'"\""', '"'),
        (r'"\\"', "\\"),
        (r'"\\n"', "\\n"),
        (r'"\x41"', "A"),
        (r'"é"', "é"),
        (r'"\U0001F600"', "\U0001f600"),
        (r'"/"', "/"),
        (r'"//"', "//"),
        (r'"sEt"i', "sEt"),
    ],
)
def test_a_string_literal_is_its_own_value_escapes_undone(literal: str, value: str) -> None:
    grammar = read_lark_text(f"start: {literal}")
    assert [terminal.values for terminal in grammar.terminals.values()] == [(value,)]


def test_the_i_flag_of_a_literal_is_kept_for_the_lexer() -> None:
    terminal = read_lark_text('start: "select"i').terminals["SELECT"]
    assert terminal.pattern is not None
    assert terminal.pattern.flags == {"i"}
    assert terminal.is_literal


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ('"b".."d"', ("b", "c", "d")),
        ('"0".."9"', ("0", "1", "2")),
        ("/ab?/", ("a", "ab")),
        ("/ab/i", ("ab",)),
        ("/a.b/s", ("aab", "abb", "acb", "adb", "aeb")),
        ("/^ab$/m", ("ab",)),
        ("/a  b/x", ("ab",)),
        ("/é|ü/u", ("é", "ü")),
        ("/a b/imsu", ("a b",)),
        ('"a" | "b" "c"', ("a", "bc")),
        ('"a"~2..3', ("aa", "aaa")),
        ('"a"~2', ("aa",)),
        ('["-"] "a"', ("a", "-a")),
        ('("x" | "y")? "a"', ("a", "xa", "ya")),
        ("INNER INNER", ("ii",)),
    ],
)
def test_a_terminal_draws_from_the_shortest_matches_of_its_definition(
    definition: str, expected: tuple[str, ...]
) -> None:
    grammar = read_lark_text(f'start: T\nT: {definition}\nINNER: "i"\n')
    assert values(grammar, "T") == (expected,)


def test_terminals_imported_from_lark_s_common_grammar() -> None:
    grammar = read_lark_text(
        "start: INT WORD ESCAPED_STRING\n"
        "%import common.INT\n%import common.LETTER -> WORD\n%import common (ESCAPED_STRING, WS)\n%ignore WS\n"
    )
    assert values(grammar, "INT", "WORD") == (("0", "1", "2", "00"), ("a", "b", "c", "A", "B", "C"))
    assert grammar.terminals["ESCAPED_STRING"].values[0] == '""'
    assert grammar.ignored == ("WS",)


def test_rules_imported_from_relative_files_with_their_own_imports(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.lark").write_text('leaf: "leaf"\n', encoding="utf-8")
    path = write(
        tmp_path,
        main="start: item more leaf N\n"
        "%import .parts (item, N)\n%import .parts.other -> more\n%import .sub.deep.leaf\n",
        parts="item: hidden | item N\nhidden: N\nother: N | other N\n%import common.INT -> N\n",
    )
    grammar = read_lark(path)
    assert set(grammar.rules) == {"start", "item", "parts__hidden", "more", "leaf"}
    assert grammar.rules["more"].alternatives == (Token("N"), Sequence((Reference("more"), Token("N"))))
    assert values(grammar, "N")[0][0] == "0"


def test_a_template_imported_and_used(tmp_path: Path) -> None:
    path = write(tmp_path, main='start: _list{A}\nA: "a"\n%import .lists._list\n', lists='_list{x}: x ("," x)*\n')
    assert read_lark(path).rules["_list{A}"].alternatives == (Repetition(Token("A"), 1, None, Token("COMMA")),)


def test_declared_terminals_take_their_values_from_a_pool() -> None:
    grammar = read_lark_text("start: A\n%declare A\n", lexicon=Lexicon(pools={"A": ("x", "y")}))
    assert values(grammar, "A") == (("x", "y"),)


def test_declared_layout_terminals_need_no_values() -> None:
    layout = Layout("_NL", "_IN", "_DE")
    grammar = read_lark_text(
        'start: "a" _NL _IN "b" _NL _DE\n_NL: /\\n[ ]*/\n%declare _IN _DE\n', lexicon=Lexicon(layout=layout)
    )
    assert grammar.layout == layout
    assert values(grammar, "_NL", "_IN", "_DE") == ((), (), ())


def test_ignored_terminals_and_patterns() -> None:
    grammar = read_lark_text('start: "a"\n%ignore /[ ]+/\n%ignore COMMENT\n%ignore "~"\nCOMMENT: /#.*/\n')
    assert grammar.ignored == ("__IGNORE_0", "COMMENT", "__IGNORE_2")
    assert values(grammar, *grammar.ignored) == ((), (), ())


def test_extend_adds_alternatives_and_override_replaces_them(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        main='start: a b T\n%import .base (a, b, T)\n%extend a: "more"\n%override b: "new"\n%extend T: "u"\n',
        base='a: "one"\nb: "old"\nT: "t"\n',
    )
    grammar = read_lark(path)
    assert set(grammar.rules["a"].alternatives) == {Token("ONE"), Token("MORE")}
    assert grammar.rules["b"].alternatives == (Token("NEW"),)
    assert sorted(values(grammar, "T")[0]) == ["t", "u"]


def test_templates_with_several_parameters_make_separated_repetitions() -> None:
    grammar = read_lark_text(
        'start: _sep{A, ","} | _sep{pair, SEMI} | [_sep{A, ","}]\n'
        '_sep{item, mark}: item (mark item)*\npair: A ":" A\nA: "a"\nSEMI: ";"\n'
    )
    assert grammar.rules["_sep{A,COMMA}"].alternatives == (Repetition(Token("A"), 1, None, Token("COMMA")),)
    assert grammar.rules["_sep{pair,SEMI}"].alternatives == (Repetition(Reference("pair"), 1, None, Token("SEMI")),)
    assert grammar.rules["start"].alternatives[2] == Option(Reference("_sep{A,COMMA}"))


def test_templates_nested_in_templates() -> None:
    grammar = read_lark_text('start: _list{_group{A}}\n_list{x}: x ("," x)*\n_group{y}: "(" y ")"\nA: "a"\n')
    inner = Reference("_group{A}")
    assert grammar.rules["_list{_group{A}}"].alternatives == (Repetition(inner, 1, None, Token("COMMA")),)


def test_a_template_that_uses_itself() -> None:
    grammar = read_lark_text('start: nest{A}\nnest{x}: x | "(" nest{x} ")"\nA: "a"\n')
    again = Sequence((Token("LPAR"), Reference("nest{A}"), Token("RPAR")))
    assert grammar.rules["nest{A}"].alternatives == (Token("A"), again)


def test_a_template_that_grows_for_ever_is_an_error() -> None:
    with pytest.raises(BonsaiError, match=r"grammar\.lark:2: the template uses itself without end"):
        read_lark_text('start: t{A}\nt{x}: x | t{t{x}}\nA: "a"\n')


def test_terminals_that_no_rule_uses_are_left_out() -> None:
    assert list(read_lark_text('start: A\nA: "a"\nB: "b"\n').terminals) == ["A"]


def test_a_grammar_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "main.lark"
    path.write_bytes(b'\xef\xbb\xbfstart: "a"\n')
    assert list(read_lark(path).rules) == ["start"]


@pytest.mark.parametrize(
    ("grammar", "line", "words"),
    [
        ("// comment\nstart: (A\n", 2, "column 10"),
        ('start: "a"\nfoo bar\n', 2, "syntax error"),
        ('start: "a"\n%import\n', 2, ""),
        ('// here is what\nstart: "a"\n     | what\n', 3, "'what' is used but not defined (in rule start)"),
        ('start: "WHAT"\n     | WHAT\n', 2, "'WHAT' is used but not defined"),
        ('start: A\nA: "a" WHAT\n', 2, "WHAT"),
        ('start: "a"\n\n%ignore WHAT\n', 3, "WHAT"),
        ("start: l{A}\nA: /a/\n", 1, "'l' is used but not defined"),
        ("start: A\n | l{A}\nl{x, y}: x y\nA: /a/\n", 1, "template arguments"),
        ('start: "a"\n | b\nb: "b"\nb: "c"\n', 4, "'b' defined more than once"),
        ('start: A\nA: "a"\nA: "b"\n', 3, "'A' defined more than once"),
        ('start: "a"\n%override b: "c"\n', 2, "override"),
        ('start: "a"\n%extend b: "c"\n', 2, "extend"),
        ('start: A\nA: "a" B\nB: "b" A\n', 2, "Recursion in terminal"),
        ('start: A\nA: "a" start\n', 2, "inside terminals"),
        ('start: A\nA: ""\n', 2, "Empty terminals"),
        ('start: "a"\nb: ""\n', 2, "Empty terminals"),
        ('start: "a"\nb: "\\xZZ"\n', 2, "bad escape"),
        ("start: A\nA: /(a/\n", 2, "no regular expression: missing )"),
        ('start: "a"\nb: /[/\n', 2, "no regular expression: unterminated character set"),
        ('start: "a"\nb: "z".."a"\n', 2, "bad character range"),
        ("start: A\nA: /a(?i)b/\n", 2, "global flags"),
        ("start: A\nA: /a*/\n", 2, "matches the empty text"),
        ('start: "a"\n%ignore /b/\n%ignore /\\s*/\n', 3, "matches the empty text"),
        ("start: A\nA: /[^\\s\\S]/\n", 2, "no text that matches the terminal A"),
        ('start: "a"\n | A\n%ignore A\nA: /b/\n', 1, "is ignored"),
        ("start: A\n\n%declare A\n", 1, "declared but has no values"),
        ('start: "a"\n | b\nb: "x" b\n', 3, "'b' derives only infinite texts"),
        ('start: a | "x"\na: "x" b\nb: "y" a\n', 2, "'a' derives only infinite texts"),
        ('start: a\na: "x" b+\nb: a~2\n', 2, "'a' derives only infinite texts"),
        ('start: "x" start\n', 1, "'start' derives only infinite texts"),
        ('start: "a" b\n\n%import .absent.b\n', 3, "cannot import absent.lark"),
        ("start: B\n\n%import common.B\n", 3, "'B' is used but not defined"),
    ],
)
def test_what_is_wrong_in_a_grammar_is_said_with_file_line_and_hint(grammar: str, line: int, words: str) -> None:
    with pytest.raises(BonsaiError) as caught:
        read_lark_text(grammar)
    assert caught.value.message.startswith(f"grammar.lark:{line}: ")
    assert words in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("imported", "place", "words"),
    [
        ('c: "x"\nb: (\n', "parts.lark:2", "column 5"),
        ('c: "x"\n', "main.lark:2", "'b' is used but not defined"),
        ("b: what\n", "parts.lark:1", "what"),
        ('b: "x" b\n', "main.lark:2", "infinite"),
        ('\nb: "x" c\n%import .absent.c\n', "parts.lark:3", "cannot import absent.lark"),
        ('b: "x" c\n%import .main.start -> c\n', "main.lark", "imports lead back"),
    ],
)
def test_what_is_wrong_in_an_imported_grammar_is_found_there_or_at_its_import(
    tmp_path: Path, imported: str, place: str, words: str
) -> None:
    path = write(tmp_path, main="start: b\n%import .parts.b\n", parts=imported)
    with pytest.raises(BonsaiError) as caught:
        read_lark(path)
    assert caught.value.message.startswith(f"{tmp_path / place}: ")
    assert words in caught.value.message


def test_an_imported_file_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, main="start: b\n%import .parts.b\n")
    (tmp_path / "parts.lark").write_bytes(b'b: "x"\n  | "\xff"\n')
    with pytest.raises(BonsaiError, match=r"parts\.lark:2: not UTF-8"):
        read_lark(path)


def test_two_terminals_with_a_group_of_the_same_name_are_an_error() -> None:
    with pytest.raises(BonsaiError, match="do not go together"):
        read_lark_text("start: A B\nA: /(?P<q>a)/\nB: /(?P<q>b)/\n")


def test_a_missing_start_rule_is_an_error_that_names_rules_there_are() -> None:
    with pytest.raises(BonsaiError, match="no rule 'program'") as caught:
        read_lark_text('start: "a"\nother: "b"\n', "program")
    assert "start, other" in caught.value.hint


def test_a_layout_terminal_that_is_not_in_the_grammar_is_an_error() -> None:
    with pytest.raises(BonsaiError, match="layout terminal _NL"):
        read_lark_text('start: "a"', lexicon=Lexicon(layout=Layout("_NL")))


@pytest.mark.parametrize(
    ("imported", "line", "complaint"),
    [
        ('x: "a"\n  | y\n', 1, "'y' is used but not defined (in rule x)"),
        ("x: z\nz: z\n", 2, "rule 'z'"),
        ("x: A\nA: /a*/\n", 2, "the terminal A matches the empty text"),
    ],
)
def test_an_error_in_an_imported_file_names_that_file(
    imported: str, line: int, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "other.lark").write_text(imported)
    (tmp_path / "g.lark").write_text("start: x\n%import .other.x\n")
    with pytest.raises(BonsaiError) as caught:
        read_lark(tmp_path / "g.lark")
    assert caught.value.message.startswith(f"{tmp_path}/other.lark:")
    assert complaint in caught.value.message
