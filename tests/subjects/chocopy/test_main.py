import json
import subprocess
import sys
from pathlib import Path

import pytest

from bonsai.subjects.chocopy import analyse
from bonsai.subjects.chocopy.__main__ import main


def test_prints_a_line_for_each_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["x:int = 1\n", 'print("a\\n")\n', "[[], None, True, -1]\n"]
    files = [tmp_path / f"{number}.py" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    assert main([str(file) for file in files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines] == [analyse(text) for text in texts]
    assert lines == [json.dumps(analyse(text)) for text in texts]


@pytest.mark.parametrize("text", ["x\n", "x x\n", "\0"])
def test_an_error_in_a_program_is_exit_code_1(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text(text)
    good.write_text("pass\n")
    assert main([str(bad), str(good)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_file_that_cannot_be_read_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (tmp_path / "missing.py", tmp_path):
        assert main([str(file)]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert len(shown.err.splitlines()) == 1
        assert str(file) in shown.err
        assert "give the name of a readable ChocoPy program" in shown.err


def test_no_file_is_exit_code_2() -> None:
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2


def test_bytes_that_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bytes.py"
    file.write_bytes(b"\xff\n")
    assert main([str(file)]) == 1
    assert "Unrecognized character" in capsys.readouterr().out


def test_a_deep_tree_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sum.py"
    file.write_text(" + ".join(["1"] * 5_000) + "\n")
    assert main([str(file)]) == 0
    assert capsys.readouterr().out.count('"IntegerLiteral"') == 5_000


def test_runs_as_a_module(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("pass\n")
    run = subprocess.run(
        [sys.executable, "-m", "bonsai.subjects.chocopy", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout) == analyse("pass\n")
