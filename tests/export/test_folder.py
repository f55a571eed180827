"""Exports on disk: nothing is lost that is not an export's own."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.export.folder import Changes, write_export
from bonsai.outputs import MANIFEST, Existing


def test_an_update_replaces_what_was_exported_and_nothing_else(tmp_path: Path) -> None:
    write_export(tmp_path / "a", {"in/1": b"1", "in/2": b"2", "test": b"t"}, Existing.REFUSE)
    (tmp_path / "a/own").write_text("mine")
    changes = write_export(tmp_path / "a", {"in/1": b"1", "in/3": b"3", "test": b"u"}, Existing.UPDATE)
    assert changes == Changes(new=("in/3",), changed=("test",), gone=("in/2",))
    found = {str(path.relative_to(tmp_path / "a")) for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert found == {"in/1", "in/3", "test", "own", MANIFEST}


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("mine")
    for existing, words in (
        (Existing.REFUSE, "not a folder that Bonsai wrote"),
        (Existing.UPDATE, "not a folder that Bonsai wrote"),
    ):
        with pytest.raises(BonsaiError, match=words):
            write_export(tmp_path, {"own": b"theirs"}, existing)
    assert (tmp_path / "own").read_text() == "mine"
    with pytest.raises(BonsaiError, match="is a file"):
        write_export(tmp_path / "own", {}, Existing.REFUSE)


def test_an_earlier_export_is_not_overwritten_unless_asked(tmp_path: Path) -> None:
    write_export(tmp_path / "a", {"1": b"1"}, Existing.REFUSE)
    with pytest.raises(BonsaiError, match="--update"):
        write_export(tmp_path / "a", {"1": b"2"}, Existing.REFUSE)


def test_there_must_be_an_export_to_update(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match="no export to update"):
        write_export(tmp_path / "a", {"1": b"1"}, Existing.UPDATE)
    assert not (tmp_path / "a").exists()


def test_a_file_that_was_changed_is_overwritten_only_with_what_it_says(tmp_path: Path) -> None:
    write_export(tmp_path / "a", {"1": b"1", "2": b"2"}, Existing.REFUSE)
    (tmp_path / "a/1").write_bytes(b"as updated by the suite itself")
    with pytest.raises(BonsaiError, match="a/1 was changed"):
        write_export(tmp_path / "a", {"1": b"new", "2": b"new"}, Existing.UPDATE)
    assert (tmp_path / "a/2").read_bytes() == b"2"
    changes = write_export(tmp_path / "a", {"1": b"as updated by the suite itself"}, Existing.UPDATE)
    assert changes == Changes(new=(), changed=(), gone=("2",))


@pytest.mark.parametrize("files", ["3", '["1"]', '{"../own": ["x"]}', '{"/own": ["x"]}', '{"": ["x"]}'])
def test_a_manifest_cannot_lead_out_of_the_folder(files: str, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("mine")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / MANIFEST).write_text(f'{{"kind": "export", "folders": [], "files": {files}}}')
    with pytest.raises(BonsaiError, match="cannot be read"):
        write_export(tmp_path / "a", {"1": b"1"}, Existing.UPDATE)
    assert (tmp_path / "own").read_text() == "mine"
