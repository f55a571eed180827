"""A run directory comes in; everything that its report shows goes out, as plain values: `page` draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bonsai.captions import Unparsed, witnessed
from bonsai.cbgf import Finding, Growth
from bonsai.corpus import Input, bits, size_of
from bonsai.corpus_folder import read_corpus
from bonsai.errors import BonsaiError
from bonsai.report.database import Recorded, read_run
from bonsai.report.distribution import Distribution, distribution, grid
from bonsai.report.lattice_picture import Picture, pictures
from bonsai.report.sources import Arm, Cover, Module, Reason, fitting, label_of, modules_of, reasons_of
from bonsai.schema import RunKind
from bonsai.store import NodeRun
from bonsai.subject import Subject, load_subject
from bonsai.targets.jvm.sources import JavaSources, find_sources
from bonsai.targets.settings import JvmTarget
from bonsai.wording import counted, plural

ASKED = ("bounds", "lattice", "budget", "policy", "select", "seed", "jobs", "shards", "engine", "version")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that people care about, with a word on what it means."""

    value: str
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Test:
    """A test of the corpus, and what it is there for."""

    file: str
    valid: bool
    size: int
    text: str
    rules: tuple[str, ...]
    message: str
    output: str | None
    features: int  # how many it exercises
    witnessed: int  # how many it is the smallest to exercise
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that the page shows. `hits` has a mask of tests for each feature in `hit_names`."""

    subject: str
    suffix: str
    asked: list[tuple[str, str]]
    figures: list[Figure]
    pictures: list[Picture]
    nodes: list[NodeRun]
    growth: list[Growth]
    total: int
    grid: tuple[float, ...]
    sizes: list[Distribution]
    tests: list[Test]
    rules: list[str]
    modules: list[Module]
    hit_names: list[str]
    hits: list[int]
    findings: list[Finding]
    unparsed: list[Unparsed]
    is_complete: bool
    can_be_resumed: bool
    failures: list[tuple[str, str]]  # tasks, and why they failed


def read_report(folder: Path, subject: str | None = None, compare: Path | None = None) -> Report:
    """The report of a run; its subject is the run's own unless another one is named."""
    run = read_run(folder)
    suffix = Path(run.files[0]).suffix if run.files else ""
    masks = witnessed(run.corpus)
    witnesses = _witnesses(run.corpus, masks)
    loaded = _subject(run.summary, subject)
    modules = modules_of(_arms(run, witnesses), loaded.folders if loaded else (), _java_sources(loaded))
    sizes = {"this corpus": [one.size[0] for one in run.corpus]}
    if compare is not None:
        sizes[compare.name or str(compare)] = [size_of(one.text)[0] for one in read_corpus(compare, suffix)]
    at = grid([size for one in sizes.values() for size in one])
    tests = _tests(run, masks, reasons_of(modules, witnesses))
    covered = sorted(run.takers)
    return Report(
        subject=str(run.summary["subject"]),
        suffix=suffix,
        asked=[(key, _plain(run.summary[key])) for key in ASKED if run.summary.get(key) is not None],
        figures=_figures(run),
        pictures=pictures(run.nodes),
        nodes=run.nodes,
        growth=run.growth,
        total=len(run.features),
        grid=at,
        sizes=[distribution(name, one, at) for name, one in sizes.items() if one],
        tests=tests,
        rules=sorted({rule for test in tests for rule in test.rules}),
        modules=fitting(modules),
        hit_names=[run.features[number] for number in covered],
        hits=[run.takers[number] for number in covered],
        findings=run.findings,
        unparsed=run.unparsed,
        is_complete=bool(run.summary.get("complete", True)),
        can_be_resumed=run.summary.get("kind") == RunKind.GROW.value,
        failures=[(failure["task"], failure["reason"]) for failure in run.summary.get("failures", ())],
    )


