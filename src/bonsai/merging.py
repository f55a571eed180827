"""The inputs of many folders come in; one corpus of smallest witnesses goes out."""

from collections.abc import Callable, Sequence
from time import monotonic

from bonsai.captions import smallest_unparsed
from bonsai.cbgf import Finding
from bonsai.corpus import Archive, Input, Select
from bonsai.feedback import Saving, recurring
from bonsai.schema import RunKind
from bonsai.store import Run
from bonsai.subject import Subject, identity, start_target
from bonsai.targets.execution import Outcome

BATCH = 64


def merge(
    subject: Subject,
    texts: Sequence[str],
    select: Select = Select.VALID_FIRST,
    watch: Callable[[int], None] = lambda done: None,
) -> Run:
    """For every feature that any of the texts exercises, the smallest of them; valid ones first."""
    started = monotonic()
    distinct = sorted(set(texts))
    archive = Archive(Saving.UNRESTRICTED)
    findings: dict[tuple[Outcome, str], Finding] = {}
    unparsed: list[str] = []
    unstable = 0
    target = start_target(subject)
    try:
        for start in range(0, len(distinct), BATCH):
            batch = distinct[start : start + BATCH]
            for text, execution in zip(batch, target.execute(batch), strict=True):
                if Saving.UNRESTRICTED.counts(execution.outcome):
                    [again] = target.execute([text])
                    stable = recurring(execution, again)
                    unstable |= stable.unstable
                    archive.add(Input(text, (), execution.outcome is Outcome.VALID, stable.features))
                elif execution.outcome.is_finding:
                    key = (execution.outcome, execution.message)
                    findings.setdefault(key, Finding(*key, text, 1))
                else:
                    unparsed.append(text)
            watch(min(start + BATCH, len(distinct)))
    finally:
        target.close()
    asked: dict[str, object] = {
        "kind": RunKind.MERGE.value,
        **identity(subject, target.features),
        "select": select.value,
        "merged": len(texts),
        "distinct": len(distinct),
        "unparsed": len(unparsed),
    }
    return Run(
        asked=asked,
        suffix=subject.suffix,
        features=target.features,
        corpus=archive.selected(select),
        covered=archive.covered,
        covered_by_valid=archive.covered_by_valid,
        unstable=unstable,
        findings=[findings[key] for key in sorted(findings, key=lambda key: (key[0].value, key[1]))],
        nodes=[],
        growth=[],
        seconds=monotonic() - started,
        unparsed=smallest_unparsed(unparsed),
    )
