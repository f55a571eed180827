import pytest

from bonsai.subjects.chocopy.lexer import (
    DEDENT,
    EOF,
    ID,
    IDSTRING,
    INDENT,
    INTEGER,
    KEYWORDS,
    NEWLINE,
    STRING,
    UNRECOGNISED,
    Token,
    tokenise,
)


def unrecognised(text: str) -> Token:
    """The token that ends the tokens of a text with a lexical error."""
    *_, last, end = tokenise(text)
    assert (last.kind, end.kind) == (UNRECOGNISED, EOF)
    return last


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenise(text)]


def test_words_symbols_and_literals() -> None:
    assert kinds('x:int = 1 // 20 -> "a" "a b"\n') == [
        ID,
        ":",
        ID,
        "=",
        INTEGER,
        "//",
        INTEGER,
        "->",
        IDSTRING,
        STRING,
        NEWLINE,
        EOF,
    ]


def test_a_token_has_its_columns() -> None:
    first, second, *_ = tokenise('ab  "c"\n')
    assert (first.line, first.first, first.last) == (1, 1, 2)
    assert (second.line, second.first, second.last) == (1, 5, 7)
    assert second.text == "c"


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_keywords_are_no_identifiers(keyword: str) -> None:
    assert kinds(keyword)[0] == keyword
    assert kinds(keyword + "_")[0] == ID


@pytest.mark.parametrize("name", ["self", "print", "int", "object", "__init__", "_", "a1", "match", "Ais"])
def test_other_words_are_identifiers(name: str) -> None:
    assert kinds(name)[0] == ID


def test_numbers_have_no_leading_zero() -> None:
    assert kinds("007\n") == [INTEGER, INTEGER, INTEGER, NEWLINE, EOF]
    assert kinds("1a\n") == [INTEGER, ID, NEWLINE, EOF]


def test_the_largest_integer() -> None:
    assert tokenise("2147483647\n")[0].text == "2147483647"
    for text in ("2147483648\n", "9" * 10_000):
        assert unrecognised(text).text == "Integer literal too large"


@pytest.mark.parametrize(
    ("literal", "kind", "value"),
    [
        ('""', STRING, ""),
        ('"a b"', STRING, "a b"),
        ('"abc_1"', IDSTRING, "abc_1"),
        ('"1abc"', STRING, "1abc"),
        ('"class"', IDSTRING, "class"),
        (r'"\n\t\\\""', STRING, '\n\t\\"'),
        ('"#"', STRING, "#"),
        ('"\'"', STRING, "'"),
    ],
)
def test_strings(literal: str, kind: str, value: str) -> None:
    token = tokenise(literal)[0]
    assert (token.kind, token.text, token.first, token.last) == (kind, value, 1, len(literal))


@pytest.mark.parametrize(
    "text", ['"', '"a', '"a\n"', r'"\q"', r'"\"', '"é"', '"\t"', "'a'", "&", "é", "\0", "\f", "!"]
)
def test_unrecognised_characters(text: str) -> None:
    assert unrecognised(f"a {text}\nb\n").text.startswith("Unrecognized ")


def test_blank_lines_and_comments_leave_no_token() -> None:
    assert kinds("") == [EOF]
    assert kinds("\n  \n\t\n# é\n   # x") == [EOF]
    assert kinds("a # b\n\n  # c\na\n") == [ID, NEWLINE, ID, NEWLINE, EOF]


def test_the_end_of_a_line_comes_after_its_comment() -> None:
    assert tokenise("a  # b\n")[1][2:] == (1, 7, 7)


def test_a_missing_last_line_end_is_supplied() -> None:
    assert kinds("a") == [ID, NEWLINE, EOF]
    assert tokenise("if a:\n  b # c") == tokenise("if a:\n  b # c\n")
    assert tokenise("if a:\n  b\n ") == tokenise("if a:\n  b\n \n")
    assert kinds("if a:\n  b  # c") == ["if", ID, ":", NEWLINE, INDENT, ID, NEWLINE, DEDENT, EOF]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_all_line_ends_are_one(end: str) -> None:
    text = "if a:\n  b\n\nc\n"
    assert tokenise(text.replace("\n", end)) == tokenise(text)


def test_blocks() -> None:
    assert kinds("a\n b\n  c\nd\n") == [
        ID,
        NEWLINE,
        INDENT,
        ID,
        NEWLINE,
        INDENT,
        ID,
        NEWLINE,
        DEDENT,
        DEDENT,
        ID,
        NEWLINE,
        EOF,
    ]


def test_an_indented_first_line_opens_a_block() -> None:
    assert kinds("\n  a\n") == [INDENT, ID, NEWLINE, DEDENT, EOF]


def test_a_tab_reaches_to_the_next_multiple_of_eight() -> None:
    assert kinds("a\n\tb\n        c\n  \td\n") == [
        ID,
        NEWLINE,
        INDENT,
        ID,
        NEWLINE,
        ID,
        NEWLINE,
        ID,
        NEWLINE,
        DEDENT,
        EOF,
    ]
    assert tokenise("a\n\tb\n")[3].first == 2  # A tab is one column wide.


def test_indentation_must_match_an_open_block() -> None:
    assert unrecognised("a\n    b\n  c\n")[1:] == ("Indentation matches no enclosing block", 3, 1, 2)


def test_the_end_of_a_block_is_the_indentation_after_it() -> None:
    inner = next(token for token in tokenise("a\n  b\n    c\n\n  d\n") if token.kind == DEDENT)
    assert (inner.line, inner.first, inner.last) == (5, 1, 2)


def test_blocks_that_end_with_the_text_end_in_columns_of_their_own() -> None:
    ends = [token for token in tokenise("a\n  b\n    c\n\n") if token.kind == DEDENT]
    assert [(token.line, token.first, token.last) for token in ends] == [(5, 1, 1), (5, 2, 2)]
