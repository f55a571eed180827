"""A subject and bounds come in; what a look at it shows goes out: figures, and warnings worth a line each."""

from dataclasses import asdict, dataclass
from statistics import fmean
from time import monotonic

from lark.lexer import BasicLexer

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.counting import log10_count
from bonsai.derivation import Derivation
from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import Analysis, unused_rules
from bonsai.grammar.automata import shortest_matches
from bonsai.grammar.lexing import lexes_as, token_lexer
from bonsai.grammar.model import Grammar, Reference, Terminal
from bonsai.parse_back import parse
from bonsai.sampler import Sampler
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Outcome

SAMPLES = 500  # of a large grammar under deep bounds, each takes tens of milliseconds
PARSED = 100
MOST_STATES = 20_000  # visited to count the programs
MOST_CHOICES = 400
LONGEST_PARSED = 150  # an ambiguous grammar makes a parser slow on long texts


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was seen."""

    bounds: Bounds
    rules: int
    recursive: int
    terminals: int
    identifiers: int
    log10_programs: float | None
    samples: int
    mean_size: float
    max_size: int
    parsed: int
    unreadable: tuple[str, ...]
    warnings: tuple[str, ...]

    def figures(self) -> dict[str, object]:
        """The same for scripts."""
        return {
            "bounds": [self.bounds.idents, self.bounds.items, self.bounds.depth],
            "rules": self.rules,
            "recursive": self.recursive,
            "terminals": self.terminals,
            "identifiers": self.identifiers,
            "log10": self.log10_programs,
            "samples": self.samples,
            "mean_size": self.mean_size,
            "max_size": self.max_size,
            "parsed": self.parsed,
            "unreadable": list(self.unreadable),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class TargetCheckup:
    """What a quick run of the target shows: shares of outcomes among blind samples, speed, coverage."""

    executions: int
    valid: float
    invalid: float
    unparsed: float
    findings: int
    executions_per_second: float
    covered: int
    features: int
    unparsed_example: str | None
    finding_example: str | None

    def figures(self) -> dict[str, object]:
        """The same for scripts."""
        return asdict(self)


Samples = list[tuple[str, list[int]]]


def draw_samples(grammar: Grammar, bounds: Bounds, seed: int) -> Samples:
    """A few hundred blind samples, texts and choices."""
    sampler, draws = Sampler(grammar, bounds), Draws(seed)
    return [sampler.sample(draws) for _ in range(SAMPLES)]


def check_target(subject: Subject, samples: Samples) -> TargetCheckup:
    """Run the target on the samples."""
    texts = [text for text, _ in samples]
    target = start_target(subject)
    try:
        started = monotonic()
        executions = target.execute(texts)
        seconds = monotonic() - started
    finally:
        target.close()
    covered = 0
    for execution in executions:
        covered |= execution.features
    outcomes = [execution.outcome for execution in executions]
    judged = list(zip(texts, outcomes, strict=True))
    return TargetCheckup(
        executions=len(texts),
        valid=outcomes.count(Outcome.VALID) / len(texts),
        invalid=outcomes.count(Outcome.INVALID) / len(texts),
        unparsed=outcomes.count(Outcome.UNPARSED) / len(texts),
        findings=sum(outcome.is_finding for outcome in outcomes),
        executions_per_second=len(texts) / seconds,
        covered=covered.bit_count(),
        features=len(target.features),
        unparsed_example=min((t for t, o in judged if o is Outcome.UNPARSED), key=len, default=None),
        finding_example=min((t for t, o in judged if o.is_finding), key=len, default=None),
    )


def check_grammar(grammar: Grammar, bounds: Bounds, samples: Samples) -> Checkup:
    """Look a grammar over by its definition and by samples."""
    sizes = [len("".join(text.split())) for text, _ in samples]
    short = [text for text, _ in samples if len(text) <= LONGEST_PARSED][:PARSED]
    analysis = Analysis(grammar, bounds.items)
    return Checkup(
        bounds=bounds,
        rules=len(grammar.rules),
        recursive=len(analysis.recursive),
        terminals=len(grammar.terminals),
        identifiers=sum(terminal.identifier for terminal in grammar.terminals.values()),
        log10_programs=_log10_programs(grammar, bounds),
        samples=len(samples),
        mean_size=fmean(sizes),
        max_size=max(sizes),
        parsed=len(short),
        unreadable=tuple(text for text in short if not _parses(grammar, text)),
        warnings=(*_warnings(grammar, bounds), *_never_used(grammar, _short(samples))),
    )


def _log10_programs(grammar: Grammar, bounds: Bounds) -> float | None:
    try:
        return log10_count(grammar, bounds, MOST_STATES)
    except BonsaiError:
        return None  # too many cases to count; not what this look is about


def _parses(grammar: Grammar, text: str) -> bool:
    try:
        parse(grammar, text)
    except BonsaiError:
        return False
    return True


def _warnings(grammar: Grammar, bounds: Bounds) -> list[str]:
    found = [f"rule {name} is never used" for name in unused_rules(grammar)]
    lexer = token_lexer(grammar)
    for terminal in grammar.terminals.values():
        if terminal.name in grammar.ignored or (grammar.layout and terminal.name in grammar.layout):
            continue
        left_out = _left_out(terminal, lexer)
        if left_out:
            found.append(f"{terminal.name}: {left_out[0]!r} is left out, a lexer reads it as something else")
        misread = [value for value in terminal.values if not lexes_as(lexer, terminal.name, value)]
        if misread:
            found.append(f"{terminal.name}: a lexer reads {misread[0]!r} as something else")
        if terminal.identifier and len(terminal.values) < bounds.idents:
            found.append(f"{terminal.name} has {len(terminal.values)} values: idents above that change nothing")
    if not any(terminal.identifier for terminal in grammar.terminals.values()):
        found.append("no terminal is in [grammar.identifiers]: the bound on idents changes nothing")
    return found


def _left_out(terminal: Terminal, lexer: BasicLexer) -> list[str]:
    """Short matches of a terminal that its pool does not have because a lexer would not read them back."""
    if terminal.pattern is None or terminal.is_literal or terminal.identifier:
        return []
    own = shortest_matches(terminal.pattern, lambda text: lexes_as(lexer, terminal.name, text))
    if terminal.values != own:  # the pool was given
        return []
    return [text for text in shortest_matches(terminal.pattern) if text not in own]


def _short(samples: Samples) -> list[tuple[int, ...]]:
    """The samples whose trees are built: a tree costs more than a sample, and a quick look should be quick."""
    return [tuple(choices) for _, choices in samples if len(choices) <= MOST_CHOICES]


def _never_used(grammar: Grammar, samples: list[tuple[int, ...]]) -> list[str]:
    used: set[tuple[str, int]] = set()
    for choices in samples:
        for node in Derivation(grammar, choices, "").tree.walk():
            if isinstance(node.symbol, Reference):
                used.add((node.symbol.rule, node.choice or 0))
    unused = unused_rules(grammar)
    return [
        f"alternative {index + 1} of rule {rule.name} was not used in {len(samples)} short samples"
        for rule in grammar.rules.values()
        if rule.name not in unused
        for index in range(len(rule.alternatives))
        if (rule.name, index) not in used
    ]
