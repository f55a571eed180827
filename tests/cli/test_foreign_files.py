"""Property: after any command, with and without --force, successful or not, the user's files are as they were.

A tree of files that Hypothesis makes up lies beside the output folder and in it. In half of the cases the folder
holds an earlier output of the same command, of which the user may have changed a file. The jobs of most commands
are replaced by quick ones; what they write, they write for real.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from errno import ENOSPC
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.answers import Compare
from bonsai.cli import run
from bonsai.corpus_folder import CorpusFile
from bonsai.evaluation.heatmap import Point
from bonsai.evaluation.records import Corpus, Data
from bonsai.grading.grade import Grade, Graded
from bonsai.outputs import MANIFEST, read_manifest
from bonsai.outputs.lock import LOCK
from bonsai.outputs.manifest import in_the_way
from bonsai.outputs.permission import STAGING
from bonsai.reduction.reducing import Reduction
from bonsai.targets.execution import Outcome
from test_store import some_run
from tiny_subject import write_tiny_subject

Entry = bytes | str  # the content of a file, or where a symbolic link leads
Tree = dict[str, Entry]

NAMES = (
    ".git", ".env", ".hidden", ".lock", ".bonsai-export.json", "notes.md", "corpus", "valid", "invalid", "findings",
    "0001.txt", "1.txt", "run.json", "run.sqlite", "run.sqlite-wal", "report.html", "reduction.json", "heatmap.csv",
    "evaluation.json", "evaluation.html", "data", "tables", "bonsai.toml", "driver.py", "ünï", "new\nline",
)  # fmt: skip
LINKS = ("../beside", "../beside/secret", "/nowhere", ".", "..")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
TREES = st.dictionaries(PATHS, st.one_of(st.binary(max_size=3), st.sampled_from(LINKS)), max_size=5)


@dataclass(frozen=True, slots=True)
class Case:
    """What is there before a command, and how it is called."""

    beside: Tree
    inside: Tree
    earlier: bool  # whether the folder holds an output of the same command
    changed: int | None  # which file of the earlier output the user changed
    force: bool
    full_after: int | None  # after how many renamed files the disk is full


CASES = st.builds(
    Case, TREES, TREES, st.booleans(), st.none() | st.integers(0, 9), st.booleans(), st.none() | st.integers(0, 9)
)


class FakeEvaluation:
    """Saves one record."""

    def __init__(self, subject: object, asked: object, wanted: object, data: Data) -> None:
        self._data = data

    def require_tools(self) -> None: ...

    def run(self, *_: object) -> bool:
        self._data.save("01/bonsai/corpus", Corpus(["0"]))
        return True


class Idle:
    """A target, or workers, that nobody asks for anything."""

    def __init__(self, *_: object) -> None: ...

    def close(self) -> None: ...


def fake_build(folder: Path, subject: str, destination: Path) -> list[str]:
    (destination / "tables").mkdir()
    for name in ("tables/claims.csv", "evaluation.md", "evaluation.html"):
        (destination / name).write_text(name)
    return []


def draw_nothing(points: object, title: str, path: Path) -> None:
    path.write_bytes(b"a figure")


GRADE = Grade("tiny", Compare.OUTPUT, (Graded(CorpusFile("1.txt", "0"), None, 0.1),), ())


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is called (`S` is a subject, `O` its output, `I` a folder of inputs), and fakes for its job."""

    arguments: str
    again: str = "--force"
    fakes: dict[str, object] = field(default_factory=dict)


COMMANDS = {
    "grow": Command("grow S --bounds 1,1,1 --budget 5x --jobs 1 -q -o O"),
    "fuzz": Command(
        "fuzz S --budget 5x -q -o O",
        fakes={"fuzz.run_fuzzer": lambda *_, **__: some_run(), "fuzz.described": lambda run, _: run},
    ),
    "merge": Command(
        "merge I --subject S -q -o O",
        fakes={"merge.merge_texts": lambda *_: some_run(), "merge.described": lambda run, _: run},
    ),
    "reduce": Command(
        "reduce I --subject S -q -o O",
        fakes={
            "reduce.reduce_corpus": lambda _, texts, *__: [Reduction(text, "", Outcome.VALID) for text in texts]
        },
    ),
    "export": Command("export I --subject S --format zip -q -o O", again="--update"),
    "heatmap": Command(
        "heatmap S --max 1 --budget 1x -q -o O",
        fakes={
            "heatmap.start_target": Idle,
            "heatmap.experiment.heatmap": lambda *_: iter([Point(1, 1, 1, 1, 1.0, 1, 1, 1.0)]),
            "heatmap.experiment.draw": draw_nothing,
        },
    ),
    "evaluate": Command(
        "evaluate S -q -o O",
        fakes={
            "evaluate.Evaluation": FakeEvaluation,
            "evaluate.LocalWorkers": Idle,
            "evaluate.features_of": lambda _: ["a feature"],
            "evaluate.build": fake_build,
        },
    ),
    "report": Command("report O -q", again=""),
    "init": Command("init O -q", again="", fakes={"init.trial": lambda _: ""}),
    "grade": Command(
        "grade I --subject S --candidate cat --json -q -o O/notes.md",
        fakes={"grade.grade_candidate": lambda *_: GRADE},
    ),
}


