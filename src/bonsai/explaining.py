"""Inputs come in; what each exercises goes out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bonsai.bounds import Bounds
from bonsai.corpus import bits, size_of
from bonsai.derivation import measure
from bonsai.errors import BonsaiError
from bonsai.feature_names import Place, place_of, source_of
from bonsai.grammar.model import Reference
from bonsai.parse_back import parse
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Outcome, Wanted


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a run on one input ended, how large it is, which rules it uses, and the features it exercises."""

    outcome: Outcome
    message: str
    output: str | None
    size: int
    bounds: Bounds | None  # None if the grammar does not derive it
    rules: dict[str, int]
    features: list[str]


def explain(subject: Subject, texts: Sequence[str]) -> list[Explanation]:
    """Run the subject's target on texts, and parse them with its grammar."""
    target = start_target(subject)
    try:
        executions = target.execute(texts, Wanted.OUTPUT)
        names = target.features
    finally:
        target.close()
    return [
        Explanation(
            execution.outcome,
            execution.message,
            execution.output,
            size_of(text)[0],
            *_derived(subject, text),
            [names[place] for place in bits(execution.features)],
        )
        for text, execution in zip(texts, executions, strict=True)
    ]


def _derived(subject: Subject, text: str) -> tuple[Bounds | None, dict[str, int]]:
    """The bounds of a text, and how often it uses each rule."""
    try:
        derivation = parse(subject.grammar, text)
    except BonsaiError:
        return None, {}  # the grammar may be smaller than the language
    nodes = derivation.tree.walk()
    rules = Counter(node.symbol.rule for node in nodes if isinstance(node.symbol, Reference))
    return measure(derivation), dict(rules)


def by_line(features: list[str], subject: Subject) -> list[tuple[str, list[Place], str]]:
    """The features that have a place, line by line: "module:line", the places, and the source line."""
    lines: dict[tuple[str, int], list[Place]] = {}
    for place in filter(None, map(place_of, features)):
        lines.setdefault((place.module, place.line), []).append(place)
    found = []
    for (module, line), places in sorted(lines.items()):
        source = source_of(module, subject.folders)
        text = source[line - 1].strip() if source and line <= len(source) else ""
        found.append((f"{module}:{line}", places, text))
    return found
