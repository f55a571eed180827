"""TOML tables that refuse what is unknown, missing or of a wrong type, with the line of the key."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.errors import BonsaiError
from bonsai.tables import Table, read_toml


def table(folder: Path, text: str) -> Table:
    path = folder / "it.toml"
    path.write_bytes(text.encode("utf-8"))
    return read_toml(path)


def test_values_come_out_with_their_types(tmp_path: Path) -> None:
    root = table(tmp_path, 's = "x"\ni = 3\nl = ["a", "b"]\n[t]\nk = 1\n')
    assert (root.string("s"), root.integer("i"), root.strings("l")) == ("x", 3, ("a", "b"))
    assert root.table("t").integer("k") == 1
    root.finish()


def test_defaults_stand_in_for_what_is_not_there(tmp_path: Path) -> None:
    root = table(tmp_path, "")
    assert (root.string("s", "x"), root.integer("i", 0), root.strings("l", ())) == ("x", 0, ())
    assert list(root.table("t")) == []
    root.finish()


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("\nk = 3\n", lambda root: root.string("k")),
        ('\nk = "3"\n', lambda root: root.integer("k")),
        ("\nk = true\n", lambda root: root.integer("k")),
        ("\nk = 1.0\n", lambda root: root.integer("k")),
        ("\nk = 1979-05-27\n", lambda root: root.string("k")),
        ('\nk = "a"\n', lambda root: root.strings("k")),
        ('\nk = [\n  "a",\n  1,\n]\n', lambda root: root.strings("k")),
        ("\nk = 3\n", lambda root: root.table("k")),
        ("\n[[k]]\n", lambda root: root.table("k")),
        ("\nk = 3\n", lambda root: root.finish()),
        ("\n[k]\na = 1\n", lambda root: root.finish()),
        ("\n[k.deeper]\na = 1\n", lambda root: root.finish()),
        ("\n[k]\na = 1\n", lambda root: root.table("k").string("b")),
        ("# k = 1\nk = 3\n", lambda root: root.string("k")),
        ('a = """\nk = 1\n[k]\n"""\n"k" = 3\n', lambda root: root.string("k")),
        ("\nk.a = 1\n", lambda root: root.table("k").string("a")),
        ("\nk = { a = 1, b = 2 }\n", lambda root: root.table("k").string("b")),
        ('\n"k" = 3\n', lambda root: root.string("k")),
        ("\r\nk = 3\r\n", lambda root: root.string("k")),
        ("# \u2028 \x85\nk = 3\n", lambda root: root.string("k")),
        ("[a]\n  k = 3\n[b]\nk = 3\n", lambda root: root.table("a").string("k")),
    ],
)
def test_every_complaint_names_the_file_and_the_line_and_has_a_hint(
    tmp_path: Path, text: str, ask: Callable[[Table], object]
) -> None:
    line = 5 if '"""' in text else 2
    with pytest.raises(BonsaiError) as caught:
        ask(table(tmp_path, text))
    assert caught.value.message.startswith(f"{tmp_path / 'it.toml'}:{line}: ")
    assert caught.value.hint


def test_the_line_of_a_key_is_looked_for_in_its_own_table(tmp_path: Path) -> None:
    text = "[a]\nk = 3\n[b]\n[b.a]\nk = 4\n['b'.\"c.d\"]\nk = 5\n"
    root = table(tmp_path, text)
    nested = root.table("b")
    places = [root.table("a"), nested.table("a"), nested.table("c.d")]
    assert [place.place("k").rsplit(":", 1)[1] for place in places] == ["2", "5", "7"]
    assert [place.place(None).rsplit(":", 1)[1] for place in places] == ["1", "4", "6"]


def test_unknown_keys_are_answered_with_those_that_there_are(tmp_path: Path) -> None:
    root = table(tmp_path, "nmae = 1\n")
    root.string("name", "")
    root.string("name", "")
    root.integer("size", 0)
    with pytest.raises(BonsaiError, match="unknown key 'nmae' in the file") as caught:
        root.finish()
    assert caught.value.hint == "the keys there are name, size"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = abc\n", 2),
        ("a = 1\na = 2\n", 2),
        ('a = 1\nb = "x\n', 2),
        ("a = 1\nb = [1,\n", 2),
        ("a = 1\n[b\n", 2),
        ("a = 1\nb 2\n", 2),
        ('a = 1\nb = "\\z"\n', 2),
    ],
)
def test_a_syntax_error_has_its_line(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(BonsaiError) as caught:
        table(tmp_path, text)
    assert caught.value.message.startswith(f"{tmp_path / 'it.toml'}:{line}: not TOML: ")
    assert "(at " not in caught.value.message
    assert caught.value.hint


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match=r"absent\.toml: cannot read it: No such file"):
        read_toml(tmp_path / "absent.toml")
    with pytest.raises(BonsaiError, match="cannot read it: Is a directory"):
        read_toml(tmp_path)


def test_a_file_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_bytes(b'a = 1\nb = "\xff"\n')
    with pytest.raises(BonsaiError, match=r"it\.toml:2: not UTF-8"):
        read_toml(tmp_path / "it.toml")


def test_lists_nested_without_end_are_no_crash(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match="not TOML"):
        table(tmp_path, f"a = {'[' * 5000}\n")


@given(st.lists(st.sampled_from(["", "# k = 0", "x{} = 1", 'y{} = """\nk = 2\n"""', "z{} = [\n1,\n]"]), max_size=6))
def test_a_key_is_found_on_its_line_whatever_stands_above_it(above: list[str]) -> None:
    text = "".join(f"{line.format(place)}\n" for place, line in enumerate(above))
    whole = Table(Path("it.toml"), f"{text}k = 1\n", (), {"k": 1})
    assert whole.place("k") == f"it.toml:{text.count(chr(10)) + 1}"
