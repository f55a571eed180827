"""What a reference and a candidate answered to one input comes in; the first difference that counts goes out.

What counts depends on the reference's answer. On an input that it accepts, that is its output. On one that it
rejects, it is the errors, where the subject says how they are listed, and otherwise the output. On an input that it
cannot even parse, and wherever it shows no output, it is only whether the candidate accepts or rejects it as well.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from bonsai.errors import BonsaiError
from bonsai.tables import Table
from bonsai.targets.execution import Execution, Outcome

Json = Any  # what `json.loads` returns
Errors = list[dict[str, Json]]


class Compare(Enum):
    """How much of the answers is compared."""

    OUTPUT = "output"
    VALIDITY = "validity"
    ERRORS = "errors"


@dataclass(frozen=True, slots=True)
class ErrorList:
    """Where an output lists what is wrong with the input, and which parts of each error are compared."""

    path: str
    parts: tuple[str, ...]

    def read(self, output: Json) -> Errors | None:
        """The errors of an output, in an order that depends on nothing else; None if it has no such list."""
        found = _at(output, self.path)
        if not isinstance(found, list):
            return None
        errors = [{part: _at(error, part) for part in self.parts} for error in found]
        return sorted(errors, key=_key)


@dataclass(frozen=True, slots=True)
class Difference:
    """What was expected, what came instead, and the first place where they differ, in one line."""

    expected: Json
    got: Json
    why: str


class _Aspect(Enum):
    VALIDITY = "validity"
    OUTPUT = "output"
    ERRORS = "errors"
    MESSAGE = "message"


_OF_OUTPUTS = (_Aspect.OUTPUT, _Aspect.ERRORS)


def read_error_list(table: Table) -> ErrorList | None:
    """The `[grading]` table of a subject."""
    if "errors" not in table:
        table.strings("parts", ())
        table.finish()
        return None
    listed = ErrorList(table.string("errors"), table.strings("parts"))
    table.finish()
    if not listed.parts:
        raise table.error("parts", "nothing of an error would be compared", 'write parts = ["message"], say')
    return listed


def difference(
    reference: Execution, candidate: Execution, compare: Compare, listed: ErrorList | None
) -> Difference | None:
    """The difference that counts, if there is one. The reference must have answered: no crash, no time-out."""
    if reference.outcome.is_finding:
        raise BonsaiError(f"the reference has no answer: {reference.message}", "leave this input out")
    aspect = _aspect(reference, compare, listed)
    expected = _view(reference, aspect, listed)
    if candidate.outcome.is_finding:
        ended = f"{candidate.outcome.value}: {candidate.message}"
        return Difference(expected, ended, ended)
    got = _view(candidate, aspect, listed)
    if isinstance(expected, str) and _plain(candidate) == expected.strip():
        return None
    found = first_difference(expected, got)
    if found is None:
        return None
    misplaced = _misplaced(reference, candidate, listed) if listed and aspect in _OF_OUTPUTS else ""
    first = Difference(expected, got, _first(*found))
    return replace(first, why=misplaced or _explained(first, candidate, aspect))


def _first(where: str, wanted: Json, instead: Json) -> str:
    why = f"expected {_short(wanted)}, got {_short(instead)}"
    return f"{where}: {why}" if where else why


def _explained(found: Difference, candidate: Execution, aspect: _Aspect) -> str:
    """With the candidate's own words, where it shows nothing that could be compared."""
    if found.got is None and "no JSON" in candidate.note:
        return candidate.note
    mute = found.got is None or (isinstance(found.got, str) and not isinstance(found.expected, str))
    words = candidate.note or candidate.message.partition("\n")[0][:LONGEST_SHOWN]
    return f"{found.why} ({words})" if words and (mute or aspect is _Aspect.VALIDITY) else found.why


# Errors


def _misplaced(reference: Execution, candidate: Execution, listed: ErrorList) -> str:
    """Which errors are missing, and which are there instead; nothing if they are the same, or not listed."""
    expected, got = (listed.read(parse_json(one.output)) for one in (reference, candidate))
    if expected is None or got is None:
        return ""
    sides = {"missing": _without(expected, got), "unexpected": _without(got, expected)}
    return "; ".join(_told(kind, errors) for kind, errors in sides.items() if errors)


