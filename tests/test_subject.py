"""`bonsai.toml` → `Subject`: read strictly, every complaint with file, line and hint."""

from pathlib import Path

import pytest

from bonsai.bounds import Bounds
from bonsai.errors import BonsaiError
from bonsai.grammar.model import Layout
from bonsai.subject import BUNDLED, Subject, bundled_subjects, identity, load_subject, start_target

GRAMMAR = 'start: NAME "=" NUMBER | "go" _NL\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n%declare _NL _IN _DE\n'
HEAD = '[grammar]\nfile = "g.lark"\n'
LAYOUT = '[grammar.layout]\nnewline = "_NL"\n'


def subject(folder: Path, text: str) -> Subject:
    (folder / "g.lark").write_text(GRAMMAR, encoding="utf-8")
    (folder / "bonsai.toml").write_text(text, encoding="utf-8")
    return load_subject(folder)


def test_a_subject_with_everything(tmp_path: Path) -> None:
    text = (
        '[subject]\nname = "mine"\nsuffix = ".m"\n'
        f'{HEAD}start = "start"\n'
        '[grammar.identifiers]\nNAME = ["x", "y"]\n[grammar.terminals]\nNUMBER = ["7"]\n'
        '[grammar.layout]\nnewline = "_NL"\nindent = "_IN"\ndedent = "_DE"\n[grammar.spacing]\n"=" = "none"\n'
        '[target]\nengine = "python"\ncall = "m:f"\n[bounds]\nidents = 1\nitems = 2\ndepth = 4\n'
    )
    found = subject(tmp_path, text)
    assert (found.name, found.suffix, found.folder, found.bounds) == ("mine", ".m", tmp_path, Bounds(1, 2, 4))
    assert found.grammar.terminals["NAME"].values == ("x", "y")
    assert found.grammar.terminals["NUMBER"].values == ("7",)
    assert found.grammar.layout == Layout("_NL", "_IN", "_DE")
    assert found.target is not None


def test_a_subject_with_nothing_but_a_grammar(tmp_path: Path) -> None:
    found = subject(tmp_path, HEAD + LAYOUT)
    assert (found.name, found.suffix, found.bounds) == (tmp_path.name, ".txt", Bounds(3, 3, 3))
    assert found.target is None


@pytest.mark.parametrize("name", bundled_subjects())
def test_bundled_subjects_load_by_name_by_folder_and_by_file(name: str) -> None:
    assert load_subject(name).name == name
    assert load_subject(BUNDLED / name).name == name
    assert load_subject(str(BUNDLED / name / "bonsai.toml")).name == name


def test_there_are_bundled_subjects() -> None:
    assert {"json", "calc", "blocks", "minilua"} <= set(bundled_subjects())


def test_a_folder_of_the_name_of_a_bundled_subject_is_taken_only_if_it_is_a_subject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json").mkdir()
    assert load_subject("json").folder == BUNDLED / "json"
    subject(tmp_path / "json", HEAD + LAYOUT)
    assert load_subject("json").folder == Path("json")


@pytest.mark.parametrize("name", ["nothing-like-it", "a" * 300, "no\0thing"])
def test_a_subject_that_is_not_there_is_answered_with_those_that_are(name: str) -> None:
    with pytest.raises(BonsaiError, match="no such subject") as caught:
        load_subject(name)
    assert "json" in caught.value.hint


@pytest.mark.parametrize(
    ("typed", "meant"), [("chocpy", "chocopy"), ("jsno", "json"), ("chocopy-refrence", "chocopy-reference")]
)
def test_a_typing_error_is_answered_with_what_was_meant(typed: str, meant: str) -> None:
    with pytest.raises(BonsaiError) as caught:
        load_subject(typed)
    assert caught.value.hint.startswith(f"did you mean {meant!r}?")


def test_a_subject_without_a_target_is_to_sample_from(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match="has no program") as caught:
        start_target(load_subject("calc"))
    assert "bonsai sample calc" in caught.value.hint
    with pytest.raises(BonsaiError, match="has no program") as caught:
        start_target(subject(tmp_path, HEAD + LAYOUT))
    assert f"{tmp_path}/bonsai.toml" in caught.value.hint


