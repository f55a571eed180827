"""Jars as candidates: with a driver of their own, with one given as source, and in the place of the reference."""

import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

import bonsai
from bonsai.answers import Compare
from bonsai.cli import run
from bonsai.corpus_folder import CorpusFile
from bonsai.grading.candidates import Limits, read_candidate
from bonsai.grading.grade import Grade, grade
from bonsai.targets.jvm.jars import is_covered
from made_subjects import SETTINGS, json_subject
from targets.jvm.tools import needs_java

TEXTS = ["[]", "{}", "null", "true", '"ab"', "[0]"]
FILES = [CorpusFile(f"{number}.json", text) for number, text in enumerate(TEXTS)]

REFERENCE = """
def check(text):
    if text == "null":
        raise ValueError("nothing")
    return {"length": len(text)}
"""
LENGTHS = """
package lang;
import java.util.Map;

public class Lengths {
    public static Object check(String text) {
        if (text.equals("null")) { throw new IllegalArgumentException("nothing"); }
        return Map.of("length", Counter.count(text));
    }
}
"""
COUNTER = "package lang; class Counter { static int count(String text) { return text.length(); } }"
REFUSED = "package lang; public class Refused extends RuntimeException { }"
FAULTS = """
package lang;

class Counter {
    static int count(String text) {
        switch (text) {
            case "[]": while (true) { Thread.onSpinWait(); }
            case "{}": System.exit(0);
            case "true": return new long[1 << 26].length;
            case "[0]": return count(text) + 1;
            default: return text.length();
        }
    }
}
"""
SOURCE = """
import bonsai.Invalid;

public class Given {
    public static Object check(String text) {
        try {
            return lang.Lengths.check(text);
        } catch (IllegalArgumentException error) {
            throw new Invalid(error.getMessage());
        }
    }
}
"""
JVM_SETTINGS = """
[target]
engine = "jvm"
driver = "Given"
classpath = ["reference.jar"]
cover = ["lang.*"]
heap = "128MiB"
"""
JARS = {
    "reference": (LENGTHS, COUNTER, REFUSED),
    "good": (LENGTHS, COUNTER),
    "coarse": (LENGTHS, COUNTER.replace("return text.length()", "return text.length() / 4 * 4")),
    "faults": (LENGTHS, FAULTS),
}


