"""EBNF as Lark writes it becomes symbols that keep its structure."""

import pytest

from bonsai.errors import BonsaiError
from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.model import EMPTY, Choice, Option, Reference, Repetition, Sequence, Symbol, Token

TERMINALS = 'x: X\nX: "x"\nY: "y"\nCOMMA: ","\nCOLON: ":"\n'
X, Y, COMMA, COLON, RULE = Token("X"), Token("Y"), Token("COMMA"), Token("COLON"), Reference("x")


def alternatives(body: str) -> tuple[Symbol, ...]:
    return read_lark_text(f"start: {body}\n{TERMINALS}").rules["start"].alternatives


def sequence(*symbols: Symbol) -> Sequence:
    return Sequence(symbols)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("X", X),
        ("x", RULE),
        ("", EMPTY),
        ("X Y", sequence(X, Y)),
        ("(X Y) X", sequence(X, Y, X)),
        ("X (X | Y)", sequence(X, Choice((X, Y)))),
        ("X (X | Y X)", sequence(X, Choice((X, sequence(Y, X))))),
        ("X (X | (Y | COMMA))", sequence(X, Choice((X, Y, COMMA)))),
        ("X?", Option(X)),
        ("[X]", Option(X)),
        ("[X Y]", Option(sequence(X, Y))),
        ("[X | Y]", Option(Choice((X, Y)))),
        ("X*", Repetition(X, 0, None)),
        ("X+", Repetition(X, 1, None)),
        ("(X Y)*", Repetition(sequence(X, Y), 0, None)),
        ("(X | Y)+", Repetition(Choice((X, Y)), 1, None)),
        ("X~3", sequence(X, X, X)),
        ("X~1", X),
        ("X~0", EMPTY),
        ("(X Y)~2", sequence(X, Y, X, Y)),
        ("X~2..2", sequence(X, X)),
        ("X~2..4", Repetition(X, 2, 4)),
        ("X~0..2", Repetition(X, 0, 2)),
        ("(X*)~2", sequence(Repetition(X, 0, None), Repetition(X, 0, None))),
        ("X -> name", X),
    ],
)
def test_a_construct_keeps_its_structure(body: str, expected: Symbol) -> None:
    assert alternatives(body) == (expected,)


@pytest.mark.parametrize("body", ["X | Y | X Y", "(X | Y) | X Y", "(X | Y | X Y)", "X -> one\n | Y -> two\n | X Y"])
def test_alternatives_come_in_the_order_of_the_file_and_outer_groups_are_flat(body: str) -> None:
    assert alternatives(body) == (X, Y, sequence(X, Y))


@pytest.mark.parametrize("body", ["X~3..2", "X~-1", "X~-2..1", "Y X~9..8"])
def test_a_range_that_holds_nothing_is_an_error_with_its_line(body: str) -> None:
    with pytest.raises(BonsaiError, match=r"grammar\.lark:1: .*range") as caught:
        alternatives(body)
    assert caught.value.hint


LIST = Repetition(X, 1, None, COMMA)
OPTIONAL_LIST = Repetition(X, 0, None, COMMA)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('X ("," X)*', LIST),
        ("X (COMMA X)*", LIST),
        ('[X ("," X)*]', OPTIONAL_LIST),
        ('(X ("," X)*)?', OPTIONAL_LIST),
        ('(X ("," X)*)', LIST),
        ('x ("," x)*', Repetition(RULE, 1, None, COMMA)),
        ('(X | Y) ("," (X | Y))*', Repetition(Choice((X, Y)), 1, None, COMMA)),
        ('X ":" Y ("," X ":" Y)*', Repetition(sequence(X, COLON, Y), 1, None, COMMA)),
        ('X ("," ":" X)*', Repetition(X, 1, None, sequence(COMMA, COLON))),
        ('X? ("," X?)*', Repetition(Option(X), 1, None, COMMA)),
        ('X Y? ("," X Y?)*', Repetition(sequence(X, Option(Y)), 1, None, COMMA)),
        ('Y X ("," X)*', sequence(Y, LIST)),
        ('X ("," X)* Y', sequence(LIST, Y)),
        ('X ("," X)* ","?', sequence(LIST, Option(COMMA))),
        ('Y [X ("," X)*] Y', sequence(Y, OPTIONAL_LIST, Y)),
        (
            'X ("," X)* (":" X ("," X)*)*',
            Repetition(LIST, 1, None, COLON),
        ),
    ],
)
def test_a_separated_repetition_is_one_repetition_of_its_items(body: str, expected: Symbol) -> None:
    assert alternatives(body) == (expected,)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('X ("," Y)*', sequence(X, Repetition(sequence(COMMA, Y), 0, None))),
        ('X ("," X)+', sequence(X, Repetition(sequence(COMMA, X), 1, None))),
        ('X ("," X)~0..3', sequence(X, Repetition(sequence(COMMA, X), 0, 3))),
        ("X X*", sequence(X, Repetition(X, 0, None))),
        ('("," X)*', Repetition(sequence(COMMA, X), 0, None)),
        ('X ("," X)?', sequence(X, Option(sequence(COMMA, X)))),
    ],
)
def test_what_only_looks_like_a_separated_repetition_is_left_alone(body: str, expected: Symbol) -> None:
    assert alternatives(body) == (expected,)
