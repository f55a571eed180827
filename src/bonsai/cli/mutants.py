"""`bonsai mutants`: the mutation score of a corpus."""

import json
from time import monotonic
from typing import Annotated

import typer
from rich.markup import escape

from bonsai.cli.common import (
    CorpusArgument,
    JobsOption,
    JsonOption,
    QuietOption,
    SeedOption,
    SubjectOption,
    console,
    programs_of,
)
from bonsai.cli.progress import Counter
from bonsai.corpus_folder import read_corpus
from bonsai.mutation.bench import Bench
from bonsai.mutation.scoring import Score, score
from bonsai.subject import load_subject
from bonsai.wording import harmless

MOST_PRINTED = 10


def mutants(
    corpus: CorpusArgument,
    subject: SubjectOption,
    fuzz: Annotated[
        str,
        typer.Option("--fuzz", metavar="B", help="Fuzz the survivors from the corpus, each so often (5000x)."),
    ] = "",
    jobs: JobsOption = 1,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how many small faults, put into the covered modules, a corpus notices.

    A mutant is killed by an input on which it answers otherwise than the original, crashes, or takes too long.

    Example: bonsai mutants out --subject chocopy --fuzz 2000x --jobs 2
    """
    loaded = load_subject(subject)
    texts = [file.text for file in read_corpus(corpus, loaded.suffix)]
    budget = programs_of(fuzz, "--fuzz") if fuzz else 0
    started = monotonic()
    with Counter("mutants", quiet or as_json) as view, Bench(loaded, jobs) as bench:
        found = score(bench, loaded, texts, budget, seed, view)
        figures = summary(bench, found, budget, monotonic() - started)
    if as_json:
        typer.echo(json.dumps(figures))
    elif quiet:
        typer.echo(f"{found.with_fuzzing if budget else found.of_corpus:.4f}")
    else:
        _print(found, figures, budget)


def summary(bench: Bench, found: Score, budget: int, seconds: float) -> dict[str, object]:
    """What `--json` prints. With fuzzing, `killed` and `score` are still those of the corpus alone."""
    figures: dict[str, object] = {
        "mutants": len(found.mutants),
        "killed": len(found.by_corpus),
        "score": round(found.of_corpus, 5),
        "seconds": round(seconds, 3),
        "equivalent": bench.made.equivalent,
        "duplicates": bench.made.duplicates,
        "stillborn": len(bench.stillborn) + bench.made.uncompilable,
        "ended": _counted([one.how for one in found.by_corpus.values()]),
    }
    if budget:
        figures["fuzz"] = {
            "budget": budget,
            "executions": found.children,
            "killed": len(found.by_corpus) + len(found.by_fuzzing),
            "score": round(found.with_fuzzing, 5),
        }
    figures["survivors"] = [{"mutant": one.name, "change": one.change} for one in found.survivors]
    return figures


def _counted(endings: list[str]) -> dict[str, int]:
    return {ending: endings.count(ending) for ending in sorted(set(endings))}


def _print(found: Score, figures: dict[str, object], budget: int) -> None:
    out = console()
    out.print(
        f"[bold]{found.of_corpus:.1%}[/bold] of {len(found.mutants)} mutants killed by the corpus alone: "
        f"{len(found.by_corpus)} in {figures['seconds']} s"
    )
    if budget:
        out.print(
            f"[bold]{found.with_fuzzing:.1%}[/bold] with black-box fuzzing from it, {found.children} executions "
            f"for each mutant that survived"
        )
    out.print(
        f"left out: {figures['equivalent']} that change nothing, {figures['duplicates']} that are the same as "
        f"another, {figures['stillborn']} that cannot be imported"
    )
    for one in found.survivors[:MOST_PRINTED]:
        out.print(f"survived  {escape(one.module)}:{one.line}  {escape(harmless(one.change))}")
    if len(found.survivors) > MOST_PRINTED:
        out.print(f"… and {len(found.survivors) - MOST_PRINTED} more; --json lists all")
