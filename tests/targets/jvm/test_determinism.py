"""A JVM target is as deterministic as a Python one, whatever was loaded, initialised or lost before."""

from pathlib import Path

import pytest

from bonsai.cli import run
from targets.jvm.tools import needs_java
from tiny_subject import GRAMMAR

pytestmark = [pytest.mark.slow, needs_java]
SETTINGS = """
[subject]
name = "sums"
[grammar]
file = "sums.lark"
[grammar.terminals]
NUMBER = ["0", "1", "2", "3"]
[target]
engine = "jvm"
driver = "Sums"
cover = ["Sums"]
[bounds]
items = 3
depth = 2
"""
# Classes that are loaded late, one that is lost with the process that tries it, lambdas, an exit, and a crash.
# Whether a class is lost depends on the text alone: if an earlier text could save it, the process would decide.
DRIVER = """
import bonsai.Invalid;
import java.util.HashSet;
import java.util.Set;

public class Sums {
    static int total;

    static class Late {
        static final int LIMIT = total > 0 ? 4 : 4;

        static boolean isLarge(int sum) {
            return sum > LIMIT;
        }
    }

    static class Fragile { // costs a process each time
        static {
            if (total == 6) {
                throw new AssertionError("lost");
            }
        }

        static int of(int sum) {
            return sum / 2;
        }
    }

    public static Object check(String text) {
        total = 0;
        int depth = 0;
        Set<Object> seen = new HashSet<>();
        for (char one : text.toCharArray()) {
            switch (one) {
                case '(': depth++; break;
                case ')': depth--; break;
                case ' ': break;
                default:
                    total += one - '0';
                    seen.add(one);
            }
            if (total == 5 && depth == 1) {
                throw new Invalid("five");
            }
        }
        if (Late.isLarge(total)) {
            total = total == 6 && text.length() == 4 ? Fragile.of(total) : total;
        }
        if (seen.size() == 3) {
            Runnable leave = () -> System.exit(3);
            leave.run();
        }
        return 12 / (total - 8);
    }
}
"""


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    folder.mkdir()
    (folder / "bonsai.toml").write_text(SETTINGS)
    (folder / "sums.lark").write_text(GRAMMAR)
    (folder / "Sums.java").write_text(DRIVER)
    return folder


def written(*arguments: str | Path) -> dict[str, bytes]:
    """The tests and findings that a command writes, by name."""
    folder = Path(arguments[-1])
    assert run([*map(str, arguments), "--quiet"]) == 0
    paths = [
        path for kind in ("corpus", "findings") for path in sorted((folder / kind).rglob("*")) if path.is_file()
    ]
    assert {path.relative_to(folder).parts[0] for path in paths} == {"corpus", "findings"}
    assert any(b"lost" in path.read_bytes() for path in paths)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_fuzzing_twice_gives_the_same_bytes(subject: Path, tmp_path: Path) -> None:
    asked = ("fuzz", subject, "--budget", "800x")
    one, again, other = (
        written(*asked, "--seed", seed, "-o", tmp_path / name)
        for seed, name in (("7", "a"), ("7", "b"), ("8", "c"))
    )
    assert one == again
    assert one != other


def test_growing_gives_the_same_bytes_with_any_number_of_jobs(subject: Path, tmp_path: Path) -> None:
    asked = ("grow", subject, "--bounds", "1,3,2", "--budget", "150x", "--seed", "7")
    one, two = (written(*asked, "--jobs", jobs, "-o", tmp_path / jobs) for jobs in ("1", "2"))
    assert one == two
