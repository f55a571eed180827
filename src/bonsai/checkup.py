"""A subject and bounds come in; what a look at it shows goes out: figures, and warnings worth a line each."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import fmean
from time import monotonic

from lark.lexer import BasicLexer

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.counting import log10_count
from bonsai.derivation import Derivation
from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import structure, unused_rules
from bonsai.grammar.automata import shortest_matches
from bonsai.grammar.lexing import lexes_as, token_lexer
from bonsai.grammar.model import Grammar, Reference, Terminal
from bonsai.parsing import parser_for
from bonsai.sampler import Sampler
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Execution, Outcome, Target, Wanted

SAMPLES = 500  # of a large grammar under deep bounds, each takes tens of milliseconds
FEWEST_SAMPLES = 5
MOST_CHOICES_DRAWN = 500_000
PARSED = 100
MOST_STATES = 20_000  # visited to count the programs
MOST_CHOICES = 400
MOST_PARSING_SECONDS = 10.0
MOST_TRIED = 1_000_000  # patterns: a lexer tries all of them on each value that it is shown
MOST_NODES = 300_000  # of trees that are looked at
LONGEST_PARSED = 150  # an ambiguous grammar makes a parser slow on long texts
MOST_FINDINGS = 10  # a target that fails this often is to be put right first
MOST_SECONDS = 15.0  # spent in batches with a time-out
LARGEST_BATCH = 64
SHOWN = 20  # valid samples whose output is looked at
TOLERATED = 0.01  # of the samples unparsed: what a grammar cannot know of the context


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
    unparsed_message: str
    finding_example: str | None
    finding_message: str
    output_note: str  # why there is no output of a valid sample, where that cannot be written

    @property
    def is_fit(self) -> bool:
        """Whether growing makes sense: something is judged, and nearly everything is parsed."""
        return self.valid + self.invalid > 0 and self.unparsed <= TOLERATED

    def figures(self) -> dict[str, object]:
        """The same for scripts."""
        return asdict(self)


Samples = list[tuple[str, list[int]]]


def draw_samples(grammar: Grammar, bounds: Bounds, seed: int, number: int = SAMPLES) -> Samples:
    """Draws blind samples, texts and choices: fewer if they are so large that all of them would take minutes."""
    sampler, draws = Sampler(grammar, bounds), Draws(seed)
    samples: Samples = []
    choices = 0
    while len(samples) < number and (len(samples) < FEWEST_SAMPLES or choices < MOST_CHOICES_DRAWN):
        samples.append(sampler.sample(draws))
        choices += len(samples[-1][1])
    return samples


def check_target(subject: Subject, samples: Samples) -> TargetCheckup:
    """Run the target on the samples, or on the first few of them if it fails too often."""
    target = start_target(subject)
    try:
        started = monotonic()
        executions = _execute(target, [text for text, _ in samples])
        seconds = monotonic() - started
        judged = [(text, one) for (text, _), one in zip(samples, executions, strict=False)]
        valid = [text for text, one in judged if one.outcome is Outcome.VALID]
        shown = target.execute(valid[:SHOWN], Wanted.OUTPUT)
    finally:
        target.close()
    covered = 0
    for execution in executions:
        covered |= execution.features
    number = len(executions)
    outcomes = [execution.outcome for execution in executions]
    unparsed = _smallest((text, one) for text, one in judged if one.outcome is Outcome.UNPARSED)
    finding = _smallest((text, one) for text, one in judged if one.outcome.is_finding)
    return TargetCheckup(
        executions=number,
        valid=outcomes.count(Outcome.VALID) / number,
        invalid=outcomes.count(Outcome.INVALID) / number,
        unparsed=outcomes.count(Outcome.UNPARSED) / number,
        findings=sum(outcome.is_finding for outcome in outcomes),
        executions_per_second=number / seconds,
        covered=covered.bit_count(),
        features=len(target.features),
        unparsed_example=unparsed[0],
        unparsed_message=unparsed[1],
        finding_example=finding[0],
        finding_message=finding[1],
        output_note=next((one.message for one in shown if one.outcome is Outcome.VALID and one.message), ""),
    )


def _execute(target: Target, texts: list[str]) -> list[Execution]:
    """The executions of the texts, up to the one after which it is pointless to go on.

    A batch after a time-out is small: nobody wants to wait for several of them before something is said.
    """
    executions: list[Execution] = []
    size, wasted = 1, 0.0
    while len(executions) < len(texts):
        started = monotonic()
        batch = target.execute(texts[len(executions) : len(executions) + size])
        executions += batch
        if any(one.outcome is Outcome.TIMEOUT for one in batch):
            size, wasted = 1, wasted + monotonic() - started
        else:
            size = min(2 * size, LARGEST_BATCH)
        if wasted >= MOST_SECONDS or sum(one.outcome.is_finding for one in executions) >= MOST_FINDINGS:
            break
    return executions


def _smallest(judged: Iterable[tuple[str, Execution]]) -> tuple[str | None, str]:
    """The shortest of some texts, and what the target said of it."""
    found = min(judged, key=lambda one: len(one[0]), default=None)
    return (None, "") if found is None else (found[0], found[1].message)


def check_grammar(grammar: Grammar, bounds: Bounds, samples: Samples) -> Checkup:
    """Look a grammar over by its definition and by samples."""
    sizes = [len("".join(text.split())) for text, _ in samples]
    short = [text for text, _ in samples if len(text) <= LONGEST_PARSED][:PARSED]
    parsed, unreadable, unparsed = _parsed_back(grammar, short)
    return Checkup(
        bounds=bounds,
        rules=len(grammar.rules),
        recursive=len(structure(grammar).recursive),
        terminals=len(grammar.terminals),
        identifiers=sum(terminal.identifier for terminal in grammar.terminals.values()),
        log10_programs=_log10_programs(grammar, bounds),
        samples=len(samples),
        mean_size=fmean(sizes),
        max_size=max(sizes),
        parsed=parsed,
        unreadable=unreadable,
        warnings=(*_warnings(grammar, bounds), *_never_used(grammar, _short(samples)), *unparsed),
    )


def _log10_programs(grammar: Grammar, bounds: Bounds) -> float | None:
    try:
        return log10_count(grammar, bounds, MOST_STATES)
    except BonsaiError:
        return None  # too many cases to count; not what this look is about


def _parsed_back(grammar: Grammar, texts: list[str]) -> tuple[int, tuple[str, ...], list[str]]:
    """Returns how many texts were parsed, those that do not parse, and a warning if the grammar is too large."""
    try:
        parser = parser_for(grammar)
    except BonsaiError as error:
        return 0, (), [f"no sample is parsed back: {error.message}"]
    started = monotonic()
    unreadable = []
    parsed = 0
    for text in texts:
        if monotonic() - started > MOST_PARSING_SECONDS:
            break
        parsed += 1
        try:
            parser.parse(text)
        except BonsaiError:
            unreadable.append(text)
    return parsed, tuple(unreadable), []


def _warnings(grammar: Grammar, bounds: Bounds) -> list[str]:
    found = [f"rule {name} is never used" for name in unused_rules(grammar)]
    lexer = token_lexer(grammar)
    reads = MOST_TRIED // len(grammar.terminals) if grammar.terminals else 0
    for terminal in grammar.terminals.values():
        if terminal.name in grammar.ignored or (grammar.layout and terminal.name in grammar.layout):
            continue
        left_out = _left_out(terminal, lexer)
        if left_out:
            found.append(f"{terminal.name}: {left_out[0]!r} is left out, a lexer reads it as something else")
        values = terminal.values[:reads]
        reads -= len(values)
        misread = next((value for value in values if not lexes_as(lexer, terminal.name, value)), None)
        if misread is not None:
            found.append(f"{terminal.name}: a lexer reads {misread!r} as something else")
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
    looked_at = nodes = 0
    for choices in samples:
        if nodes > MOST_NODES:
            break
        looked_at += 1
        for node in Derivation(grammar, choices, "").tree.walk():
            nodes += 1
            if isinstance(node.symbol, Reference):
                used.add((node.symbol.rule, node.choice or 0))
    unused = set(unused_rules(grammar))
    return [
        f"alternative {index + 1} of rule {rule.name} was not used in {looked_at} short samples"
        for rule in grammar.rules.values()
        if rule.name not in unused
        for index in range(len(rule.alternatives))
        if (rule.name, index) not in used
    ]
