"""What people see while a corpus grows: the lattice filling up, or one line for each node in a log."""

import sys
from time import monotonic
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bonsai.bounds import Bounds
from bonsai.corpus import mean_size
from bonsai.ending import Ending
from bonsai.feedback import Saving
from bonsai.grow import Growing
from bonsai.grow_tasks import PRUNE, Result, key_of
from bonsai.lattice import Node
from bonsai.wording import counted, visible

WIDEST = 6  # a lattice with a larger bound is not drawn
EVERY_ON_A_TERMINAL = 0.25


class GrowView:
    """Called whenever something happened; prints to standard error, so that results can be piped."""

    def __init__(self, silent: bool, features: int = 0) -> None:
        self._silent = silent
        self.features = features
        self._console = Console(stderr=True, highlight=False)
        self._live: Live | None = None
        self._logged: set[str] = set()
        self._drawn = 0.0

    def __enter__(self) -> "GrowView":
        if not self._silent and sys.stderr.isatty():
            self._live = Live(Text("starting the target"), console=self._console, auto_refresh=False)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, growing: Growing) -> None:
        if self._silent:
            return
        if self._live is None:
            self._log(growing)
        elif monotonic() - self._drawn >= EVERY_ON_A_TERMINAL:
            self._drawn = monotonic()
            self._live.update(Group(lattice_picture(growing), Text(status(growing, self.features))), refresh=True)

    def _log(self, growing: Growing) -> None:
        for key, result in growing.results.items():
            if key not in self._logged:
                self._logged.add(key)
                state = result.state
                print(
                    f"{growing.seconds:6.1f} s  {key:12} {counted(state.tally.executions, 'execution'):>18}  "
                    f"{counted(growing.new[key], 'new feature'):>16}, {growing.corpus.covered.bit_count()} in all  "
                    f"{counted(len(state.members), 'test'):>10}  {_how_it_ended(growing, result)}",
                    file=sys.stderr,
                    flush=True,
                )


def status(growing: Growing, features: int) -> str:
    """The figures below the picture."""
    members = growing.corpus.inputs()
    running = [news.covered for news in growing.running.values() if news is not None]
    covered = max([growing.corpus.covered.bit_count(), *running])
    nodes = growing.plan.lattice.nodes()
    done = sum(map(growing.done, nodes))
    seconds = growing.seconds
    lines = [
        f"{done} of {len(nodes)} nodes   {covered} of {features} features   "
        f"{counted(len(members), 'test')} of {mean_size(members):.1f} characters",
        f"{counted(growing.executions, 'execution')}, {growing.executions / max(seconds, 0.001):,.0f}/s   "
        f"{_clock(seconds)}{_left(growing, done, len(nodes))}",
    ]
    if PRUNE in growing.running:
        lines.append("pruning")
    if growing.stopping is not None:
        lines.append(f"{growing.stopping.value}; what was found is kept")
    return "\n".join(lines)


def _how_it_ended(growing: Growing, result: Result) -> str:
    """Returns how a task ended, in one line."""
    ending = growing.ending(result)
    return f"failed: {visible(result.reason)}" if ending is Ending.FAILED else ending.value


def _left(growing: Growing, done: int, nodes: int) -> str:
    """A guess at the time that is still needed: the nodes that are left take as long as those that are done."""
    if not 2 < done < nodes:
        return ""
    return f", about {_clock(growing.seconds / done * (nodes - done))} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def lattice_picture(growing: Growing) -> Table | Text:
    """One square for each depth; in it, a row for each number of items and a column for each number of names."""
    upper = growing.plan.lattice.upper
    if max(upper.idents, upper.items, upper.depth) > WIDEST:
        return Text()
    squares = Table.grid(padding=(0, 3))
    squares.add_row(*(_square(growing, depth) for depth in range(1, upper.depth + 1)))
    return squares


def _square(growing: Growing, depth: int) -> Table:
    upper = growing.plan.lattice.upper
    square = Table.grid(padding=(0, 1))
    square.add_row(
        Text(f"d={depth}", "bold"), *(Text(f"m={idents}", "dim") for idents in range(1, upper.idents + 1))
    )
    for items in range(1, upper.items + 1):
        cells = (_cell(growing, Bounds(idents, items, depth)) for idents in range(1, upper.idents + 1))
        square.add_row(Text(f"n={items}", "dim"), *cells)
    return square


def _cell(growing: Growing, bounds: Bounds) -> Text:
    cell = Text()
    for saving in growing.plan.lattice.savings:
        cell.append(*_mark(growing, Node(bounds, saving)))
    return cell


def _mark(growing: Growing, node: Node) -> tuple[str, str]:
    """Returns a sign and its colour: waiting, running, cut short, failed, done with or without something new."""
    keys = [key_of(node, shard) for shard in range(growing.plan.shards)]
    if growing.done(node):
        new = any(growing.new.get(key) for key in keys)
        colour = "green" if node.saving is Saving.RESTRICTED else "cyan"
        return ("●", f"bold {colour}") if new else ("●", f"dim {colour}")
    if any(key in growing.running for key in keys):
        return "◐", "yellow"
    endings = [growing.results[key].ending for key in keys if key in growing.results]
    if Ending.FAILED in endings:
        return "✗", "bold red"
    return ("◌", "red") if endings else ("·", "dim")