def _subject(summary: dict[str, Any], subject: str | None) -> Subject | None:
    """Whose target's source is shown; the report of a subject that is gone shows none."""
    if subject is not None:
        return load_subject(subject)
    try:
        return load_subject(str(summary["folder"]))
    except (BonsaiError, KeyError):
        return None


def _java_sources(subject: Subject | None) -> JavaSources | None:
    if subject is None or not isinstance(subject.target, JvmTarget):
        return None
    return find_sources(subject.target, subject.folder)


def _witnesses(corpus: Sequence[Input], masks: Sequence[int]) -> dict[int, list[int]]:
    """For each feature the places of the tests that are there for it, the valid and the smaller ones first."""
    found: dict[int, list[int]] = {}
    for place in sorted(range(len(corpus)), key=lambda place: (not corpus[place].valid, corpus[place].size)):
        for feature in bits(masks[place]):
            found.setdefault(feature, []).append(place)
    return found


def _arms(run: Recorded, witnesses: dict[int, list[int]]) -> list[Arm]:
    found = []
    for number, name in enumerate(run.features):
        witness = witnesses[number][0] if number in witnesses else None
        cover = Cover.NONE if witness is None else Cover.VALID if run.corpus[witness].valid else Cover.INVALID
        tests = run.takers.get(number, 0).bit_count()
        found.append(Arm(number, name, label_of(name), cover, witness, tests))
    return found


def _tests(run: Recorded, masks: Sequence[int], reasons: dict[int, list[Reason]]) -> list[Test]:
    return [
        Test(
            file=run.files[place],
            valid=one.valid,
            size=one.size[0],
            text=one.text,
            rules=run.captions[place].rules,
            message=run.captions[place].message,
            output=run.captions[place].output,
            features=one.features.bit_count(),
            witnessed=masks[place].bit_count(),
            reasons=tuple(reasons.get(place, ())),
        )
        for place, one in enumerate(run.corpus)
    ]


def _figures(run: Recorded) -> list[Figure]:
    summary = run.summary
    corpus, features, found = summary["corpus"], summary["features"], summary["findings"]
    shares = f"{_share(features['covered'], features['total'])} of the {features['total']:,} that were looked for"
    figures = [
        Figure(
            f"{corpus['files']:,}",
            plural(corpus["files"], "test"),
            f"{corpus['valid']:,} valid, {corpus['invalid']:,} invalid",
        ),
        Figure(f"{features['covered']:,}", "features covered", f"{shares}"),
        Figure(
            f"{features['by_valid']:,}",
            "by valid tests",
            "features that some valid test exercises; only errors lead to the others",
        ),
        Figure(
            f"{corpus['mean_size']:.1f}",
            "characters on average",
            f"without white space; half of the tests have at most {corpus['median_size']:g}, "
            f"the largest has {corpus['max_size']:,}"
            if corpus["files"]
            else "without white space",
        ),
        Figure(
            f"{summary['executions']:,}",
            plural(summary["executions"], "execution"),
            f"inputs that the target was run on; {summary['duplicates_skipped']:,} repeats were not run again",
        ),
        Figure(_clock(summary["seconds"]), "of growing", f"{summary['executions_per_second']:,.0f} executions/s"),
        Figure(
            f"{len(run.nodes):,}", plural(len(run.nodes), "fuzzer"), "each with its own bounds, the smallest first"
        ),
        Figure(
            f"{found['crashes'] + found['timeouts']:,}",
            plural(found["crashes"] + found["timeouts"], "finding"),
            f"{found['crashes']:,} {plural(found['crashes'], 'crash', 'crashes')} and "
            f"{counted(found['timeouts'], 'time-out')} of the target",
        ),
    ]
    if features["unstable"]:
        meaning = "features that did not recur when an input was run again; they do not count"
        figures.append(Figure(f"{features['unstable']:,}", "unstable", meaning))
    return (
        figures
        if run.nodes
        else [one for one in figures if one.name not in ("executions", "of growing", "fuzzers")]
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if not hours and not minutes:
        return f"{rest} s"
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"


def _plain(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
