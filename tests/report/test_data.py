"""What the report shows, compared with a gold file; and what becomes of runs that are not as they should be."""

import json
from dataclasses import asdict
from enum import Enum
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.report.data import read_report
from bonsai.report.sources import Cover
from bonsai.store import write_run
from report.made_runs import SOURCE, made_run, small_folder

GOLD = Path(__file__).with_name("small.json")


def plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else str(value)


def test_the_data_of_a_small_run_is_as_in_the_gold_file(tmp_path: Path) -> None:
    """To change it on purpose: delete the file, run the test, and look at the difference."""
    found = asdict(read_report(small_folder(tmp_path), str(tmp_path / "subject")))
    for key in ("grid", "sizes"):
        del found[key]  # floats; `test_distribution` looks at them
    text = json.dumps(found, indent=1, default=plain) + "\n"
    if not GOLD.exists():
        GOLD.write_text(text)
        pytest.fail("the gold file was missing, and was written")
    assert json.loads(text) == json.loads(GOLD.read_text())


def test_each_arm_leads_to_its_smallest_valid_witness(tmp_path: Path) -> None:
    report = read_report(small_folder(tmp_path), str(tmp_path / "subject"))
    arms = {arm.name: arm for module in report.modules for arm in module.arms}
    assert arms["driver:1:0:function"].witness == 0
    assert arms["driver:2:4:if-true"].witness == 1
    assert arms["driver:2:4:if-true"].tests == 2
    assert arms["driver:8:4:if-true"].cover is Cover.NONE


def test_a_comparison_brings_a_second_distribution(tmp_path: Path) -> None:
    other = tmp_path / "theirs"
    other.mkdir()
    (other / "a.json").write_text("[0, 1, 2, 3, 4, 5, 6, 7]")
    report = read_report(small_folder(tmp_path), None, other)
    assert [(one.name, one.tests, one.largest) for one in report.sizes] == [
        ("this corpus", 3, 4),
        ("theirs", 1, 17),
    ]


def test_a_run_without_tests_or_nodes_has_a_report(tmp_path: Path) -> None:
    write_run(tmp_path / "out", made_run([], nodes=[], growth=[], asked={"subject": "made", "folder": "nowhere"}))
    report = read_report(tmp_path / "out")
    assert report.tests == []
    assert report.sizes == []
    assert report.pictures == []
    assert "executions" not in [figure.name for figure in report.figures]
    assert not any("half of the tests" in figure.meaning for figure in report.figures)


def test_the_source_is_found_where_the_run_says(tmp_path: Path) -> None:
    small_folder(tmp_path)
    asked = {"subject": "made", "folder": str(tmp_path / "subject")}
    write_run(tmp_path / "other", made_run([], ["driver:2:4:if-true"], asked=asked))
    [module] = read_report(tmp_path / "other").modules
    assert [line.text for line in module.lines] == SOURCE.splitlines()


@pytest.mark.parametrize("missing", ["run.json", "run.sqlite", "everything"])
def test_what_is_no_run(tmp_path: Path, missing: str) -> None:
    out = small_folder(tmp_path) if missing != "everything" else tmp_path
    (out / missing).unlink(missing_ok=True)
    with pytest.raises(BonsaiError, match=r"no run|no result") as caught:
        read_report(out)
    assert "bonsai grow" in caught.value.hint


@pytest.mark.parametrize("name", ["run.json", "run.sqlite"])
def test_a_damaged_run_is_an_error(tmp_path: Path, name: str) -> None:
    out = small_folder(tmp_path)
    (out / name).write_text("{ damaged")
    with pytest.raises(BonsaiError, match=r"cannot be read|is damaged"):
        read_report(out)
