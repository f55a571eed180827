"""What settings a grammar suggests."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.grammar.model import Layout
from bonsai.new_subject.grammar_file import read_grammar_file
from bonsai.subject import BUNDLED


@pytest.mark.parametrize(
    ("subject", "start", "identifiers"),
    [
        ("calc", "start", {"NAME": ("a", "b", "c", "d", "e")}),
        ("chocopy", "program", {"ID": ("a", "b", "c", "d", "e")}),
        ("json", "start", {}),
        ("minilua", "start", {"NAME": ("a", "b", "c", "d", "e")}),
    ],
)
def test_the_bundled_grammars(subject: str, start: str, identifiers: dict[str, tuple[str, ...]]) -> None:
    read = read_grammar_file(BUNDLED / subject / f"{subject}.lark")
    assert (read.start, read.identifiers) == (start, identifiers)


def test_numbers_are_few(tmp_path: Path) -> None:
    assert read_grammar_file(BUNDLED / "calc/calc.lark").numbers == {"NUMBER": ("0", "1")}
    (tmp_path / "g.lark").write_text("start: HEX_INT POINT\nHEX_INT: /0x[0-9]+/\nPOINT: /[.]/\n")
    assert read_grammar_file(tmp_path / "g.lark").numbers == {"HEX_INT": ("0x0", "0x1")}


def test_indentation_is_noticed() -> None:
    assert read_grammar_file(BUNDLED / "blocks/blocks.lark").layout == Layout("_NEWLINE", "_INDENT", "_DEDENT")
    assert read_grammar_file(BUNDLED / "calc/calc.lark").layout is None


def test_names_are_values_of_their_pattern(tmp_path: Path) -> None:
    (tmp_path / "g.lark").write_text("start: VAR_NAME | MIDDAY\nVAR_NAME: /\\$[a-z]+/\nMIDDAY: /[0-9]+/\n")
    assert list(read_grammar_file(tmp_path / "g.lark").identifiers) == ["VAR_NAME"]
    [names] = read_grammar_file(tmp_path / "g.lark").identifiers.values()
    assert all(name.startswith("$") for name in names)


def test_grammars_beside_it_come_along(tmp_path: Path) -> None:
    (tmp_path / "g.lark").write_text(
        "start: part other\n%import .parts.part\n%import .more (other)\n%import common.INT\n"
    )
    (tmp_path / "parts.lark").write_text('%import .more (other)\npart: "a" | other\n')
    (tmp_path / "more.lark").write_text('other: "b"\n')
    assert sorted(read_grammar_file(tmp_path / "g.lark").files) == ["g.lark", "more.lark", "parts.lark"]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "there is no rule"), (b"\xff", "not UTF-8"), (b"start: absent\n", "absent"), (None, "cannot read it")],
)
def test_what_is_no_grammar(content: bytes | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "g.lark").write_bytes(content)
    with pytest.raises(BonsaiError, match=words):
        read_grammar_file(tmp_path / "g.lark")