def _without(errors: Errors, others: Errors) -> Errors:
    """The errors that are not among the others, or not as often."""
    left = Counter(map(_key, others))
    found = []
    for error in errors:
        left[_key(error)] -= 1
        if left[_key(error)] < 0:
            found.append(error)
    return found


def _told(kind: str, errors: Errors) -> str:
    place = [f"{_place(part)} {_short(value)}" for part, value in errors[0].items() if not isinstance(value, str)]
    texts = [value for value in errors[0].values() if isinstance(value, str)]
    more = f" (and {len(errors) - 1} more)" if errors[1:] else ""
    return f"{', '.join([f'{kind} error', *place])}: {', '.join(texts)}{more}"


def _place(part: str) -> str:
    """A part of an error as people call it: positions start with a line."""
    return "line" if part.rpartition(".")[2] in ("0", "line") else part


def _key(error: dict[str, Json]) -> str:
    return json.dumps(error, sort_keys=True)


def _aspect(reference: Execution, compare: Compare, listed: ErrorList | None) -> _Aspect:
    if compare is Compare.VALIDITY or reference.outcome is Outcome.UNPARSED:
        return _Aspect.VALIDITY
    shown = reference.output not in (None, "null")
    if reference.outcome is Outcome.VALID:
        return _Aspect.OUTPUT if shown and compare is Compare.OUTPUT else _Aspect.VALIDITY
    if listed:
        return _Aspect.ERRORS
    if compare is Compare.ERRORS:
        return _Aspect.MESSAGE
    return _Aspect.OUTPUT if shown else _Aspect.VALIDITY


def _view(execution: Execution, aspect: _Aspect, listed: ErrorList | None) -> Json:
    output = parse_json(execution.output)
    errors = listed.read(output) if listed else None
    match aspect:
        case _Aspect.OUTPUT:
            return output
        case _Aspect.ERRORS:
            return errors
        case _Aspect.MESSAGE:
            return execution.message
        case _Aspect.VALIDITY:
            valid = not errors if errors is not None else execution.outcome is Outcome.VALID
            return "valid" if valid else "rejected"


def _plain(candidate: Execution) -> str | None:
    """What a candidate printed that was taken for JSON, though the reference's output is a text."""
    return None if candidate.output is None else candidate.output.strip()


# JSON


def parse_json(text: str | None) -> Json:
    """The value of a JSON text, where 1.0 is 1; what is no JSON is a text itself."""
    if text is None:
        return None
    try:
        return json.loads(text, parse_float=_number, parse_constant=str)
    except (ValueError, RecursionError):  # deeper than Python can read: still the same if its text is the same
        return text.strip()


def _number(digits: str) -> float | int | str:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        return digits
    return int(value) if value.is_integer() else value


_ABSENT = object()


def first_difference(expected: Json, got: Json) -> tuple[str, Json, Json] | None:
    """Where two JSON values differ first, and what is there; the order of an object's keys does not count."""
    pending = [("", expected, got)]
    while pending:  # no recursion: a tree can be deep
        where, left, right = pending.pop()
        if type(left) is not type(right):
            return where, left, right
        if isinstance(left, dict | list):
            pending += reversed(list(_pairs(where, left, right)))
        elif left != right:
            return where, left, right
    return None


def _pairs(where: str, left: Json, right: Json) -> Iterator[tuple[str, Json, Json]]:
    if isinstance(left, dict):
        for key in dict.fromkeys([*left, *right]):
            yield f"{where}.{key}".lstrip("."), left.get(key, _ABSENT), right.get(key, _ABSENT)
        return
    for place in range(max(len(left), len(right))):
        one, other = (values[place] if place < len(values) else _ABSENT for values in (left, right))
        yield f"{where}[{place}]", one, other


def _at(value: Json, path: str) -> Json:
    """What a path such as `location.0` leads to; None if it leads nowhere."""
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


LONGEST_SHOWN = 120


def _short(value: Json) -> str:
    if value is _ABSENT:
        return "nothing"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"
