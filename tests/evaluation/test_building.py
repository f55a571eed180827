"""Tables, figures, claims and pages, rebuilt from stored data that is made up here."""

import csv
import re
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.evaluation.ablation import COMPLETE, PREFIX
from bonsai.evaluation.building import build
from bonsai.evaluation.claims import Verdict, claims, goals
from bonsai.evaluation.heatmap import Point
from bonsai.evaluation.paper import CHOCOPY
from bonsai.evaluation.records import (
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
    assert float(without["p (Mann–Whitney U)"]) < 0.05
    page = (built / "evaluation.md").read_text("utf-8")
    assert "Files are larger, the worst first: without pruning (+100.0%)." in page
    assert "Fewer branches are covered: in no variant." in page
    pairs = _rows(built / "tables/comparisons.csv")
    [sizes_of_files] = [
        row
        for row in pairs
        if (row["metric"], row["first"], row["second"]) == ("size of files", "bonsai", "baseline-grammar")
    ]
    assert float(sizes_of_files["A12"]) == 0
    assert float(sizes_of_files["p"]) < 0.001


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


def test_claims_are_computed(data: Data) -> None:
    def verdicts(topic: str, technique: Technique) -> list[Verdict]:
        found = [*claims(Results(data), CHOCOPY), *goals(Results(data))]
        return [one.verdict for one in found if (one.topic, one.technique) == (topic, technique)]

    assert Verdict.FAILS in verdicts("sizes", Technique.BONSAI_PAPER)
    assert verdicts("sizes", Technique.BONSAI)[0] is Verdict.HOLDS
    assert verdicts("coverage", Technique.BONSAI) == [Verdict.HOLDS]
    assert verdicts("files", Technique.BONSAI_PAPER) == [Verdict.HOLDS]
    assert verdicts("mutants", Technique.BONSAI) == [Verdict.FAILS, Verdict.HOLDS]
    assert verdicts("goals", Technique.BONSAI) == [Verdict.HOLDS] * 4
    for repetition in (1, 2, 3, 4):
        _save(data, repetition, Technique.BONSAI, branches=80, killed=30)
    assert verdicts("coverage", Technique.BONSAI) == [Verdict.FAILS]
    assert verdicts("goals", Technique.BONSAI) == [Verdict.HOLDS, Verdict.FAILS, Verdict.FAILS, Verdict.FAILS]


def test_a_difference_that_may_be_chance_decides_nothing(tmp_path: Path) -> None:
    data = Data(tmp_path)
    for technique in (Technique.BASELINE, Technique.BONSAI_PAPER):
        _save(data, 1, technique)
    [files] = [one for one in claims(Results(data), None) if one.topic == "files"]
    assert files.verdict is Verdict.OPEN
    assert "is not decided" in str(files)


def test_the_pages_have_everything_and_need_nothing(built: Path) -> None:
    html = (built / "evaluation.html").read_text("utf-8")
    markdown = (built / "evaluation.md").read_text("utf-8")
    assert html.count("<img") == html.count("data:image/png;base64") == 6
    assert not re.search(r'(src|href)="(?!data:)', html)
    for page in (html, markdown):
        assert "42.22%" in page
        assert "152.9 ± 1.9" in page
        assert "The claim does not hold." in page
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
