"""What a corpus is worth, with the coverage that other tools see, on targets small enough to count by hand."""

import os
import zipfile
from pathlib import Path

import pytest

from bonsai.corpus_folder import read_corpus
from bonsai.errors import BonsaiError
from bonsai.evaluation.jacoco import extract_classes
from bonsai.evaluation.measure import Features, Measurement, measure
from bonsai.evaluation.third_party import Coverage, Share
from bonsai.subject import load_subject
from targets.jvm.tools import needs_java

SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[3] / "shared"))
PUBLISHED = SHARED / "published-corpora"
needs_published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"{PUBLISHED} is not there")

PYTHON = {
    "bonsai.toml": '[target]\nengine = "python"\ncall = "driver:check"\ncover = ["pack.*"]\ntimeout = "1s"\n',
    "driver.py": "from pack.rules import rule\n\ndef check(text):\n    return rule(text)\n",
    "pack/__init__.py": "",
    "pack/rules.py": (
        "import os\nfrom bonsai.errors import Invalid\n\n"
        "def rule(text):\n    if text == 'bad':\n        raise Invalid('bad')\n"
        "    if text == 'crash':\n        return 1 / 0\n"
        "    if text == 'vanish':\n        os._exit(3)\n"
        "    return text or 'empty'\n"
    ),
    "pack/below/never.py": "def never(x):\n    if x:\n        return 1\n    return 2\n",
}
JVM = {
    "bonsai.toml": '[target]\nengine = "jvm"\ndriver = "Driver"\ncover = ["pack.*"]\n',
    "Driver.java": (
        "public class Driver {\n"
        "  public static Object check(String text) throws Exception { return pack.Rules.rule(text); }\n}\n"
    ),
    "pack/Rules.java": (
        "package pack;\npublic class Rules {\n  public static String rule(String text) throws Exception {\n"
        '    if (text.equals("bad")) {\n      throw new bonsai.Invalid("bad");\n    }\n'
        '    if (text.equals("crash")) {\n      throw new IllegalStateException();\n    }\n'
        '    if (text.equals("vanish")) {\n'
        '      Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 3);\n    }\n'
        '    return text.isEmpty() ? "empty" : text;\n  }\n}\n'
    ),
}


def measured(folder: Path, files: dict[str, str], texts: list[str]) -> Measurement:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "g.lark").write_text('start: "a"\n')
    with (folder / "bonsai.toml").open("a") as file:
        file.write('[grammar]\nfile = "g.lark"\n')
    return measure(load_subject(folder), texts)


def test_a_python_corpus(tmp_path: Path) -> None:
    found = measured(tmp_path, PYTHON, ["bad", "a b c", "crash", "vanish", "a"])
    assert (found.files, found.valid, found.invalid, found.unparsed, found.findings) == (5, 2, 1, 0, 2)
    assert (found.mean_size, found.median_size, found.max_size) == (3.6, 3, 6)
    assert found.features.covered == found.features.by_valid + 2  # the arms of `bad` and of `crash`
    assert isinstance(found.coverage, Coverage)
    assert found.coverage.tool.startswith("coverage.py")
    assert found.coverage.branches["pack"] == Share(5, 6)  # `vanish` is not run where nothing is isolated
    assert found.coverage.lines["pack"] == Share(9, 10)
    assert found.coverage.branches["pack.below"] == Share(0, 2)


def test_coverage_py_finds_modules_where_the_target_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/only_on_the_path.py").write_text("ANSWER = 'found'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "elsewhere"))
    driver = "import only_on_the_path\n" + PYTHON["driver.py"]
    found = measured(tmp_path / "subject", {**PYTHON, "driver.py": driver}, ["a"])
    assert found.valid == 1
    assert isinstance(found.coverage, Coverage)
    assert found.coverage.branches["pack"] == Share(3, 6)


def test_classes_of_a_jar_are_written_only_into_the_folder(tmp_path: Path) -> None:
    jar = tmp_path / "hostile.jar"
    content = bytes([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52])
    absolute = f"{tmp_path}/absolute.class"
    with zipfile.ZipFile(jar, "w") as file:
        for name in ("pack/Good.class", "../outside.class", "pack/../../outside.class", absolute):
            file.writestr(name, content)
    assert extract_classes([jar], ["*"], tmp_path / "deep/classes") == 52
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.class")}
    assert written == {"deep/classes/pack/Good.class"}


@needs_java
def test_a_jvm_corpus(tmp_path: Path) -> None:
    texts = ["bad", "a b c", "crash", "vanish", "a"]
    found = measured(tmp_path, JVM, texts)
    assert (found.files, found.valid, found.invalid, found.unparsed, found.findings) == (5, 2, 1, 0, 2)
    assert found.features == Features(7, 10, 5)
    assert isinstance(found.coverage, Coverage)
    assert found.coverage.tool.startswith("JaCoCo")
    assert found.coverage.branches == {"pack": Share(6, 8)}


def test_figures_for_scripts(tmp_path: Path) -> None:
    figures = measured(tmp_path, PYTHON, ["a"]).figures()
    assert {"files", "valid", "invalid", "unparsed", "mean_size", "median_size", "max_size"} <= set(figures)
    assert figures["features"] == {"covered": 4, "total": 11, "by_valid": 4}
    branches = figures["branches"]
    assert isinstance(branches, dict)
    assert (branches["covered"], branches["total"]) == (3, 8)
    assert branches["packages"] == {
        "pack": {"covered": 3, "total": 6},
        "pack.below": {"covered": 0, "total": 2},
    }


def test_nothing_to_measure() -> None:
    with pytest.raises(BonsaiError, match="there are no inputs"):
        measure(load_subject("chocopy"), [])


@pytest.mark.slow
@needs_java
@needs_published
@pytest.mark.parametrize(
    ("corpus", "files", "mean", "branches", "valid"),
    [("bonsai", 1274, 28.58, 7038, 0.82), ("baseline", 1537, 36.82, 7527, 0.77)],
)
def test_the_published_figures_of_closure(
    corpus: str, files: int, mean: float, branches: int, valid: float
) -> None:
    """As published, with JaCoCo 0.8.6 on the version of the paper."""
    subject = load_subject("closure")
    found = measure(subject, [file.text for file in read_corpus(PUBLISHED / "closure" / corpus, subject.suffix)])
    assert (found.files, round(found.mean_size, 2), round(found.valid / files, 2)) == (files, mean, valid)
    assert isinstance(found.coverage, Coverage)
    assert found.coverage.branches == {"com.google.javascript.jscomp": Share(branches, 40066)}
