"""Existing files come in; seeds go out, each for the smallest node of a lattice whose bounds hold it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bonsai.bounds import Bounds
from bonsai.choices import Choices
from bonsai.corpus_folder import CorpusFile
from bonsai.derivation import holding
from bonsai.errors import BonsaiError
from bonsai.lattice import Lattice, Node
from bonsai.parse_back import derivations
from bonsai.parsing import parser_for
from bonsai.subject import Subject


@dataclass(frozen=True, slots=True)
class Planting:
    """Seeds by node, in a subject whose pools hold their values; and the files that are none, with the reason."""

    subject: Subject
    seeds: Mapping[Node, Sequence[Choices]]
    left_out: Mapping[str, str]


def plant(subject: Subject, files: Sequence[CorpusFile], lattice: Lattice) -> Planting:
    """Parse files with the subject's grammar, and find the node for each."""
    parser = parser_for(subject.grammar)
    left_out: dict[str, str] = {}
    parsed = []
    for one in files:
        try:
            parsed.append((one.name, parser.parse(one.text)))
        except BonsaiError as error:
            left_out[one.name] = error.message
    seeds: dict[Node, list[Choices]] = defaultdict(list)
    found = derivations(subject.grammar, [steps for _, steps in parsed])
    for (name, _), derivation in zip(parsed, found, strict=True):
        bounds = holding(derivation).join(Bounds(1, 1, 1))
        if bounds <= lattice.upper:
            for saving in lattice.savings:
                seeds[Node(bounds, saving)].append(derivation.choices)
        else:
            left_out[name] = f"needs the bounds {bounds}"
    grammar = found[0].grammar if found else subject.grammar
    return Planting(replace(subject, grammar=grammar), dict(seeds), left_out)
