"""What a coverage tool of someone else's says of a corpus, the same for every engine."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from bonsai.targets.execution import Execution


@dataclass(frozen=True, slots=True)
class Judged:
    """An input, and what came out of running it with our own probes."""

    text: str
    execution: Execution


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    covered: int
    total: int

    def __add__(self, other: "Share") -> "Share":
        return Share(self.covered + other.covered, self.total + other.total)


NOTHING = Share(0, 0)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Branches and lines by package, as the tool counts them; only what the subject covers."""

    tool: str
    branches: Mapping[str, Share]
    lines: Mapping[str, Share]

    def total(self, kind: Literal["branches", "lines"]) -> Share:
        """All packages together."""
        return sum((self.branches if kind == "branches" else self.lines).values(), NOTHING)

    def figures(self, kind: Literal["branches", "lines"]) -> dict[str, object]:
        """The same for scripts."""
        packages = self.branches if kind == "branches" else self.lines
        return {
            "tool": self.tool,
            **asdict(self.total(kind)),
            "packages": {name: asdict(share) for name, share in sorted(packages.items())},
        }
