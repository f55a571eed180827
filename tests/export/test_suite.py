"""Exported test suites: they run without Bonsai, pass as exported, and fail when the program changes."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bonsai
from bonsai.corpus_folder import CorpusFile
from bonsai.export.expectations import expect
from bonsai.export.folder import write_export
from bonsai.export.pytest_suite import pytest_suite
from bonsai.new_subject.starter import start_subject
from bonsai.outputs import Existing
from bonsai.subject import BUNDLED
from made_subjects import JSON_DRIVER, SETTINGS, json_subject

TEXTS = ["[]", "null", '{"a": 0, "a": 1}', "[[1]]", "[0, 0]", '"b"']
FILES = [CorpusFile(f"valid/{number}.json", text) for number, text in enumerate(TEXTS)]
# No import finds Bonsai in such a process, wherever it is installed.
WITHOUT_BONSAI = "import sys; sys.modules['bonsai'] = None; "
UNTOUCHED = "-p", "no:cacheprovider", "-q", "-c", "/dev/null"


def run(*arguments: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    start = f"{WITHOUT_BONSAI}import pytest; sys.exit(pytest.main({[*UNTOUCHED, *map(str, arguments)]!r}))"
    command, env = [sys.executable, "-c", start], os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


def exported(subject: bonsai.Subject, folder: Path) -> Path:
    write_export(folder, pytest_suite(subject, expect(subject, FILES).known, folder), Existing.REFUSE)
    return folder


def test_bonsai_is_really_out_of_reach() -> None:
    code = f"{WITHOUT_BONSAI}import bonsai"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in found.stderr


def test_a_suite_with_a_driver_that_speaks_of_bonsai_runs_without_it(tmp_path: Path) -> None:
    folder = exported(json_subject(tmp_path / "subject"), tmp_path / "suite")
    found = run(folder)
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{len(TEXTS)} passed" in found.stdout
    (folder / "driver.py").write_text(JSON_DRIVER.replace('"twins"', '"pair"').replace("repeated key", "twice"))
    found = run(folder)
    assert found.returncode == 1
    assert "2 failed" in found.stdout


def test_a_suite_refreshes_its_own_expectations(tmp_path: Path) -> None:
    folder = exported(json_subject(tmp_path / "subject", JSON_DRIVER), tmp_path / "suite")
    before = (folder / "expected/valid/0.json.json").read_text()
    (folder / "driver.py").write_text(JSON_DRIVER.replace('"twins"', '"pair"'))
    command = [sys.executable, str(folder / "test_json.py")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert subprocess.run([*command, "--update"], check=False).returncode == 0
    assert json.loads((folder / "expected/valid/4.json.json").read_text()) == {"outcome": "valid", "output": "pair"}
    assert (folder / "expected/valid/0.json.json").read_text() == before
    assert run(folder).returncode == 0


@pytest.mark.slow
def test_exceptions_are_verdicts_as_in_the_settings_and_nothing_is_copied_that_is_installed(tmp_path: Path) -> None:
    toml = (BUNDLED / "json/bonsai.toml").read_text()
    listed = 'invalid = ["ValueError"]\nunparsed = ["json.JSONDecodeError"]\n'
    target = '[target]\nengine = "python"\ncall = "json:loads"\ncover = ["json.decoder"]\n'
    (tmp_path / "bonsai.toml").write_text(toml + target + listed)
    (tmp_path / "json.lark").write_text((BUNDLED / "json/json.lark").read_text())
    subject = bonsai.load_subject(tmp_path)
    texts = ["[1.0, NaN]", "[", "9" * 5000, "{}"]
    known = expect(subject, [CorpusFile(str(place), text) for place, text in enumerate(texts)]).known
    assert [one.answer["outcome"] for one in known] == ["valid", "unparsed", "invalid", "valid"]
    files = pytest_suite(subject, known, tmp_path / "suite")
    assert sorted(name for name in files if name.endswith(".py")) == ["test_json.py"]
    write_export(tmp_path / "suite", files, Existing.REFUSE)
    found = run(tmp_path / "suite")
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.slow
def test_modules_beside_the_driver_come_along(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject", "import part\ndef check(text):\n    return part.size(text)\n")
    (tmp_path / "subject/part").mkdir()
    (tmp_path / "subject/part/__init__.py").write_text("from part.inner import size\n")
    (tmp_path / "subject/part/inner.py").write_text("size = len\n")
    (tmp_path / "subject/unrelated.py").write_text("")
    folder = exported(subject, tmp_path / "suite")
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.py")} == {
        "test_json.py",
        "driver.py",
        "part/__init__.py",
        "part/inner.py",
    }
    assert run(folder).returncode == 0


PATH = 'path = [".."]\n'
CALLS = {
    "driver:check": "import lang\ndef check(text):\n    return lang.size(text)\n",
    "lang:size": "",
    "lang.inner:size": "",
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_program_in_another_folder_is_tested_where_it_is(tmp_path: Path, call: str) -> None:
    """In the project, wherever that is; alone, the suite asks for it."""
    home = tmp_path / "project"
    (home / "lang").mkdir(parents=True)
    (home / "lang/__init__.py").write_text("from lang.inner import size\n")
    (home / "lang/inner.py").write_text("size = len\n")
    settings = SETTINGS.replace("driver:check", call).replace('["driver"]', '["lang.*"]') + PATH
    exported(json_subject(home / "subject", CALLS[call], settings), home / "checks/grown")
    assert run(home / "checks").returncode == 0
    moved = home.rename(tmp_path / "elsewhere")
    assert run(moved / "checks").returncode == 0
    shutil.copytree(moved / "checks", tmp_path / "checks")
    found = run(tmp_path / "checks")
    assert found.returncode == 2
    assert "No module named 'lang'" in found.stdout
    assert "say where it is with PYTHONPATH" in found.stdout
    assert run(tmp_path / "checks", PYTHONPATH=str(moved)).returncode == 0
    (moved / "lang/inner.py").write_text("def size(text):\n    return 7\n")
    assert f"{len(TEXTS)} failed" in run(moved / "checks").stdout


def test_a_suite_says_where_its_program_is_and_what_it_needs(tmp_path: Path) -> None:
    driver = "import lark, lang\ndef check(text):\n    return lang.size(text)\n"
    subject = json_subject(tmp_path / "project/subject", driver, SETTINGS + PATH)
    (tmp_path / "project/lang.py").write_text("import json, rich\nsize = len\n")
    files = pytest_suite(subject, [], tmp_path / "project/checks/grown")
    assert sorted(files) == ["driver.py", "test_json.py"]
    source = files["test_json.py"].decode()
    told = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    assert "Beside this file, copied from the subject: driver." in told
    assert "Imported from ../.., seen from here, or else from PYTHONPATH: lang." in told
    assert "To be installed, if missing: lark, rich." in told
    assert max(map(len, source.splitlines())) <= 116


def test_data_beside_a_module_comes_along(tmp_path: Path) -> None:
    driver = "import part\ncheck = part.check\n"
    subject = json_subject(tmp_path / "subject", driver)
    (tmp_path / "subject/part").mkdir()
    (tmp_path / "subject/part/words.txt").write_text("null")
    (tmp_path / "subject/part/__init__.py").write_text(
        "from pathlib import Path\nWORDS = Path(__file__).with_name('words.txt').read_text()\n"
        "def check(text):\n    return text in WORDS\n"
    )
    (tmp_path / "subject/part/old.py").write_text("print 'a source for another Python'\n")
    folder = exported(subject, tmp_path / "suite")
    assert (folder / "part/words.txt").read_text() == "null"
    assert run(folder).returncode == 0


LATE = """
def check(text):
    import part
    return part.describe(text)
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["prepend", "append", "importlib"])
def test_suites_with_modules_of_the_same_names_run_together(tmp_path: Path, mode: str) -> None:
    """Each finds its own `driver`, and its own `part`, which is imported only when the driver is called."""
    for name in ("one", "two"):
        subject = json_subject(tmp_path / name, LATE)
        (tmp_path / name / "part.py").write_text(f"def describe(text):\n    return ['{name}', text]\n")
        toml = tmp_path / name / "bonsai.toml"
        toml.write_text(toml.read_text().replace('name = "json"', f'name = "{name}"'))
        exported(bonsai.load_subject(subject.folder), tmp_path / f"suites/{name}")
    found = run(f"--import-mode={mode}", tmp_path / "suites")
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{2 * len(TEXTS)} passed" in found.stdout
    part = tmp_path / "suites/two/part.py"
    part.write_text(part.read_text().replace("two", "three"))
    assert f"{len(TEXTS)} failed, {len(TEXTS)} passed" in run(f"--import-mode={mode}", tmp_path / "suites").stdout


