"""Text that reads well, and that a lexer takes apart again."""

import pytest
from hypothesis import given

from bonsai import Bounds, Derivation, Grammar, Lexicon, read_lark_text
from bonsai.choices import Draws
from bonsai.grammar.lexing import lex, token_lexer
from bonsai.grammar.model import Layout, Token
from bonsai.parse_back import parse
from bonsai.sampler import Sampler
from strategies import bounds, bundled, grammars, sampler, seeds


@given(grammars(), bounds(), seeds())
def test_text_lexes_into_the_tokens_it_was_made_of(grammar: Grammar, within: Bounds, seed: int) -> None:
    text, choices = sampler(grammar, within).sample(Draws(seed))
    layout = grammar.layout or Layout("")
    made_of = [
        (node.symbol.terminal, grammar.terminals[node.symbol.terminal].values[node.choice or 0])
        for node in Derivation(grammar, tuple(choices), text).tree.walk()
        if isinstance(node.symbol, Token) and node.symbol.terminal not in layout
    ]
    read = [(token.type, str(token)) for token in lex(token_lexer(grammar), text) if token.type not in layout]
    assert read == made_of


@given(grammars(), bounds(), seeds())
def test_no_blank_soup(grammar: Grammar, within: Bounds, seed: int) -> None:
    text, _ = sampler(grammar, within).sample(Draws(seed))
    for line in text.splitlines():
        assert line == line.rstrip()
        assert "  " not in line.lstrip()
    if grammar.layout is None:
        assert text == text.strip()


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("json", '{"a": [1, -1, {}], "b": null}'),
        ("calc", "x = -(y + 1) * min(x, !y)^2.5;\nx <= y - -1;"),
        (
            "blocks",
            "def a(b, c):\n    if not a(b, -1) and b:\n        return b + (c)\n    else:\n        pass\n",
        ),
        ("minilua", "local a, b = {c = 1, [d] = a.b[1]}, #a;\na:b(function(c) return not -c end)"),
    ],
)
def test_programs_look_as_people_write_them(subject: str, text: str) -> None:
    assert parse(bundled(subject), text).text == text


def rendered(rules: str, lexicon: Lexicon | None = None) -> str:
    return Sampler(read_lark_text(rules, lexicon=lexicon), Bounds(1, 1, 1)).sample(Draws(0))[0]


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ('start: "int" "b" "X"\n%ignore " "', "int b X"),
        ('start: "int" "b" "X"', "intbX"),
        ('start: "-" "-" /1/\n%ignore " "', "--1"),
        ('start: "-" "-" /1/ "--"~0\n%ignore " "', "--1"),
        ('start: "-" "-" /1/ "--"\n%ignore " "', "- -1 --"),
        ('start: "a" "b"\n%ignore /\\n/', "a\nb"),
        ('start: "select"i "a"\n%ignore " "', "select a"),
        ('start: "if" "(" "a" ")" "{" "}"\n%ignore " "', "if (a) {}"),
        ('start: "/" "/"\n%ignore /\\/\\/.*/\n%ignore " "', "/ /"),
        ('start: "SELECT" "*" "FROM" "t"\n%ignore " "', "SELECT * FROM t"),
        ('start: "else" "if" "else if"\n%ignore " "', "else  if else if"),
    ],
)
def test_spacing(rules: str, text: str) -> None:
    assert rendered(rules) == text


def test_three_tokens_that_only_merge_together_are_kept_apart() -> None:
    grammar = 'start: N "." N\nN: /[0-9]+(\\.[0-9]+)?/\n%ignore " "'
    assert rendered(grammar, Lexicon(pools={"N": ("1",)})) == "1 .1"


def test_spacing_of_single_tokens_is_a_setting() -> None:
    rules = 'start: "x" ":" "y" ";" "print" "(" ")"\n%ignore /\\s/'
    assert rendered(rules) == "x: y; print ()"
    tight = Lexicon(spacing={":": "none", ";": "line", "print": "name"})
    assert rendered(rules, tight) == "x:y;\nprint()"


def test_layout_without_indentation() -> None:
    rules = 'start: ("a" _NL)~2\n_NL: /\\n/\n%ignore " "'
    assert rendered(rules, Lexicon(layout=Layout("_NL"))) == "a\na\n"


def test_a_lazy_pattern_stops_at_its_end() -> None:
    rules = (
        'start: "{" ESCAPED_STRING ":" ESCAPED_STRING "}"\n'
        "%import common.ESCAPED_STRING\n%import common.WS\n%ignore WS"
    )
    assert rendered(rules, Lexicon(pools={"ESCAPED_STRING": ('"a"',)})) == '{"a": "a"}'
