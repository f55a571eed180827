"""A grade comes in; a text for people or for other programs goes out. A new format joins the registry."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from textwrap import indent
from xml.etree import ElementTree

from bonsai.answers import Json
from bonsai.corpus import size_of
from bonsai.grading.grade import Grade, Graded
from bonsai.wording import visible

SHOWN = 5  # failing tests that people are shown in full
LONGEST_INPUT = 2000  # characters of a test, for people
LONGEST_OUTPUT = 4000  # characters of an answer, for people


class Visibility(Enum):
    """When students see a test on Gradescope."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"


@dataclass(frozen=True, slots=True)
class Scoring:
    """How Gradescope scores: the points for all tests together, and who sees them."""

    points: float = 100.0
    visibility: Visibility = Visibility.VISIBLE


def as_text(grade: Grade, scoring: Scoring) -> str:
    """What happened, and the smallest failing tests in full."""
    failed = grade.failed
    lines = [f"{len(grade.passed)} of {len(grade.graded)} tests passed"]
    if grade.alike:
        lines[0] += f"; all {len(failed)} fail alike, {failed[0].file.name} for example:"
        lines += [_shown(failed[0])]
    elif failed:
        lines[0] += f", {len(failed)} failed; the smallest first:"
        lines += [f"\n{one.file.name}\n{_shown(one)}" for one in failed[:SHOWN]]
        if failed[SHOWN:]:
            lines += ["", f"and {len(failed) - SHOWN} more:"]
            lines += [f"{one.file.name}{_why(one)}" for one in failed[SHOWN:]]
    if grade.skipped:
        lines += [
            "",
            f"{len(grade.skipped)} skipped, where the reference has no answer: {', '.join(grade.skipped)}",
        ]
    return "\n".join(lines) + "\n"


def _shown(one: Graded) -> str:
    text = one.file.text.rstrip("\n")
    lines = text[:LONGEST_INPUT].split("\n") + ["…"] * (len(text) > LONGEST_INPUT)
    return "\n".join([*(f"    | {visible(line)}" for line in lines), _why(one)])


def _why(one: Graded) -> str:
    return f"  {one.difference.why if one.difference else 'passed'}"


def as_json(grade: Grade, scoring: Scoring) -> str:
    """For scripts."""
    failed = [
        {
            "file": one.file.name,
            "expected": one.difference.expected,
            "got": one.difference.got,
            "why": one.difference.why,
            "input": one.file.text,
        }
        for one in grade.failed
        if one.difference
    ]
    figures = {
        "subject": grade.subject,
        "compare": grade.compare.value,
        "tests": len(grade.graded),
        "passed": len(grade.passed),
        "failed": failed,
        "skipped": list(grade.skipped),
    }
    return json.dumps(figures) + "\n"


def as_junit(grade: Grade, scoring: Scoring) -> str:
    """JUnit's XML, which continuous integration reads."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"bonsai {grade.subject}",
        tests=str(len(grade.graded) + len(grade.skipped)),
        failures=str(len(grade.failed)),
        errors="0",
        skipped=str(len(grade.skipped)),
        time=f"{sum(one.seconds for one in grade.graded):.3f}",
    )
    for one in [*grade.failed, *grade.passed]:
        case = ElementTree.SubElement(
            suite, "testcase", classname=grade.subject, name=_for_xml(one.file.name), time=f"{one.seconds:.3f}"
        )
        if one.difference:
            failure = ElementTree.SubElement(case, "failure", message=_for_xml(one.difference.why))
            failure.text = _for_xml(_story(one))
    for name in grade.skipped:
        case = ElementTree.SubElement(suite, "testcase", classname=grade.subject, name=_for_xml(name), time="0")
        ElementTree.SubElement(case, "skipped", message="the reference has no answer")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, "unicode", xml_declaration=True) + "\n"


def _for_xml(text: str) -> str:
    """XML has no way to write most control characters and surrogates."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", text)


def as_gradescope(grade: Grade, scoring: Scoring) -> str:
    """The `results.json` of a Gradescope autograder."""
    number, visibility = len(grade.graded), scoring.visibility.value
    each = scoring.points / number
    tests = [
        {
            "name": one.file.name,
            "status": "failed" if one.difference else "passed",
            "score": 0 if one.difference else round(each, 6),
            "max_score": round(each, 6),
            "output": _story(one) if one.difference else "",
            "output_format": "text",
            "visibility": visibility,
        }
        for one in [*grade.failed, *grade.passed]
    ]
    results = {
        "score": round(scoring.points * len(grade.passed) / number, 2),
        "output": f"{len(grade.passed)} of {number} tests passed." + (f" {grade.alike}" if grade.alike else ""),
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(results, indent=1) + "\n"


def _story(one: Graded) -> str:
    """The input and both answers, for whoever has to find the bug."""
    assert one.difference is not None
    parts = {
        f"Input ({size_of(one.file.text)[0]} characters)": one.file.text.rstrip("\n"),
        "Difference": one.difference.why,
        "Expected": _pretty(one.difference.expected),
        "Got": _pretty(one.difference.got),
    }
    return "\n".join(f"{title}:\n{indent(text, '    ')}" for title, text in parts.items()) + "\n"


def _pretty(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
    return text if len(text) <= LONGEST_OUTPUT else f"{text[:LONGEST_OUTPUT]}\n…"


FORMATS: dict[str, Callable[[Grade, Scoring], str]] = {
    "text": as_text,
    "json": as_json,
    "junit": as_junit,
    "gradescope": as_gradescope,
}
