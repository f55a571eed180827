"""One input comes in; what it exercises goes out."""

from collections import Counter
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


def explain(subject: Subject, text: str) -> Explanation:
    """Run the subject's target on a text, and parse the text with its grammar."""
    target = start_target(subject)
    try:
        [execution] = target.execute([text], Wanted.OUTPUT)
        features = [target.features[place] for place in bits(execution.features)]
    finally:
        target.close()
    bounds, rules = None, Counter[str]()
    try:
        derivation = parse(subject.grammar, text)
        bounds = measure(derivation)
        nodes = derivation.tree.walk()
        rules.update(node.symbol.rule for node in nodes if isinstance(node.symbol, Reference))
    except BonsaiError:
        pass  # the grammar may be smaller than the language
    return Explanation(
        execution.outcome, execution.message, execution.output, size_of(text)[0], bounds, dict(rules), features
    )


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