@pytest.mark.slow
def test_suites_of_one_subject_run_together_as_pytest_recommends(tmp_path: Path) -> None:
    for name in ("one", "two"):
        exported(json_subject(tmp_path / name), tmp_path / f"suites/{name}")
    found = run("--import-mode=importlib", tmp_path / "suites")
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{2 * len(TEXTS)} passed" in found.stdout


@pytest.mark.slow
def test_what_init_makes_can_be_exported(tmp_path: Path) -> None:
    start_subject(tmp_path / "new")
    subject = bonsai.load_subject(tmp_path / "new")
    texts = ["a = 1; print a + 1;", "print b;", "print 1 / 0;", "?"]
    known = expect(subject, [CorpusFile(str(place), text) for place, text in enumerate(texts)]).known
    assert [one.answer["outcome"] for one in known] == ["valid", "invalid", "invalid", "unparsed"]
    assert known[0].answer["output"] == [2]
    files = pytest_suite(subject, known, tmp_path / "suite")
    assert "grammar.lark" in files
    write_export(tmp_path / "suite", files, Existing.REFUSE)
    found = run(tmp_path / "suite")
    assert found.returncode == 0, found.stdout + found.stderr


def test_what_does_not_recur_is_not_expected(tmp_path: Path) -> None:
    driver = "import os\ndef check(text):\n    if text == 'null': raise SystemExit\n    return os.getpid()\n"
    subject = json_subject(tmp_path / "subject", driver)
    found = expect(subject, FILES)
    assert found.unknown == ("valid/1.json",)
    assert found.varying == len(TEXTS) - 1
    assert {json.dumps(one.answer) for one in found.known} == {'{"outcome": "valid"}'}


