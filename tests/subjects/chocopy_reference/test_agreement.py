"""The Python checker, graded with the reference compiler's answers to the course's samples, through its driver."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import bonsai
from bonsai.answers import Compare
from bonsai.corpus_folder import CorpusFile
from bonsai.grading.candidates import read_candidate
from bonsai.grading.grade import grade
from targets.jvm.tools import needs_java

SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[4] / "shared"))
SAMPLES = SHARED / "chocopy" / "pa2"
UNREADABLE = list((SHARED / "chocopy" / "pa1").glob("bad_*.py"))
pytestmark = [
    needs_java,
    pytest.mark.slow,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="the reference's answers are not there (set BONSAI_SHARED)"),
]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bonsai.Subject]:
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(["javac", "-d", classes, *(Path(__file__).parent / "recorded").rglob("*.java")], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BONSAI_CHOCOPY_JAR", str(classes))
        patch.setenv("RECORDED", str(SAMPLES.parent))
        yield bonsai.load_subject("chocopy-reference")


@pytest.fixture(scope="module")
def files() -> list[CorpusFile]:
    paths = [*sorted(SAMPLES.glob("*.py")), *sorted(UNREADABLE)]
    return [CorpusFile(path.name, path.read_bytes().decode()) for path in paths]


@pytest.mark.parametrize("compare", Compare)
def test_the_checker_passes(subject: bonsai.Subject, files: list[CorpusFile], compare: Compare) -> None:
    result = grade(subject, files, read_candidate("bonsai.subjects.chocopy.driver:check"), compare)
    assert len(result.passed) == len(files) > len(UNREADABLE) > 0
    assert (result.failed, result.skipped) == ([], ())


def test_a_checker_with_bugs_does_not(subject: bonsai.Subject, files: list[CorpusFile]) -> None:
    result = grade(subject, files, read_candidate("bonsai.subjects.chocopy.buggy:check"))
    assert 0 < len(result.failed) < len(files)
