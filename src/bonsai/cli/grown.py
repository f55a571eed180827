"""A finished run comes in; the closing summary goes out: figures, a few tests, and what to do next."""

from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from bonsai.bounds import Bounds
from bonsai.captions import first_witnessed
from bonsai.cli.common import console, print_error
from bonsai.corpus import Input
from bonsai.ending import Ending
from bonsai.lattice import Kind, Lattice
from bonsai.session import RUN
from bonsai.store import Run
from bonsai.wording import counted, harmless, visible

SHOWN = 5
BETWEEN = 4  # columns


def print_grown(run: Run, folder: Path) -> None:
    """For people."""
    out = console()
    _print_figures(out, run, folder)
    if run.corpus:
        chosen = telling(run.corpus)
        smallest = run.corpus[:SHOWN]
        _print_tests(out, "The smallest", run, smallest)
        _print_tests(out, "The most telling", run, [one for one in chosen if one not in smallest][:SHOWN])
    _print_findings(out, run, folder)
    if run.judged != 0:
        out.print(f"\nNext: open {folder}/report.html, or look into {folder}/corpus", markup=False)
    if not run.asked["complete"]:
        out.print(f"The run is not complete. Go on with: bonsai grow --resume {folder}", markup=False)


def exit_code(run: Run, hint: str) -> int:
    """Returns 0 if all is well; otherwise 1, after saying why.

    All is well unless a part of the run has failed, there is nothing to cover, or the target has no verdict on any
    of the inputs that were executed.
    """
    failures = run.failures
    for failure in failures[:SHOWN]:
        what = "the run" if failure.task == RUN else failure.task
        print_error(f"{what} failed: {visible(failure.reason)}", hint)
    if len(failures) > SHOWN:
        print_error(f"{len(failures) - SHOWN} more tasks failed", "run.json lists them under failures")
    return max(_complain_if_in_vain(run), 1 if failures else 0)


def _complain_if_in_vain(run: Run) -> int:
    if not run.features:
        print_error("the target has no features, so no input is kept", "`cover` in [target] names modules to cover")
        return 1
    if run.judged and not run.covered:
        hint = "`cover` in [target] names the modules that the driver should reach; see bonsai check"
        print_error("no input executes anything that is covered, so none is kept", hint)
        return 1
    if run.judged != 0 or not any(node.executions for node in run.nodes):
        return 0
    most = max(run.findings, key=lambda one: one.times, default=None)
    often = (
        f"; most often, {most.outcome.value} {most.message[:200]} ({counted(most.times, 'time')})" if most else ""
    )
    print_error(f"no input is judged, neither as valid nor as invalid{often}", "does the driver work?")
    return 1


def telling(corpus: list[Input]) -> list[Input]:
    """The tests by how many features each is the smallest to exercise, among its own kind first."""
    first = zip(first_witnessed(corpus), corpus, strict=True)
    return [one for _, one in sorted(first, key=lambda pair: (-pair[0].bit_count(), pair[1].size))]


def _print_figures(out: Console, run: Run, folder: Path) -> None:
    figures = run.summary()
    corpus, features = figures["corpus"], figures["features"]
    assert isinstance(corpus, dict)
    assert isinstance(features, dict)
    out.print(
        f"[bold]{counted(corpus['files'], 'test')}[/bold], {corpus['valid']} of them valid, on average "
        f"{corpus['mean_size']:.1f} characters without white space (median {corpus['median_size']:g}, "
        f"largest {corpus['max_size']})"
    )
    out.print(
        f"{features['covered']} of {features['total']} features covered, {features['by_valid']} by valid tests; "
        f"{counted(sum(node.executions for node in run.nodes), 'execution')} in {run.seconds:.1f} s, "
        f"{counted(len(run.nodes), 'node')}"
    )
    _print_cut(out, run)
    _print_mutants(out, run)
    print_unstable(out, run)


def print_unstable(out: Console, run: Run) -> None:
    """How many features were seen and could not be relied on, if any."""
    if run.unstable:
        unstable = counted(run.unstable.bit_count(), "feature")
        out.print(f"[yellow]{unstable} did not recur when an input was run again[/yellow]")


def _print_cut(out: Console, run: Run) -> None:
    """Prints how many nodes are not done, and why. Nodes that never started have no entry in the run."""
    bounds, kind = run.asked["bounds"], run.asked["lattice"]
    assert isinstance(bounds, list)
    nodes = len(Lattice(Bounds(*bounds), Kind(kind)).nodes())
    endings = [node.stopped for node in run.nodes]
    cut = nodes - sum(ending.is_final or ending is Ending.FAILED for ending in endings)
    if cut:
        by_time = Ending.OUT_OF_TIME in endings and Ending.INTERRUPTED not in endings
        were = "was" if cut == 1 else "were"
        why = "ran out of time" if by_time else f"{were} not finished when the run was stopped"
        out.print(f"[yellow]{cut} of {counted(nodes, 'node')} {why}[/yellow]")
    if failed := endings.count(Ending.FAILED):
        out.print(f"[red]{failed} of {counted(nodes, 'node')} failed[/red]")


def _print_mutants(out: Console, run: Run) -> None:
    """Prints what `--kill-mutants` has added, if it was asked for and has come to its end."""
    figures = run.asked.get("mutants")
    if isinstance(figures, dict):
        further = figures["killed"] - figures["killed_by_grown"]
        out.print(
            f"{counted(figures['added'], 'test')} added that kill {counted(further, 'further mutant')}; "
            f"{figures['killed']} of {counted(figures['mutants'], 'mutant')} are killed"
        )


def _print_tests(out: Console, title: str, run: Run, tests: list[Input]) -> None:
    if not tests:
        return
    out.print(f"\n[bold]{title}[/bold]")
    lexer = Syntax.guess_lexer(f"test{run.suffix}")
    texts = [harmless(one.text.rstrip("\n")) or "(empty)" for one in tests]
    kinds = [Text("valid" if one.valid else "invalid", "dim") for one in tests]
    code = [Syntax(text, lexer, background_color="default", word_wrap=True) for text in texts]
    grid = Table.grid(padding=(0, BETWEEN))
    needed = sum(max(map(cell_len, ["invalid", *text.splitlines()])) + BETWEEN for text in texts)
    if needed <= out.width:  # all beside each other
        grid.add_row(*code)
        grid.add_row(*[""] * len(tests))
        grid.add_row(*kinds)
    else:
        for kind, one in zip(kinds, code, strict=True):
            grid.add_row(kind, one)
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))


def _print_findings(out: Console, run: Run, folder: Path) -> None:
    for finding in run.findings[:SHOWN]:
        out.print(f"[red]{finding.outcome.value}[/red]", end=" ")
        times = counted(finding.times, "time")
        out.print(f"{harmless(finding.message[:200])} on {finding.text[:80]!r} ({times})", markup=False)
    if run.findings:
        out.print(f"{counted(len(run.findings), 'finding')}, in {folder}/findings", markup=False)