def _compiled(folder: Path, name: str, sources: tuple[str, ...]) -> Path:
    classes = folder / name
    classes.mkdir()
    for source in sources:
        (classes / f"{source.split('class ')[1].split()[0]}.java").write_text(source)
    subprocess.run(["javac", "-d", classes, *classes.glob("*.java")], check=True)
    with ZipFile(folder / f"{name}.jar", "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return folder / f"{name}.jar"


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By name; `half` lacks a class, and `unrelated` has nothing of the language."""
    folder = tmp_path_factory.mktemp("jars")
    made = {name: _compiled(folder, name, sources) for name, sources in JARS.items()}
    made |= {name: folder / f"{name}.jar" for name in ("half", "unrelated", "text")}
    with ZipFile(made["good"]) as good, ZipFile(made["half"], "w") as half:
        half.writestr("lang/Lengths.class", good.read("lang/Lengths.class"))
    with ZipFile(made["unrelated"], "w") as unrelated:
        unrelated.writestr("other/Thing.class", "")
    made["text"].write_text("no jar")
    return made


@pytest.fixture
def python_subject(tmp_path: Path) -> bonsai.Subject:
    return json_subject(tmp_path / "python", REFERENCE, f'{SETTINGS}invalid = ["ValueError"]\n')


@pytest.fixture
def jvm_subject(tmp_path: Path, jars: dict[str, Path]) -> bonsai.Subject:
    subject = json_subject(tmp_path / "jvm", settings=JVM_SETTINGS)
    shutil.copy(jars["reference"], subject.folder / "reference.jar")
    (subject.folder / "Given.java").write_text(SOURCE)
    return subject


def graded(
    subject: bonsai.Subject, candidate: str, limits: Limits | None = None, compare: Compare = Compare.OUTPUT
) -> Grade:
    return grade(subject, FILES, read_candidate(candidate), compare, limits, jobs=2)


def failures(result: Grade) -> dict[str, str]:
    return {one.file.text: one.difference.why for one in result.failed if one.difference}


@needs_java
def test_a_driver_given_as_source(python_subject: bonsai.Subject, jars: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers/Given.java").write_text(SOURCE)
    result = graded(python_subject, f"{jars['good']}:{tmp_path}/drivers/Given.java")
    assert (len(result.passed), result.failed) == (len(TEXTS), [])


@needs_java
@pytest.mark.slow
def test_a_driver_in_the_jar(python_subject: bonsai.Subject, jars: dict[str, Path]) -> None:
    """It knows no exception of the Python subject, so what it throws is a crash."""
    assert failures(graded(python_subject, f"{jars['coarse']}:lang.Lengths")) == {
        "[]": "length: expected 2, got 0",
        "{}": "length: expected 2, got 0",
        "[0]": "length: expected 3, got 0",
        "null": "crash: IllegalArgumentException: nothing (Lengths.java:7)",
    }


@needs_java
@pytest.mark.slow
def test_a_jar_knows_the_exceptions_of_java_but_not_those_of_the_reference(
    jvm_subject: bonsai.Subject, jars: dict[str, Path]
) -> None:
    toml = jvm_subject.folder / "bonsai.toml"
    toml.write_text(f'{toml.read_text()}invalid = ["java.lang.IllegalArgumentException", "lang.Refused"]\n')
    subject = bonsai.load_subject(jvm_subject.folder)
    assert graded(subject, f"{jars['good']}:lang.Lengths").failed == []


@needs_java
@pytest.mark.slow
def test_in_the_place_of_the_reference(jvm_subject: bonsai.Subject, jars: dict[str, Path]) -> None:
    assert graded(jvm_subject, str(jars["good"])).failed == []
    assert failures(graded(jvm_subject, str(jars["coarse"]))).keys() == {"[]", "{}", "[0]"}
    assert graded(jvm_subject, str(jars["coarse"]), compare=Compare.VALIDITY).failed == []


@needs_java
@pytest.mark.slow
def test_what_a_jar_lacks_does_not_come_from_the_reference(
    jvm_subject: bonsai.Subject, jars: dict[str, Path]
) -> None:
    found = failures(graded(jvm_subject, str(jars["half"])))
    assert found.keys() == {*TEXTS} - {"null"}
    assert "crash: NoClassDefFoundError: lang/Counter" in found["[]"]


@needs_java
@pytest.mark.slow
def test_whatever_a_jar_does_the_others_are_graded(jvm_subject: bonsai.Subject, jars: dict[str, Path]) -> None:
    found = failures(graded(jvm_subject, str(jars["faults"]), Limits(timeout=1.0, memory=2**27)))
    expected = {
        "[]": "timeout: no answer within 1 seconds, nor within 5 when",
        "{}": "crash: the process exited with status 0",
        "true": "crash: OutOfMemoryError",
        "[0]": "crash: StackOverflowError",
    }
    assert found.keys() == expected.keys()
    assert [text for text, why in expected.items() if not found[text].startswith(why)] == []


@needs_java
@pytest.mark.parametrize(
    ("subject", "candidate", "words"),
    [
        ("python", "absent.jar", "there is no file absent.jar"),
        ("python", "{good}", "needs a driver"),
        ("python", "{good}:absent/Driver.java", "there is no file absent/Driver.java"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    subject: str,
    candidate: str,
    words: str,
    jars: dict[str, Path],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made: bonsai.Subject = request.getfixturevalue(f"{subject}_subject")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/1.json").write_text("[]")
    named = candidate.format(**jars)
    call = ["grade", str(tmp_path / "corpus"), "--subject", str(made.folder), "--candidate", named]
    assert run(call) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert words in captured.err
    assert "(hint: " in captured.err


@needs_java
@pytest.mark.parametrize(
    ("subject", "candidate", "words"),
    [
        ("python", "{good}:lang.Absent", "there is no class lang.Absent in"),
        ("python", "{good}:lang.Counter", "driver: there is no public method check(String) in lang.Counter"),
        ("python", "{text}:lang.Lengths", "text.jar is no jar"),
        ("jvm", "{unrelated}", "has none of the classes that json covers"),
    ],
)
def test_a_jar_that_does_not_start_fails_every_test(
    subject: str, candidate: str, words: str, jars: dict[str, Path], request: pytest.FixtureRequest
) -> None:
    made: bonsai.Subject = request.getfixturevalue(f"{subject}_subject")
    result = graded(made, candidate.format(**jars))
    assert len(result.failed) == len(result.graded)
    assert words in (result.alike or "")


@pytest.mark.parametrize(
    ("name", "cover", "covered"),
    [
        ("a.B", ("a.*",), True),
        ("a.B$C", ("a.B",), True),
        ("a.Bc", ("a.B",), False),
        ("a.B", ("a.*", "!a.B"), False),
        ("a.B$C", ("a.*", "!a.B"), False),
        ("a.B", (), False),
    ],
)
def test_cover_is_read_as_the_weaver_does(name: str, cover: tuple[str, ...], covered: object) -> None:
    assert is_covered(name, cover) is covered
