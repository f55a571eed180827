"""Runs made by hand, so that reports of them are known: small, hostile, and large ones."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from bonsai import Bounds
from bonsai.captions import Caption, Unparsed
from bonsai.cbgf import Finding, Growth
from bonsai.corpus import Input, bits
from bonsai.ending import Ending
from bonsai.store import NodeRun, Run, write_run
from bonsai.targets.execution import Outcome
from made_subjects import json_subject

SOURCE = """\
def check(text):
    if text:
        return 1
    return 0


def other(text):
    if text:
        return 2
"""
FEATURES = [
    "driver:1:0:function",
    "driver:2:4:if-true",
    "driver:2:4:if-false",
    "reported:a list",
    "driver:8:4:if-true",
]
Made = tuple[str, bool, int, Caption]
HOSTILE = [
    "<script>document.title = 'run'</script>",
    "</template></script><script>document.title = 'run'</script>",
    "<img src=x onerror=\"document.title = 'run'\">",
    '"><svg onload=alert(1)>',
    "</pre></details></article><h1>out</h1>",
    "<!-- {{ 7 * 7 }} {% raw %} -->",
    "\x00\x1b[31m\r\u202e\ud800",
    "javascript:alert(1)//<style>*{display:none}</style>",
]


def made_run(corpus: Sequence[Made], features: list[str] | None = None, **more: object) -> Run:
    """A run with some tests: text, validity, mask of features, and caption."""
    covered = by_valid = 0
    for _, valid, mask, _ in corpus:
        covered |= mask
        by_valid |= mask if valid else 0
    fields: dict[str, object] = {
        "asked": {"subject": "made", "folder": "nowhere", "bounds": [2, 1, 1], "seed": 0},
        "suffix": ".json",
        "features": FEATURES if features is None else features,
        "corpus": [Input(text, (), valid, mask) for text, valid, mask, _ in corpus],
        "covered": covered,
        "covered_by_valid": by_valid,
        "unstable": 0,
        "findings": [],
        "nodes": [
            NodeRun(Bounds(1, 1, 1), "restricted", 10, 12, 2, 0.5, 2, 2, 0.1, Ending.SATURATED, 3),
            NodeRun(Bounds(2, 1, 1), "restricted", 5, 5, 0, 0.25, 3, 3, 0.1, Ending.OUT_OF_TIME, 1),
        ],
        "growth": [Growth(10, 0.5, 2, 2, 2, 2.5), Growth(15, 0.75, 4, 3, 3, 2.0)],
        "seconds": 0.75,
        "captions": [caption for *_, caption in corpus],
        **more,
    }
    return Run(**fields)  # type: ignore[arg-type]  # tests name what they change


def small_run() -> Run:
    """Three tests, one of them invalid, for four of five features."""
    return made_run(
        [
            ("0", True, 0b00101, Caption("number", ("value",), "", "1")),
            ("[ ]", True, 0b01011, Caption("brackets", ("value", "array"), "", "2")),
            ("[[]]", False, 0b01111, Caption("list-in-a-list", ("value", "array"), "list in a list", None)),
        ],
        findings=[Finding(Outcome.CRASH, "boom", "[0]", 3)],
        unparsed=[Unparsed("[,]", "no value", ("array",))],
    )


def small_folder(folder: Path) -> Path:
    """The small run, written, with a subject beside it whose target has the source."""
    json_subject(folder / "subject", SOURCE)
    write_run(folder / "out", small_run())
    return folder / "out"


def hostile_run() -> Run:
    """Tests, messages, outputs, findings and names of features that would like to be run."""
    names = [f"{text}:1:0:if-true" for text in HOSTILE]
    tests = [
        (text, place % 2 == 0, 1 << place, Caption(f"test-{place}", (text,), text, text))
        for place, text in enumerate(HOSTILE)
    ]
    return made_run(
        tests,
        names,
        asked={"subject": HOSTILE[0], "folder": HOSTILE[1], "budget": HOSTILE[2]},
        findings=[Finding(Outcome.CRASH, text, text, 1) for text in HOSTILE],
        unparsed=[Unparsed(text, text, (text,)) for text in HOSTILE],
    )


def large_run(tests: int, features: int = 10_000) -> Run:
    """As many tests as asked for, each a few lines, exercising a tenth of the features of a JVM target."""
    draws = Random(0)
    names = [
        f"com.example.Type{i // 17}.visit(Node):{i // 2}:{'if-true' if i % 2 else 'if-false'}"
        for i in range(features)
    ]
    made = []
    common = draws.getrandbits(features) & draws.getrandbits(features) & draws.getrandbits(features)
    for place in range(tests):
        text = "\n".join(f"var a{i} = [{place}, {i}];" for i in range(1 + place % 5))
        mask = common | 1 << place % features | 1 << draws.randrange(features)
        valid = place % 3 > 0
        caption = Caption("var-brackets", ("statement", "array"), "" if valid else f"no such name: a{place}", text)
        made.append((text, valid, mask, caption))
    run = made_run(made, names, suffix=".js")
    assert len(set(bits(run.covered))) > tests // 2
    return run
