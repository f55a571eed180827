from pathlib import Path

import pytest

from bonsai.captions import INDEX_MARK
from bonsai.corpus_folder import CorpusFile, read_corpus
from bonsai.errors import BonsaiError
from bonsai.outputs import Output, OutputKind


def _write(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def test_a_folder_of_files_at_any_depth(tmp_path: Path) -> None:
    _write(tmp_path, {"b.py": b"2\r\n", "deep/a.py": b"1", "README.md": b"no", ".git/x.py": b"no"})
    assert read_corpus(tmp_path, ".py") == [CorpusFile("b.py", "2\r\n"), CorpusFile("deep/a.py", "1")]


def test_without_the_suffix_all_files_count(tmp_path: Path) -> None:
    _write(tmp_path, {"one": b"1", "two": b"2"})
    assert [one.name for one in read_corpus(tmp_path, ".py")] == ["one", "two"]


def test_of_a_run_directory_only_the_corpus(tmp_path: Path) -> None:
    _write(tmp_path, {"run.json": b"{}", "corpus/valid/0001.py": b"1", "findings/0001-crash.py": b"no"})
    assert read_corpus(tmp_path, ".py") == [CorpusFile("valid/0001.py", "1")]


def test_the_index_of_a_run_is_no_input_but_another_file_of_that_name_is(tmp_path: Path) -> None:
    _write(tmp_path, {"run.json": b"{}", "corpus/INDEX.md": INDEX_MARK.encode(), "corpus/valid/0001.md": b"1"})
    expected = [CorpusFile("valid/0001.md", "1")]
    assert read_corpus(tmp_path, ".md") == read_corpus(tmp_path / "corpus", ".py") == expected
    (tmp_path / "corpus/INDEX.md").write_text("# mine")
    assert CorpusFile("INDEX.md", "# mine") in read_corpus(tmp_path, ".md")


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    _write(tmp_path, {"a.py": b"\xff1", "b.py": "\ud800".encode("utf-8", "surrogatepass")})
    assert [one.text for one in read_corpus(tmp_path, ".py")] == ["�1", "\ud800"]


@pytest.mark.parametrize("made", ["missing", "file", "empty"])
def test_what_is_no_corpus(tmp_path: Path, made: str) -> None:
    path = tmp_path / made
    if made == "file":
        path.write_text("1")
    elif made == "empty":
        path.mkdir()
    with pytest.raises(BonsaiError):
        read_corpus(path, ".py")


@pytest.mark.parametrize("files", [{"run.sqlite": b"data"}, {"run.sqlite": b"data", "corpus/valid/1.py": b"1"}])
def test_an_unfinished_run_is_no_corpus(files: dict[str, bytes], tmp_path: Path) -> None:
    _write(tmp_path, files)
    with pytest.raises(BonsaiError, match="has no result yet") as caught:
        read_corpus(tmp_path, ".py")
    assert f"bonsai grow --resume {tmp_path}" in caught.value.hint


def test_a_run_that_was_killed_before_it_had_a_database_is_unfinished(tmp_path: Path) -> None:
    with Output.claim(tmp_path / "out", OutputKind.RUN) as output:
        output.write("corpus/valid/1.py", b"1")
    with pytest.raises(BonsaiError, match="has no result yet"):
        read_corpus(tmp_path / "out", ".py")


def test_the_inputs_of_a_reduction_are_in_its_corpus(tmp_path: Path) -> None:
    with Output.claim(tmp_path / "out", OutputKind.REDUCTION) as output:
        output.write("corpus/valid/1.json", b"1")
        output.write("reduction.json", b"{}")
    assert read_corpus(tmp_path / "out", ".json") == [CorpusFile("valid/1.json", "1")]