def test_what_depends_on_the_order_of_a_set_is_not_expected(tmp_path: Path) -> None:
    driver = "def check(text):\n    return [text, *{'one', 'two', 'three', 'four', 'five'}]\n"
    found = expect(json_subject(tmp_path / "subject", driver), FILES[:2])
    assert found.varying == 2
    assert [one.answer for one in found.known] == [{"outcome": "valid"}] * 2


def test_a_program_that_is_part_of_bonsai_says_so(tmp_path: Path) -> None:
    subject = bonsai.load_subject("chocopy")
    [known] = expect(subject, [CorpusFile("a.py", "x:int = True\n")]).known
    source = pytest_suite(subject, [known], tmp_path)["test_chocopy.py"].decode()
    assert "a part of Bonsai, which must be installed" in source
    assert known.answer["message"] == "Expected type `int`; got type `bool`"


def test_a_suite_is_one_readable_file(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject", JSON_DRIVER, f'{SETTINGS}invalid = ["KeyError", "driver.Mine"]\n')
    source = pytest_suite(subject, [], tmp_path / "suite")["test_json.py"].decode()
    compile(source, "test_json.py", "exec")
    assert 'INVALID = (KeyError, resolve_name("driver.Mine"), resolve_name("bonsai.errors.Invalid"))' in source
    assert max(map(len, source.splitlines())) <= 116


@pytest.mark.parametrize("bad", ["{", "[1"])
def test_nothing_to_expect_is_an_error(bad: str, tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject")
    with pytest.raises(bonsai.BonsaiError, match="no answer to any"):
        expect(subject, [CorpusFile("a", bad)])  # `json` raises what the settings do not list: a crash