def plant(root: Path, tree: Tree) -> None:
    """Puts a tree into a folder. What is there already stays."""
    for name, content in tree.items():
        path = root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.symlink_to(content)
            else:
                with path.open("xb") as file:
                    file.write(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError, FileNotFoundError, OSError):
            continue  # something else is in the way


def snapshot(root: Path) -> dict[str, Entry | None]:
    """All that is below a folder: contents, where links lead, and None for folders."""
    found: dict[str, Entry | None] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            key = str(path.relative_to(root))
            found[key] = os.readlink(path) if path.is_symlink() else None if path.is_dir() else path.read_bytes()
    return found


def owned(out: Path) -> set[str]:
    """The names of what Bonsai wrote into a folder, as its manifest says, and that nobody changed."""
    manifest = read_manifest(out) if out.is_dir() and not out.is_symlink() else None
    if manifest is None:
        return set()
    files = {*manifest.files, *manifest.live}
    unchanged = {name for name in files if in_the_way(out, name, manifest.hashes(name)) is None}
    return {MANIFEST, *unchanged, *manifest.folders}


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A subject, inputs, and an earlier output of every command."""
    root = tmp_path_factory.mktemp("templates")
    (root / "subject").mkdir()
    write_tiny_subject(root / "subject")
    plant(root, {"inputs/1.txt": b"0", "inputs/2.txt": b"1 2"})
    with pytest.MonkeyPatch.context() as patches:
        patches.chdir(root)
        for name, command in COMMANDS.items():
            if name not in ("report", "init", "grade"):
                assert call(command, root, root / "earlier" / name) == 0
        shutil.copytree(root / "earlier/grow", root / "earlier/report")
        yield root


def call(command: Command, templates: Path, out: Path, again: bool = False, full_after: int | None = None) -> int:
    """Runs a command in this process; the disk may become full under way."""
    places = {"S": templates / "subject", "I": templates / "inputs", "O": out}
    arguments = [
        str(places[word[0]]) + word[1:] if word[0] in places and word[1:2] in ("", "/") else word
        for word in command.arguments.split()
    ]
    replace, renamed = os.replace, iter(range(10**6))

    def limited(source: Path, target: Path) -> None:
        if full_after is not None and next(renamed) >= full_after:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        replace(source, target)

    with ExitStack() as stack:
        for name, fake in command.fakes.items():
            stack.enter_context(patch(f"bonsai.cli.{name}", fake))
        stack.enter_context(patch("os.replace", limited))
        return run([*arguments, command.again] if again and command.again else arguments)


@pytest.mark.parametrize("name", COMMANDS)
@given(case=CASES)
def test_what_is_not_bonsais_is_as_it_was(
    name: str, case: Case, templates: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("case")
    out = root / "work/out"
    out.parent.mkdir()
    earlier = templates / "earlier" / name
    if case.earlier and earlier.is_dir():
        shutil.copytree(earlier, out)
    plant(root, {"beside/secret": b"secret"})
    plant(root / "beside", case.beside)
    plant(root / "work", {f"x{path}": content for path, content in case.beside.items()})
    plant(root / "work/out", case.inside)
    written = sorted(read_manifest(out).files) if case.earlier and earlier.is_dir() else []  # type: ignore[union-attr]
    if case.changed is not None and written:
        changed = out / written[case.changed % len(written)]
        if changed.name != "run.sqlite":
            changed.write_bytes(b"changed by the user")
    before, mine = snapshot(root), {f"work/out/{path}" for path in owned(out)}
    code = call(COMMANDS[name], templates, out, case.force, case.full_after)
    after = snapshot(root)
    if name == "grade" and case.force:
        mine.add("work/out/notes.md")  # the user named this very file
    assert {path: after.get(path, "gone") for path in before if path not in mine} == {
        path: content for path, content in before.items() if path not in mine
    }
    if code == 2 and case.full_after is None:
        assert after == before
    assert all(path.startswith("work/out") for path in after.keys() - before.keys())
    left = {Path(path).name for path in after.keys() - before.keys()}
    assert left.isdisjoint({LOCK, STAGING, f"{MANIFEST}.part"})
    assert not [path for path in left if path.endswith((".part", ".kept"))]


def test_the_property_is_not_vacuous(templates: Path, tmp_path: Path) -> None:
    """An earlier output is replaced if that is asked for, and the user's files beside it stay."""
    for name in ("grow", "fuzz", "merge", "reduce", "export", "heatmap", "evaluate", "report"):
        out = tmp_path / name
        shutil.copytree(templates / "earlier" / name, out)
        plant(out, {"notes.md": b"mine", "corpus/valid/mine.txt": b"mine"})
        assert call(COMMANDS[name], templates, out, again=True) == 0, name
        assert (out / "notes.md").read_bytes() == (out / "corpus/valid/mine.txt").read_bytes() == b"mine"
