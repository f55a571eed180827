"""`bonsai merge`: many corpora become one."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bonsai.cli.common import ForceOption, JsonOption, QuietOption, SubjectOption, console, print_error
from bonsai.corpus import Select
from bonsai.corpus_folder import corpus_root, read_corpus
from bonsai.describing import described
from bonsai.merging import merge as merge_texts
from bonsai.outputs import Existing, Output, OutputKind
from bonsai.report.writing import write_report
from bonsai.store import install_run
from bonsai.subject import load_subject
from bonsai.wording import counted


def merge(
    corpora: Annotated[
        list[Path], typer.Argument(metavar="CORPUS", help="Run directories or folders of input files.")
    ],
    subject: SubjectOption,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The run directory to write.")],
    select: Annotated[Select, typer.Option("--select", help="What is kept.")] = Select.VALID_FIRST,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Merge corpora: for every feature that any input exercises, keep the smallest one that does.

    Example: bonsai merge out/monday out/tuesday --subject chocopy -o out/week
    """
    loaded = load_subject(subject)
    existing = Existing.REPLACE if force else Existing.REFUSE
    with Output.claim(output, OutputKind.RUN, existing, map(corpus_root, corpora)) as claimed:
        texts = [one.text for corpus in corpora for one in read_corpus(corpus, loaded.suffix)]
        run = merge_texts(loaded, texts, select)
        install_run(claimed, described(run, loaded))
    write_report(output, print_error)
    if as_json:
        typer.echo(json.dumps(run.summary()))
        return
    out = console()
    if quiet:
        out.print(str(output), markup=False)
        return
    valid = sum(one.valid for one in run.corpus)
    out.print(
        f"{counted(len(texts), 'input')}, {run.asked['distinct']} of them distinct: "
        f"{len(run.corpus)} kept, {valid} valid"
    )
    out.print(f"{run.covered.bit_count()} of {len(run.features)} features covered")
    if run.asked["unparsed"]:
        out.print(f"[yellow]{run.asked['unparsed']} inputs do not parse and were left out[/yellow]")
    out.print(f"in {output}/corpus", markup=False)
