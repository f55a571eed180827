"""Tables, figures, claims and pages, rebuilt from stored data that is made up here."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import TypeVar

import pytest

from bonsai.errors import BonsaiError
from bonsai.evaluation.ablation import COMPLETE, PREFIX
from bonsai.evaluation.building import build
from bonsai.evaluation.claims import Verdict, blind_claim, claims, goals
from bonsai.evaluation.heatmap import Point
from bonsai.evaluation.paper import CHOCOPY
from bonsai.evaluation.records import (
    REDUCED,
    Blind,
    Corpus,
    Data,
    Measured,
    Record,
    Scored,
    Scores,
    Technique,
    write_json,
)
from bonsai.evaluation.results import BRANCHES, FILES, MEAN, MEAN_PARSING, VALID, Results
from bonsai.evaluation.third_party import Share

SIZES = {
    Technique.BASELINE: [90, 110, 100, 100],
    Technique.CHARACTERS: [30, 34, 38],
    Technique.GRAMMAR: [20, 22, 24, 30],
    Technique.HOIST: [18, 20, 22, 24],
    Technique.BONSAI_PAPER: [30, 33, 35],
    Technique.BONSAI: [8, 9, 10, 13],
    Technique.PUBLISHED_BASELINE: [19, 20, 80, 17],
    Technique.PUBLISHED_BONSAI: [5, 6],
}
PUBLISHED = (Technique.PUBLISHED_BASELINE, Technique.PUBLISHED_BONSAI)
TABLES = {"reduction-time", "corpus-size", "mutation-scores", "ablation"}
FIGURES = {"sizes", "sizes-parsing", "validity", "coverage", "features", "heatmap", *TABLES}


def _measured(sizes: list[int], branches: int = 90) -> Measured:
    outcomes = ["valid", "invalid", "unparsed", "valid"][: len(sizes)]
    return Measured(sizes, outcomes, 8, 6, 10, Share(branches, 100), Share(45, 50), "coverage.py 7")


def _save(data: Data, repetition: int, technique: Technique, branches: int = 90, killed: int = 40) -> None:
    sizes = [size + repetition for size in SIZES[technique]]
    sample = 10 if technique is Technique.CHARACTERS else 0
    key = f"{repetition:02}/{technique.value}"
    data.save(f"{key}/corpus", Corpus(["x" * size for size in sizes], 1000, 2.5, 2.0, sample))
    data.save(f"{key}/measured", _measured(sizes, branches))
    if not sample:
        scored = {technique.value: Scored(50, killed, killed + 5, 100, 1.5)}
        data.save(f"{key}/mutants", Scores(scored))


def _filled(folder: Path) -> Data:
    data = Data(folder)
    for repetition in (1, 2, 3, 4):
        for technique in SIZES:
            if technique not in PUBLISHED:
                _save(data, repetition, technique)
        for name in (COMPLETE, f"{PREFIX}without-pruning"):
            data.save(f"{repetition:02}/{name}/corpus", Corpus(["x"]))
            data.save(f"{repetition:02}/{name}/measured", _measured([3 if name == COMPLETE else 6]))
    for technique in PUBLISHED:
        _save(data, 0, technique)
    points = [
        Point(m, n, d, 10, 1 / (m + n + d), m + n + d, 20, 5.0) for m in (1, 2) for n in (1, 2) for d in (1, 2)
    ]
    data.save("heatmap", Blind(points))
    write_json(folder / "evaluation.json", {"bounds": [2, 2, 2], "budget": "10x"})
    return data


@pytest.fixture
def data(tmp_path: Path) -> Data:
    return _filled(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build(_filled(folder).folder, "chocopy")
    return folder


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_table_and_figure_is_rebuilt_from_the_data_alone(built: Path, data: Data) -> None:
    tables = {path.name: path.read_text() for path in (built / "tables").iterdir()}
    assert tables.keys() >= {
        f"{name}.csv" for name in (*TABLES, "overview", "comparisons", "repetitions", "sizes", "heatmap", "claims")
    }
    figures = {path.name for path in (built / "figures").iterdir()}
    assert figures == {f"{name}.{suffix}" for name in FIGURES for suffix in ("png", "svg")}
    build(data.folder, "chocopy")
    assert {path.name: path.read_text() for path in (data.folder / "tables").iterdir()} == tables
    assert {path.name for path in (data.folder / "figures").iterdir()} == figures


def test_the_tables_say_what_is_in_the_data(built: Path) -> None:
    sizes = _rows(built / "tables/sizes.csv")
    of_bonsai = [row for row in sizes if row["technique"] == "bonsai"]
    assert len(of_bonsai) == 4 * len(SIZES[Technique.BONSAI])
    assert {row["outcome"] for row in of_bonsai} == {"valid", "invalid", "unparsed"}
    [files] = [row for row in _rows(built / "tables/corpus-size.csv") if row[""] == "Bonsai (paper policy)"]
    assert files["here"] == "3.0 ± 0.0"
    assert files["in the paper"] == "152.9 ± 1.9"
    [by_characters] = [row for row in _rows(built / "tables/reduction-time.csv") if "characters" in row[""]]
    assert by_characters["here"] == "0.03 ± 0.00 (3 of 10 inputs)"  # two seconds of processor time
    [without] = [row for row in _rows(built / "tables/ablation.csv") if row[""] == "without pruning"]
    assert without["mean size against complete"] == "+100.0%"
    assert float(without["A12 (Vargha–Delaney)"]) == 1
    assert float(without["p (Mann–Whitney U, Holm)"]) < 0.05
    page = (built / "evaluation.md").read_text("utf-8")
    assert "Files are larger, the worst first: without pruning (+100.0%)." in page
    assert "Fewer branches are covered: in no variant." in page
    pairs = _rows(built / "tables/comparisons.csv")
    [sizes_of_files] = [
        row
        for row in pairs
        if (row["metric"], row["first"], row["second"]) == ("mean size", "bonsai", "baseline-grammar")
    ]
    assert float(sizes_of_files["A12"]) == 0
    assert isclose(float(sizes_of_files["p"]), 2 / 70)  # one figure for each of four repetitions
    assert float(sizes_of_files["p (Holm)"]) == 1


def test_published_corpora_are_in_every_table_and_figure(built: Path) -> None:
    def first_column(name: str) -> set[str]:
        return {row[""] for row in _rows(built / f"tables/{name}.csv")}

    labels = {one.label for one in PUBLISHED}
    assert labels <= first_column("corpus-size")
    assert labels <= first_column("mutation-scores")
    overview = _rows(built / "tables/overview.csv")
    assert labels <= overview[0].keys()
    figures = {row[""]: row["Published baseline"] for row in overview}
    assert figures["mean size"] == "34.0"
    assert figures["mean size, parsing files"] == "18.7"  # the third does not parse
    assert "–" not in {
        figures[name] for name in ("valid", "features by valid inputs", "branches", "mutants killed")
    }
    pairs = {(row["first"], row["second"]) for row in _rows(built / "tables/comparisons.csv")}
    assert ("bonsai", "published-baseline") in pairs
    for name in ("sizes", "sizes-parsing", "validity", "coverage", "features"):
        drawn = (built / f"figures/{name}.svg").read_text("utf-8")
        assert drawn.count("<!-- Published ") == 2, name
    assert "Published baseline: 1 of 4 files, 59% of its characters" in (built / "evaluation.md").read_text("utf-8")


def test_of_a_sample_only_sizes_and_validity_count(data: Data) -> None:
    results = Results(data)
    name = Technique.CHARACTERS.value
    assert results.values(name, BRANCHES) == []
    assert results.values(name, FILES) == [10] * 4
    assert len(results.values(name, MEAN)) == len(results.values(name, VALID)) == 4


def test_sizes_over_parsing_files_leave_out_what_does_not_parse(data: Data) -> None:
    results = Results(data)
    assert results.values(Technique.BONSAI.value, MEAN)[0] == (9 + 10 + 11 + 14) / 4
    assert results.values(Technique.BONSAI.value, MEAN_PARSING)[0] == (9 + 10 + 14) / 3


REPETITIONS = range(1, 11)  # as many as an evaluation has by default


@dataclass(frozen=True)
class Side:
    """What is measured of one technique in each repetition; one figure stands for all of them."""

    sizes: Sequence[Sequence[int]] = ((10, 12, 14),)
    files: Sequence[int] = ()
    valid: Sequence[int] = (2,)
    branches: Sequence[int] = (90,)
    killed: Sequence[int] = (45,)
    with_fuzzing: Sequence[int] = (48,)
    pruning: Sequence[float] = (1.0,)
    reducing: Sequence[float] = (5.0,)


T = TypeVar("T")


def _of(figures: Sequence[T], repetition: int) -> T:
    return figures[(repetition - 1) % len(figures)]


def _made(folder: Path, bonsai: Side, other: Side, repetitions: Sequence[int] = REPETITIONS) -> Results:
    """Results of made-up figures: one Bonsai against a baseline and its reductions."""
    data = Data(folder)
    sides = {Technique.BONSAI: bonsai, Technique.BASELINE: other, **dict.fromkeys(REDUCED, other)}
    for repetition in repetitions:
        for technique, side in sides.items():
            sizes = list(_of(side.sizes, repetition))
            sizes *= _of(side.files, repetition) if side.files else 1
            valid = _of(side.valid, repetition)
            outcomes = ["valid"] * valid + ["invalid"] * (len(sizes) - valid)
            key = f"{repetition:02}/{technique.value}"
            corpus = Corpus(
                [""] * len(sizes), 1, 1.0, _of(side.reducing, repetition), 0, _of(side.pruning, repetition)
            )
            measured = Measured(
                sizes, outcomes, 8, 6, 10, Share(_of(side.branches, repetition), 100), Share(1, 2), "tool"
            )
            data.save(f"{key}/corpus", corpus)
            data.save(f"{key}/measured", measured)
            scored = Scored(100, _of(side.killed, repetition), _of(side.with_fuzzing, repetition), 10, 1.0)
            data.save(f"{key}/mutants", Scores({technique.value: scored}))
    return Results(data)


SAME = Side()
SMALL = (10, 12, 14)
# What each claim is about: figures of Bonsai and of the others with which it holds, and with which it does not.
CASES: dict[str, tuple[tuple[Side, Side], tuple[Side, Side]]] = {
    "Files are smaller": (
        (Side([SMALL]), Side([(20, 24, 28)])),
        # Every corpus but one is smaller than Bonsai's; that one makes their mean the larger.
        (Side([(11, 11, 11)] * 10), Side([(10, 10, 10)] * 9 + [(1000, 1000, 1000)])),
    ),
    "The sizes vary much less": (
        (Side([(10, 12, 14)]), Side([(10, 20, 30)])),
        (Side([(10, 12, 14)]), Side([(10, 13, 16)])),  # less, but not much less
    ),
    "The corpus has fewer files": ((Side(files=[2]), Side(files=[3])), (Side(files=[3]), Side(files=[2]))),
    "More of the corpus is valid": ((Side(valid=[3]), Side(valid=[1])), (Side(valid=[1]), Side(valid=[2]))),
    "Branch coverage is about": (
        (Side(branches=[95]), Side(branches=[96])),
        (Side(branches=[94]), Side(branches=[96])),
    ),
    "The corpus alone kills": ((Side(killed=[82]), SAME), (Side(killed=[80]), SAME)),
    "With black-box fuzzing": (
        (Side(with_fuzzing=[90]), Side(with_fuzzing=[91])),
        (Side(with_fuzzing=[89]), Side(with_fuzzing=[91])),
    ),
    "Small inputs need less time": (
        (Side(pruning=[1.0]), Side(reducing=[2.0])),
        (Side(pruning=[3.0]), Side(reducing=[2.0])),
    ),
    "Over parsing files": (
        (Side([(10, 10, 10)]), Side([(15, 15, 15)])),
        (Side([(11, 11, 11)]), Side([(15, 15, 15)])),  # smaller, but by too little
    ),
    "branch coverage.": ((Side(branches=[95]), Side(branches=[96])), (Side(branches=[94]), Side(branches=[96]))),
    "the corpus alone.": ((Side(killed=[90]), Side(killed=[91])), (Side(killed=[89]), Side(killed=[91]))),
    "score with black-box fuzzing.": (
        (Side(with_fuzzing=[90]), Side(with_fuzzing=[91])),
        (Side(with_fuzzing=[89]), Side(with_fuzzing=[91])),
    ),
}


def _verdicts(results: Results, about: str) -> set[Verdict]:
    found = [one for one in [*claims(results, CHOCOPY), *goals(results)] if about in one.paper]
    assert found
    return {one.verdict for one in found}


@pytest.mark.parametrize("about", CASES)
def test_every_claim_can_hold_and_can_fail_and_is_open_with_few_repetitions(about: str, tmp_path: Path) -> None:
    holding, failing = CASES[about]
    assert _verdicts(_made(tmp_path / "holds", *holding), about) == {Verdict.HOLDS}
    assert _verdicts(_made(tmp_path / "fails", *failing), about) == {Verdict.FAILS}
    for name, sides in (("few holds", holding), ("few fails", failing)):
        assert _verdicts(_made(tmp_path / name, *sides, repetitions=(1, 2)), about) == {Verdict.OPEN}


def test_every_claim_has_such_a_case(tmp_path: Path) -> None:
    results = _made(tmp_path, SAME, SAME)
    for one in [*claims(results, CHOCOPY), *goals(results)]:
        assert [about for about in CASES if about in one.paper], one.paper


def test_the_mean_does_not_decide_against_the_ranks(tmp_path: Path) -> None:
    _, (bonsai, other) = CASES["Files are smaller"]
    [claim] = [
        one
        for one in claims(_made(tmp_path, bonsai, other), CHOCOPY)
        if one.paper.startswith("Files are smaller") and "by grammar" in one.paper
    ]
    assert "11.0 against 109.0 characters, 89.9% smaller" in claim.here  # so says the mean
    assert claim.a12 > 0.8  # of nearly all pairs, Bonsai's is the larger
    assert claim.verdict is Verdict.FAILS


def test_files_of_one_corpus_are_not_observations_of_their_own(tmp_path: Path) -> None:
    results = _made(tmp_path, Side([range(1, 1001)]), Side([range(501, 1501)]), repetitions=(1,))
    assert _verdicts(results, "Files are smaller") == {Verdict.OPEN}
    assert {found.first.number for *_, found in results.compared()} == {1}


def test_a_difference_that_alone_would_count_may_not_among_many(tmp_path: Path) -> None:
    """Four against four without overlap is 2 of 70, and there are four goals."""
    results = _made(tmp_path, Side([(10, 10, 10)]), Side([(15, 15, 15)]), repetitions=range(1, 5))
    [size] = [one for one in goals(results) if one.paper.startswith("Over parsing")]
    assert isclose(size.p, 4 * 2 / 70)
    assert size.verdict is Verdict.OPEN


def test_pruning_that_nobody_measured_is_not_taken_for_none(tmp_path: Path) -> None:
    data = _made(tmp_path, SAME, SAME)
    assert [one for one in claims(data, CHOCOPY) if one.topic == "time"]
    assert not [one for one in claims(Results(_filled(tmp_path / "older")), CHOCOPY) if one.topic == "time"]


def test_what_blind_sampling_shows_can_fail(tmp_path: Path) -> None:
    def said(valid: float, covered: int) -> str:
        points = [Point(1, 1, 1, 10, 0.5, 10, 20, 5.0), Point(2, 2, 2, 10, valid, covered, 20, 5.0)]
        Data(tmp_path).save("heatmap", Blind(points))
        return blind_claim(Results(Data(tmp_path)), None)

    assert "seldom valid holds here" in said(0.1, 15)
    assert "does not hold here" in said(0.6, 15)
    assert "does not hold here" in said(0.1, 9)


def test_two_repetitions_say_that_they_decide_nothing(tmp_path: Path) -> None:
    _made(tmp_path, Side([SMALL]), Side([(20, 24, 28)]), repetitions=(1, 2))
    write_json(tmp_path / "evaluation.json", {"bounds": [2, 2, 2], "budget": "10x"})
    sentences = build(tmp_path, "chocopy")
    assert all("is not decided" in one for one in sentences[:-1])
    assert sentences[-1] == "With 2 repetitions nothing can be decided; it takes at least 5."
    assert sentences[-1] in (tmp_path / "evaluation.md").read_text("utf-8")


def test_the_pages_have_everything_and_need_nothing(built: Path) -> None:
    html = (built / "evaluation.html").read_text("utf-8")
    markdown = (built / "evaluation.md").read_text("utf-8")
    assert html.count("<img") == html.count("data:image/png;base64") == 6
    assert not re.search(r'(src|href)="(?!data:)', html)
    for page in (html, markdown):
        assert "42.22%" in page
        assert "152.9 ± 1.9" in page
        assert "The claim is not decided." in page
        assert "Ablation" in page
    linked = re.findall(r"\]\(([^)]+)\)", markdown)
    assert linked
    assert all((built / path).is_file() for path in linked)


@pytest.mark.slow
def test_a_subject_that_the_paper_does_not_have_is_evaluated_all_the_same(data: Data) -> None:
    build(data.folder, "tiny")
    assert "In the paper" not in (data.folder / "evaluation.html").read_text("utf-8")


@pytest.mark.parametrize(
    "record",
    [
        Corpus(["a", "b\n"], 3, 1.5, 1.0, 2),
        _measured([1, 2]),
        Scores({"bonsai": Scored(5, 3, 4, 100, 0.5)}),
        Blind([Point(1, 1, 1, 2, 0.5, 3, 4, 5.0)]),
    ],
)
def test_records_come_back_as_they_were(record: Record, tmp_path: Path) -> None:
    data = Data(tmp_path)
    assert data.load("01/x/corpus") is None
    data.save("01/x/corpus", record)
    assert data.load("01/x/corpus") == record


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    data = Data(tmp_path)
    data.save("01/x/corpus", Corpus([]))
    (tmp_path / "data/01/x/corpus.json").write_text("{")
    with pytest.raises(BonsaiError, match=r"corpus\.json cannot be read"):
        data.load("01/x/corpus")