def test_a_folder_without_a_configuration_is_no_subject(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match=r"there is no bonsai\.toml in it"):
        load_subject(tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "'file' is missing in [grammar]"),
        ("[grammar]\n", 1, "'file' is missing in [grammar]"),
        (HEAD + LAYOUT + "[grammer]\n", 5, "unknown key 'grammer'"),
        ("nmae = 1\n" + HEAD + LAYOUT, 1, "unknown key 'nmae'"),
        ('[subject]\nnmae = "x"\n' + HEAD, 2, "unknown key 'nmae' in [subject]"),
        ("[subject]\nname = 3\n" + HEAD, 2, "name is not a text"),
        ('[subject]\nsuffix = "py"\n' + HEAD, 2, "'py' is no file suffix"),
        ('[subject]\nsuffix = "./x"\n' + HEAD, 2, "is no file suffix"),
        ("subject = 3\n" + HEAD, 1, "subject is not a table"),
        (HEAD + "[bounds]\ndepth = 0\n", 4, "depth is 0"),
        (HEAD + "[bounds]\nitems = -3\n", 4, "items is -3"),
        (HEAD + "[bounds]\nitems = 1000001\n", 4, "items is 1000001"),
        (HEAD + "[bounds]\nidents = 2.5\n", 4, "idents is not a whole number"),
        (HEAD + "[bounds]\n\nwidth = 3\n", 5, "unknown key 'width' in [bounds]"),
        ('[grammar]\nfile = "absent.lark"\n', 2, "there is no file"),
        ('[grammar]\nfile = "."\n', 2, "there is no file"),
        ('[grammar]\nfile = "a\\u0000b"\n', 2, "there is no file"),
        ("[grammar]\nfile = 3\n", 2, "file is not a text"),
        (HEAD + 'start = "program"\n' + LAYOUT, 3, "there is no rule 'program'"),
        (HEAD + 'strat = "start"\n' + LAYOUT, 3, "unknown key 'strat' in [grammar]"),
        (HEAD + LAYOUT + '[grammar.identifiers]\nNAME = ["a"]\nID = ["a"]\n', 7, "ID is no terminal"),
        (HEAD + LAYOUT + '[grammar.identifiers]\nstart = ["a"]\n', 6, "start is no terminal"),
        (HEAD + LAYOUT + '[grammar.terminals]\nNUM = ["1"]\n', 6, "NUM is no terminal"),
        (HEAD + LAYOUT + '[grammar.identifiers]\n_NL = ["a"]\n', 6, "_NL is no terminal"),
        (HEAD + LAYOUT + "[grammar.identifiers]\nNAME = []\n", 6, "the pool of NAME is empty"),
        (HEAD + LAYOUT + '[grammar.identifiers]\nNAME = ["a", "a"]\n', 6, "repeats a value"),
        (HEAD + LAYOUT + '[grammar.identifiers]\nNAME = "a"\n', 6, "NAME is not a list of texts"),
        (HEAD + LAYOUT + "[grammar.identifiers]\nNAME = [1]\n", 6, "NAME is not a list of texts"),
        (HEAD + LAYOUT + '[grammar.identifiers]\nNAME = ["A"]\n', 6, "'A' in the pool of NAME does not match"),
        (
            HEAD + '[grammar.identifiers]\nNAME = ["a"]\n[grammar.terminals]\nNAME = ["b"]\n',
            6,
            "NAME has a pool in identifiers and in terminals",
        ),
        (HEAD + 'identifiers.ID = ["a"]\n' + LAYOUT, 3, "ID is no terminal"),
        (HEAD + '[grammar.layout]\nindent = "_IN"\n', 3, "'newline' is missing in [grammar.layout]"),
        (HEAD + LAYOUT + 'indent = "_IN"\n', 3, "indent and dedent go together"),
        (HEAD + LAYOUT + 'ident = "_IN"\n', 5, "unknown key 'ident' in [grammar.layout]"),
        (HEAD + '[grammar.layout]\nnewline = "_NEWLINE"\n', 4, "_NEWLINE is not in the grammar"),
        (HEAD + LAYOUT + '[grammar.spacing]\n"=" = "tight"\n', 6, "'tight' is no spacing"),
        (HEAD + LAYOUT + '[grammar.spacing]\n"==" = "none"\n', 6, "no terminal is ever written '=='"),
        (HEAD + LAYOUT + '[target]\nengine = "java"\n', 6, "unknown engine 'java'"),
        (HEAD + LAYOUT + "[target]\n", 5, "'engine' is missing in [target]"),
        (HEAD + "start = program\n", 3, "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_hint(
    tmp_path: Path, text: str, line: int | None, words: str
) -> None:
    with pytest.raises(BonsaiError) as caught:
        subject(tmp_path, text)
    place = f"{tmp_path / 'bonsai.toml'}{f':{line}' if line else ''}: "
    assert caught.value.message.startswith(place)
    assert words in caught.value.message
    assert caught.value.hint


def test_an_error_in_the_grammar_is_one_of_the_grammar_file(tmp_path: Path) -> None:
    (tmp_path / "bonsai.toml").write_text(f'{HEAD}start = "start"\n', encoding="utf-8")
    (tmp_path / "g.lark").write_text('\nstart: "x" start\n', encoding="utf-8")
    with pytest.raises(BonsaiError, match=r"g\.lark:2: rule 'start' derives only infinite texts"):
        load_subject(tmp_path)


def test_two_runs_are_of_the_same_thing_or_not(tmp_path: Path) -> None:
    mine = subject(tmp_path, HEAD + LAYOUT)
    first = identity(mine, ["a", "b"])
    assert list(first) == ["version", "subject", "folder", "grammar_hash", "target_hash", "engine"]
    assert identity(load_subject(str(first["folder"])), ["a", "b"]) == first
    changed = {key for key, value in identity(mine, ["a", "c"]).items() if first[key] != value}
    assert changed == {"target_hash"}
    pools = subject(tmp_path, HEAD + LAYOUT + '[grammar.identifiers]\nNAME = ["x"]\n')
    assert {key for key, value in identity(pools, ["a", "b"]).items() if first[key] != value} == {"grammar_hash"}
