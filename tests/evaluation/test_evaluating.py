"""A tiny evaluation from beginning to end, stopped and gone on with; and the variants of the ablation."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.bounds import Bounds
from bonsai.budget import Auto, Executions
from bonsai.cbgf import TREE_MUTATORS
from bonsai.cli import run
from bonsai.errors import BonsaiError
from bonsai.evaluation.ablation import COMPLETE, EVENLY, PREFIX, variants
from bonsai.evaluation.building import build
from bonsai.evaluation.evaluating import Asked, Evaluation, Standing, Wanted, settle
from bonsai.evaluation.records import Corpus, Data, Technique
from bonsai.evaluation.results import KILLED, Results
from bonsai.evaluation.steps import spread
from bonsai.grow_settings import GrowSettings
from bonsai.subject import load_subject
from bonsai.workers.local import LocalWorkers
from targets.jvm.tools import needs_java
from tiny_subject import write_tiny_subject

SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[3] / "shared"))
PUBLISHED = SHARED / "published-corpora"
OPTIONS = ["--quick", "--budget", "40x", "--bounds", "1,2,2", "--jobs", "2", "--quiet"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    write_tiny_subject(folder)
    return folder


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    for name, text in {"bonsai": "(2 3)", "baseline": "(2 3 3) 1"}.items():
        (folder / "tiny" / name).mkdir(parents=True)
        (folder / "tiny" / name / "1.txt").write_text(text)
    return folder


def _evaluate(subject: Path, folder: Path, *options: str) -> int:
    return run(["evaluate", str(subject), "-o", str(folder), *OPTIONS, *options])


def _times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted((folder / "data").rglob("*.json"))}


def _tables(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (folder / "tables").iterdir()}


def _rebuilds(folder: Path) -> None:
    """Every table, figure and page is there, and again when there is nothing but the data."""
    tables, figures = _tables(folder), {path.name for path in (folder / "figures").iterdir()}
    assert {"overview.csv", "comparisons.csv", "repetitions.csv", "sizes.csv", "heatmap.csv"} <= tables.keys()
    drawn = {"sizes", "sizes-parsing", "validity", "coverage", "features", "heatmap", "reduction-time"}
    assert {f"{name}.{suffix}" for name in drawn for suffix in ("png", "svg")} <= figures
    bare = folder.with_name("bare")
    shutil.copytree(folder / "data", bare / "data")
    shutil.copy(folder / "evaluation.json", bare)
    build(bare, json.loads((bare / "evaluation.json").read_text())["subject"])
    assert _tables(bare) == tables
    assert {path.name for path in (bare / "figures").iterdir()} == figures


@pytest.mark.slow
def test_a_tiny_run_makes_everything_and_goes_on_where_it_was(
    subject: Path, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "evaluation"
    options = ("--published", str(published))
    assert _evaluate(subject, folder, "--reps", "1", *options) == 0
    assert capsys.readouterr().out.strip() == str(folder / "evaluation.html")
    results = Results(Data(folder))
    assert results.techniques == list(Technique)
    assert results.points
    _rebuilds(folder)
    baseline, bonsai, paper = (
        results.of(name)[0].corpus.executions for name in ("baseline", "bonsai", "bonsai-paper")
    )
    assert baseline == max(bonsai, paper)
    pruned, unpruned = (results.of(name)[0].corpus.pruning_seconds for name in ("bonsai", "bonsai-paper"))
    assert pruned
    assert unpruned == 0
    before = _times(folder)
    gone = folder / "data/01/baseline-hoist/measured.json"
    gone.unlink()
    assert _evaluate(subject, folder, "--reps", "1", *options) == 0
    after = _times(folder)
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == {str(gone)}
    assert _evaluate(subject, folder, "--reps", "2", *options) == 0
    assert Results(Data(folder)).repetitions == 2
    assert after.items() <= _times(folder).items()
    (published / "tiny/bonsai/2.txt").write_text("0")
    assert _evaluate(subject, folder, "--reps", "2", *options) == 2
    assert "has changed since it was measured" in capsys.readouterr().err
    assert _evaluate(subject, folder, "--reps", "2", "--seed", "9") == 2
    assert "another seed" in capsys.readouterr().err


@pytest.mark.slow
def test_the_ablation(subject: Path, tmp_path: Path) -> None:
    assert _evaluate(subject, tmp_path / "e", "--reps", "1", "--ablate") == 0
    results = Results(Data(tmp_path / "e"))
    found = {name for name in results.entries if name.startswith(PREFIX)}
    assert found == set(variants(GrowSettings(Bounds(1, 2, 2))))
    complete, evenly = (results.of(name)[0].corpus for name in (COMPLETE, EVENLY))
    assert evenly.executions > 0
    assert complete.texts
    assert "without pruning" in (tmp_path / "e/tables/ablation.csv").read_text()


def _evaluation(subject: Path, folder: Path) -> tuple[Evaluation, Callable[[], LocalWorkers]]:
    loaded = load_subject(subject)
    asked = Asked((1, 2, 1), "20x", programs=5, sample=2, blind_most=1, blind_budget="16x")
    settle(folder, loaded, asked, ["one feature"])
    return Evaluation(loaded, asked, Wanted(1), Data(folder)), lambda: LocalWorkers(loaded, 1)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published corpora are not there (set BONSAI_SHARED)")
@pytest.mark.parametrize(("name", "scored"), [("chocopy", True), ("closure", False)])
def test_the_published_corpora_are_read_in_place(name: str, scored: bool, tmp_path: Path) -> None:
    data = Data(tmp_path)
    evaluation = Evaluation(load_subject(name), Asked((3, 3, 3)), Wanted(1, PUBLISHED), data)
    keys = {key for key, _, _ in evaluation.steps()}
    for technique in (Technique.PUBLISHED_BONSAI, Technique.PUBLISHED_BASELINE):
        assert f"00/{technique.value}/measured" in keys
        assert (f"00/{technique.value}/mutants" in keys) == scored
        corpus = data.load(f"00/{technique.value}/corpus")
        assert isinstance(corpus, Corpus)
        assert len(corpus.texts) > 100


def test_repetitions_go_side_by_side_as_far_as_there_are_slots(subject: Path, tmp_path: Path) -> None:
    asked = Asked((1, 2, 1), "20x")
    evaluation = Evaluation(load_subject(subject), asked, Wanted(3), Data(tmp_path))
    keys = [key for key, _, _ in evaluation.steps(2)]
    assert sorted(keys) == sorted(key for key, _, _ in evaluation.steps())
    assert keys[:3] == ["01/bonsai/corpus", "02/bonsai/corpus", "01/bonsai-paper/corpus"]
    assert keys.index("02/all/mutants") < keys.index("03/bonsai/corpus")
    done: set[str] = set()
    for key, _, after in evaluation.steps(2):
        assert set(after) <= done
        done.add(key)


@pytest.mark.slow
def test_one_that_is_stopped_keeps_what_is_done_and_goes_on(subject: Path, tmp_path: Path) -> None:
    evaluation, new_workers = _evaluation(subject, tmp_path)
    seen: list[Standing] = []
    workers = new_workers()
    try:
        assert not evaluation.run(workers, seen.append, lambda: bool(seen) and seen[-1].done >= 2)
    finally:
        workers.close()
    kept = _times(tmp_path)
    assert 2 <= len(kept) < seen[-1].steps
    assert seen[-1].left is not None
    workers = new_workers()
    try:
        assert evaluation.run(workers, seen.append, lambda: False)
    finally:
        workers.close()
    assert seen[-1].done == seen[-1].steps == len(_times(tmp_path))
    assert kept.items() <= _times(tmp_path).items()
    reduced = Data(tmp_path).load("01/baseline-characters/corpus")
    assert isinstance(reduced, Corpus)
    assert reduced.sample_of == 0 or len(reduced.texts) == 2


@needs_java
@pytest.mark.slow
def test_a_program_in_java_has_everything_but_mutants(tmp_path: Path) -> None:
    loaded = load_subject("closure")
    asked = Asked((1, 1, 1), "3x", programs=5, sample=1, blind_most=1, blind_budget="16x")
    published = tmp_path / "published"
    for name, text in {"bonsai": "a;", "baseline": "if (0) { a; }"}.items():
        (published / name).mkdir(parents=True)
        (published / name / "1.js").write_text(text)
    folder = tmp_path / "evaluation"
    settle(folder, loaded, asked, ["one feature"])
    workers = LocalWorkers(loaded, 2)
    try:
        assert Evaluation(loaded, asked, Wanted(1, published), Data(folder)).run(workers, _unseen, lambda: False)
    finally:
        workers.close()
    build(folder, loaded.name)
    _rebuilds(folder)
    results = Results(Data(folder))
    assert results.techniques == list(Technique)
    assert all(results.of(one.value)[0].measured.tool.startswith("JaCoCo") for one in Technique)
    assert all(results.of(one.value)[0].measured.branches.covered > 0 for one in Technique)
    assert not any(results.values(one.value, KILLED) for one in Technique)
    assert not (folder / "tables/mutation-scores.csv").exists()
    assert "1507.7" in (folder / "evaluation.md").read_text("utf-8")  # what the paper has of Closure


@given(st.integers(0, 200), st.integers(1, 50))
def test_a_sample_is_spread_evenly_over_all_inputs(number: int, sample: int) -> None:
    chosen = spread(number, sample)
    assert len(chosen) == min(number, sample)
    gaps = [after - before for before, after in zip([-1, *chosen], [*chosen, number], strict=True)]
    inner = gaps[1:-1]
    if chosen:
        assert chosen[0] >= 0
        assert chosen[-1] < number
        assert abs(gaps[0] - gaps[-1]) <= 1  # neither the first nor the last inputs are preferred
        assert max(inner, default=1) - min(inner, default=1) <= 1


def _unseen(standing: Standing) -> None:
    """For those who do not want to know how far it is."""


def test_each_variant_differs_from_the_complete_settings_in_one_thing() -> None:
    found = variants(GrowSettings(Bounds(1, 1, 1)))
    complete = found[COMPLETE]
    same = {name for name, one in found.items() if one == complete}
    assert same == {COMPLETE, EVENLY}
    assert len(found) == 7 + len(TREE_MUTATORS)
    assert all(one.budget == Auto() for one in found.values())
    assert "splice" not in found[f"{PREFIX}without-splice"].method().mutators
    quick = variants(GrowSettings(Bounds(1, 1, 1), budget=Executions(10)))
    assert all(isinstance(one.budget, Auto) for one in quick.values())


def test_a_folder_that_is_no_evaluation_is_left_alone(
    subject: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert _evaluate(subject, tmp_path, "--force") == 2
    assert "not a folder that Bonsai wrote" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["thesis.txt"]
    assert _evaluate(subject, tmp_path / "thesis.txt") == 2
    assert _evaluate(subject, tmp_path / "new", "--published", str(tmp_path / "nowhere")) == 2


def test_what_was_asked_is_written_down_once(subject: Path, tmp_path: Path) -> None:
    _evaluation(subject, tmp_path)
    assert json.loads((tmp_path / "evaluation.json").read_text())["budget"] == "20x"
    _evaluation(subject, tmp_path)
    with pytest.raises(BonsaiError, match="another target_hash"):
        settle(tmp_path, load_subject(subject), Asked((1, 2, 1), "20x", 0, 5, 2, 1, "16x"), ["another feature"])
