"""Features and their witnesses come in; the target's source goes out, line by line, with what is covered."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from bonsai.feature_names import place_of, source_of
from bonsai.targets.jvm.sources import JavaSources

LINES = 15_000
# A branch of a JVM target: "package.Type.method(Parameters):line:arm"
_METHOD = re.compile(r"(?P<type>[\w.$]+)\.(?P<method>[\w$<>]+\([^:]*):(?P<line>\d+):(?P<arm>.+)")


class Cover(Enum):
    """How well a branch arm is covered."""

    VALID = "valid"  # by a valid test
    INVALID = "invalid"  # by invalid tests only
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Arm:
    """One feature: its number and name, which arm it is, the place of its smallest witness, and how many tests."""

    feature: int
    name: str
    label: str
    cover: Cover
    witness: int | None
    tests: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of source with the arms that begin in it."""

    number: int
    text: str
    arms: tuple[Arm, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the target; without its source, the lines are what the names of its features tell."""

    name: str
    lines: tuple[Line, ...]
    arms: tuple[Arm, ...]
    readable: bool

    @property
    def covered(self) -> int:
        return sum(arm.cover is not Cover.NONE for arm in self.arms)

    @property
    def suffix(self) -> str:
        """What its source is written in, as the suffix of a file."""
        return ".java" if _METHOD.fullmatch(self.arms[0].name) else ".py"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a test is there: the arms of one line of the target that it is the smallest to take."""

    module: int
    where: str
    line: int
    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a feature is shown: in which module, in which line of its source (0: in none), or under which text."""

    module: str
    line: int
    text: str


def _spot(name: str, in_source: Container[str]) -> _Spot:
    """`in_source` has the classes, each in no other one, whose source is there."""
    place = place_of(name)
    if place is not None:
        return _Spot(place.module, place.line, "")
    method = _METHOD.fullmatch(name)
    if method is not None:
        outermost, text = method["type"].split("$")[0], f"{method['method']}, line {method['line']}"
        if outermost in in_source:
            return _Spot(outermost, int(method["line"]), text)
        return _Spot(method["type"], 0, text)
    group, _, rest = name.partition(":")
    return _Spot(group, 0, rest or name)


def label_of(name: str) -> str:
    """Which arm of its branch a feature is; nothing if it is none."""
    place, method = place_of(name), _METHOD.fullmatch(name)
    return place.arm if place else method["arm"] if method else ""


def modules_of(arms: Sequence[Arm], folders: tuple[Path, ...], java: JavaSources | None = None) -> list[Module]:
    """The target's files, by name; their sources are in the subject's folders, installed, or Java's."""
    sources = _java_sources(arms, java) if java is not None else {}
    files: dict[str, list[tuple[_Spot, Arm]]] = {}
    for arm in arms:
        spot = _spot(arm.name, sources)
        files.setdefault(spot.module, []).append((spot, arm))
    for name in files.keys() - sources.keys():
        source = source_of(name, folders) if folders and all(s.line for s, _ in files[name]) else None
        if source is not None:
            sources[name] = source
    return [_module(name, found, sources.get(name)) for name, found in sorted(files.items())]


def _java_sources(arms: Sequence[Arm], java: JavaSources) -> dict[str, tuple[str, ...]]:
    """By the outermost class, without the files of which nothing is covered: of a large target, they are many."""
    methods = [_METHOD.fullmatch(arm.name) for arm in arms if arm.cover is not Cover.NONE]
    outermost = {method["type"].split("$")[0] for method in methods if method}
    found = {name: java.lines(name) for name in outermost}
    return {name: lines for name, lines in found.items() if lines is not None}


def _module(name: str, found: list[tuple[_Spot, Arm]], source: Sequence[str] | None) -> Module:
    arms = tuple(arm for _, arm in found)
    places: dict[int, list[Arm]] = {}
    for spot, arm in found:
        places.setdefault(spot.line, []).append(arm)
    if source is None or not 0 < min(places) <= max(places) <= len(source):
        texts: dict[str, list[Arm]] = {}
        for spot, arm in found:
            texts.setdefault(spot.text or f"line {spot.line}", []).append(arm)
        return Module(name, tuple(Line(0, text, tuple(some)) for text, some in texts.items()), arms, readable=False)
    lines = tuple(Line(number, text, tuple(places.get(number, ()))) for number, text in enumerate(source, start=1))
    return Module(name, lines, arms, readable=True)


def reasons_of(modules: Sequence[Module], witnesses: Mapping[int, Sequence[int]]) -> dict[int, list[Reason]]:
    """By the place of a test: why it is there. `witnesses` are the tests of each feature that are there for it."""
    found: dict[int, list[Reason]] = {}
    for number, module in enumerate(modules):
        for line in module.lines:
            by_test: dict[int, list[str]] = {}
            for arm in line.arms:
                for test in witnesses.get(arm.feature, ()):
                    by_test.setdefault(test, []).append(arm.label)
            for test, labels in by_test.items():
                short = module.name.rpartition(".")[2]
                where, text = f"{short}:{line.number}" if module.readable else short, line.text.strip()
                found.setdefault(test, []).append(Reason(number, where, line.number, text, tuple(labels)))
    return found


def fitting(modules: Sequence[Module]) -> list[Module]:
    """The modules, with no more lines than a page holds: if need be only lines with arms, of those covered most."""
    if sum(len(module.lines) for module in modules) <= LINES:
        return list(modules)
    short = [replace(module, lines=tuple(line for line in module.lines if line.arms)) for module in modules]
    room = LINES
    for place in sorted(range(len(short)), key=lambda place: -short[place].covered):
        if len(short[place].lines) <= room:
            room -= len(short[place].lines)
        else:
            short[place] = replace(short[place], lines=())
    return short
