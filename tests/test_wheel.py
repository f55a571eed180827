"""The wheel, installed into an empty environment outside of the checkout, does everything that the checkout does.

Every command is called, in a small way; what needs an extra says so in one line where that is not installed.
"""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from bonsai.cli import app
from targets.jvm.tools import needs_java
from tiny_subject import write_tiny_subject

ROOT = Path(__file__).parents[1]
EXTRAS = "[cluster,evaluation,reduce]"
DRIVER = """
import bonsai.Invalid;

public class Sum {
    public static Object check(String text) {
        int total = text.replaceAll("[^1-9]", "").length();
        if (total > 2) {
            throw new Invalid("too many");
        }
        return total;
    }
}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of `bonsai`, something of what it prints, and its exit code."""

    call: str
    words: str = ""
    code: int = 0


ALONE = [
    Step("--version", "bonsai "),
    Step("doctor", "subject chocopy: runs on the python engine"),
    Step("sample minilua -n 2"),
    Step("count calc", "about"),
    Step("check chocopy"),
    Step("grow chocopy --bounds 1,1,1 --budget 60x -o out", "report.html"),
    Step("report out --compare out/corpus/valid", "out/report.html"),
    Step("explain out/corpus/INDEX.md --subject blocks", "", 2),
    Step("explain one.py --subject chocopy", "valid"),
    Step("fuzz chocopy --bounds 1,1,1 --budget 60x -o fuzzed", "features covered"),
    Step("merge out fuzzed --subject chocopy -o merged", "features covered"),
    Step("grade out --subject chocopy --candidate bonsai.subjects.chocopy.driver:check", "tests passed"),
    Step("grade out --subject chocopy --candidate bonsai.subjects.chocopy.buggy:check", "failed", 1),
    Step("export out --subject chocopy --format pytest -o suite", "tests in suite"),
    Step("export out --subject chocopy --format zip -o seeds", "tests in seeds"),
    Step("init new", "new: bonsai.toml"),
    Step("grow new --budget 60x -o grown --quiet", "grown"),
]
WITHOUT_EXTRAS = [
    Step("measure out --subject chocopy", "[evaluation]"),
    Step("mutants out --subject chocopy", "[evaluation]", 2),
    Step("heatmap chocopy -o heat", "[evaluation]", 2),
    Step("reduce out --subject chocopy -o reduced", "[reduce]", 2),
    Step("evaluate chocopy -o evaluation", "[reduce]", 2),
    Step("grow chocopy --cluster local -o other", "[cluster]", 2),
    Step("grow chocopy --kill-mutants -o other", "[evaluation]", 2),
]
WITH_EXTRAS = [
    Step("grow tiny --bounds 1,2,2 --budget 40x --kill-mutants 50x -o out", "report.html"),
    Step("grow tiny --bounds 1,1,1 --budget 20x --cluster local -o clustered", "report.html"),
    Step("measure out --subject tiny", "coverage.py"),
    Step("mutants out --subject tiny --fuzz 20x", "killed"),
    Step("reduce out --subject tiny --method grammar -o reduced"),
    Step("heatmap tiny --max 2 --budget 10x -o heat", "figures and data in heat"),
    Step("evaluate tiny --quick --reps 1 --budget 20x --bounds 1,2,1 -o evaluation", "evaluation.html"),
]


def test_every_command_is_among_the_steps() -> None:
    called = {step.call.split()[0] for step in ALONE + WITHOUT_EXTRAS + WITH_EXTRAS}
    assert called >= {command.name for command in app.registered_commands}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    [made] = folder.glob("*.whl")
    return made


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment that has nothing but the wheel and what it needs, and a folder to work in."""

    folder: Path

    def install(self, wheel: Path, extras: str = "") -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.folder / "venv")], check=True)
        python = str(self.folder / "venv/bin/python")
        _pip("--python", python, "install", "--no-compile", f"{wheel}{extras}")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A program of the environment; the checkout is nowhere to be found."""
        known = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        path = f"{self.folder / 'venv/bin'}{os.pathsep}{known['PATH']}"
        return subprocess.run(
            [str(self.folder / "venv/bin" / words[0]), *words[1:]],
            cwd=self.folder,
            env={**known, "PATH": path, "XDG_CACHE_HOME": str(self.folder / "cache")},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def take(self, step: Step) -> None:
        done = self.run("bonsai", *shlex.split(step.call))
        said = done.stdout + done.stderr
        assert done.returncode == step.code, f"bonsai {step.call}\n{said}"
        assert step.words in said, f"bonsai {step.call}\n{said}"
        if step.code == 2:
            assert done.stdout == "", said
            assert done.stderr.count("\n") == 1, said
            assert "(hint: " in done.stderr, said
        assert "Traceback" not in said


def _pip(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Without extras."""
    made = Installed(tmp_path_factory.mktemp("alone"))
    made.install(wheel)
    found = made.run("python", "-c", "import bonsai; print(bonsai.__file__)").stdout
    assert found.startswith(str(made.folder)), found
    return made


@pytest.mark.slow
def test_everything_is_in_the_wheel(wheel: Path) -> None:
    files = (path for path in (ROOT / "src/bonsai").rglob("*") if path.is_file() and path.suffix != ".pyc")
    with ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if not name.startswith("bonsai_fuzzing-")}
    assert inside == {str(path.relative_to(ROOT / "src")) for path in files}


@pytest.mark.slow
def test_commands_that_need_no_extra(alone: Installed) -> None:
    (alone.folder / "one.py").write_text("1 + 1\n")
    for step in ALONE:
        alone.take(step)
    suite = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", ".", "suite"]
    done = subprocess.run(suite, cwd=alone.folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    for step in WITHOUT_EXTRAS:
        alone.take(step)
    assert not (alone.folder / "other").exists()


@pytest.mark.slow
def test_commands_that_need_extras(wheel: Path, tmp_path: Path) -> None:
    complete = Installed(tmp_path)
    complete.install(wheel, EXTRAS)
    (tmp_path / "tiny").mkdir()
    write_tiny_subject(tmp_path / "tiny")
    for step in WITH_EXTRAS:
        complete.take(step)


@needs_java
@pytest.mark.slow
def test_the_jvm_side_is_built_from_the_wheel(alone: Installed) -> None:
    subject = alone.folder / "sums"
    subject.mkdir()
    write_tiny_subject(subject)
    settings = (subject / "bonsai.toml").read_text()
    python = 'engine = "python"\ncall = "tiny_program:check"\n'
    assert python in settings
    settings = settings.replace(python, 'engine = "jvm"\ndriver = "Sum"\ncover = ["Sum"]\n')
    (subject / "bonsai.toml").write_text(settings.replace("300ms", "5s"))
    (subject / "Sum.java").write_text(DRIVER)
    alone.take(Step("fuzz sums --budget 20x -o summed", "features covered"))
    assert list((alone.folder / "cache/bonsai").glob("kit-*/*.jar"))
