"""What a step of an evaluation found comes in; a file goes out, and back: the data of all tables and figures."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

from bonsai.errors import BonsaiError
from bonsai.evaluation.heatmap import Point
from bonsai.evaluation.third_party import Share
from bonsai.outputs import Existing, Output, write_file, writing
from bonsai.targets.execution import Outcome

FOLDER = "data"
ALL = "all"  # the name of a step that is for all techniques of a repetition


class Technique(Enum):
    """How a corpus was made, in the order of tables."""

    BASELINE = "baseline"
    CHARACTERS = "baseline-characters"
    GRAMMAR = "baseline-grammar"
    HOIST = "baseline-hoist"
    BONSAI_PAPER = "bonsai-paper"
    BONSAI = "bonsai"
    PUBLISHED_BASELINE = "published-baseline"
    PUBLISHED_BONSAI = "published-bonsai"

    @property
    def label(self) -> str:
        """For people."""
        return {
            Technique.BASELINE: "Baseline",
            Technique.CHARACTERS: "Baseline, reduced by characters",
            Technique.GRAMMAR: "Baseline, reduced by grammar",
            Technique.HOIST: "Baseline, reduced with hoisting",
            Technique.BONSAI_PAPER: "Bonsai (paper policy)",
            Technique.BONSAI: "Bonsai (smallest, pruned)",
            Technique.PUBLISHED_BASELINE: "Published baseline",
            Technique.PUBLISHED_BONSAI: "Published Bonsai",
        }[self]


BONSAIS = (Technique.BONSAI_PAPER, Technique.BONSAI)
REDUCED = (Technique.CHARACTERS, Technique.GRAMMAR, Technique.HOIST)
PUBLISHED = {"bonsai": Technique.PUBLISHED_BONSAI, "baseline": Technique.PUBLISHED_BASELINE}  # by their folders


class Step(Enum):
    """What is done with a technique in one repetition."""

    CORPUS = "corpus"
    MEASURED = "measured"
    SCORED = "mutants"


@dataclass(frozen=True, slots=True)
class Key:
    """One step of one repetition; `name` is a technique, a variant of an ablation, or all techniques together.

    Published corpora are in repetition 0.
    """

    repetition: int
    name: str
    step: Step

    def __str__(self) -> str:
        return f"{self.repetition:02}/{self.name}/{self.step.value}"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts in the order in which they were saved, and what it took. A sample is of so many; 0 if it is none.

    `pruning_seconds` is by the clock, and None where nobody has measured it.
    """

    texts: list[str]
    executions: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    sample_of: int = 0
    pruning_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a corpus is worth: the size (without white space) and the outcome of each file, and what all cover."""

    sizes: list[int]
    outcomes: list[str]
    features: int
    features_by_valid: int
    features_total: int
    branches: Share
    lines: Share
    tool: str

    @property
    def parsing(self) -> list[int]:
        """The sizes of the files that the target parses."""
        pairs = zip(self.sizes, self.outcomes, strict=True)
        return [size for size, outcome in pairs if outcome != Outcome.UNPARSED.value]


@dataclass(frozen=True, slots=True)
class Scored:
    """How many mutants the corpus kills, alone, and with black-box fuzzing from it for so many programs.

    `seconds` is for all corpora together that were run side by side.
    """

    mutants: int
    killed: int
    killed_with_fuzzing: int
    programs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of several corpora, which were run against mutants side by side, by their names."""

    scored: dict[str, Scored]


@dataclass(frozen=True, slots=True)
class Blind:
    """Blind sampling at all bounds."""

    points: list[Point]


Record = Corpus | Measured | Scores | Blind
KINDS: dict[str, type[Record]] = {kind.__name__: kind for kind in (Corpus, Measured, Scores, Blind)}


class Data:
    """The records in the folder of an evaluation, each in a file of its own, which appears all at once."""

    def __init__(self, folder: Path, output: Output | None = None) -> None:
        self.folder = folder
        self._output = output

    def save(self, key: str, record: Record) -> None:
        """Keep what a step has found."""
        write_json(self._path(key), {"kind": type(record).__name__, **asdict(record)}, self._output)

    def load(self, key: str) -> Record | None:
        """What a step has found, if it is done."""
        path = self._path(key)
        if not path.exists():
            return None
        try:
            return _record(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            raise BonsaiError(f"{path} cannot be read", "remove it: it will be made again") from None

    def done(self) -> Iterator[Key]:
        """The steps of repetitions that are done."""
        for path in sorted((self.folder / FOLDER).glob("*/*/*.json")):
            repetition, name, _ = path.relative_to(self.folder / FOLDER).parts
            yield Key(int(repetition), name, Step(path.stem))

    def _path(self, key: str) -> Path:
        return self.folder / FOLDER / f"{key}.json"


def _record(found: dict[str, Any]) -> Record:
    kind = KINDS[found.pop("kind")]
    for name, hint in get_type_hints(kind).items():
        if hint is Share:
            found[name] = Share(**found[name])
        elif hint == list[Point]:
            found[name] = [Point(**one) for one in found[name]]
        elif hint == dict[str, Scored]:
            found[name] = {technique: Scored(**one) for technique, one in found[name].items()}
    return kind(**found)


def write_json(path: Path, content: object, output: Output | None = None) -> None:
    """Writes a file that is never seen half-written; in an output, as one of its files."""
    encoded = (json.dumps(content, indent=1) + "\n").encode("utf-8")
    if output is not None:
        output.write(path.relative_to(output.folder).as_posix(), encoded)
        return
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, encoded, Existing.REPLACE)
