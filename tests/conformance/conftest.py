"""The engines that the suite runs on, each with a target of our own that does what it is told."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bonsai.targets.engines import ENGINES, start
from bonsai.targets.isolated import IsolatedTarget
from bonsai.targets.settings import JvmTarget, PythonTarget

HERE = Path(__file__).parent
LIMIT = 0.5
MEMORY = 200 * 2**20

Starter = Callable[..., IsolatedTarget]


def _python(timeout: float, omit: frozenset[int]) -> IsolatedTarget:
    settings = PythonTarget(
        call="conformance_target:check",
        cover=("conformance_target",),
        invalid=("conformance_target.Refused",),
        unparsed=("conformance_target.Unread",),
        timeout=timeout,
        memory=MEMORY,
    )
    target = start(settings, HERE / "python", omit)
    assert isinstance(target, IsolatedTarget)
    return target


def _jvm(timeout: float, omit: frozenset[int]) -> IsolatedTarget:
    settings = JvmTarget(
        driver="ConformanceTarget",
        classpath=(),
        maven=(),
        cover=("ConformanceTarget",),
        invalid=("ConformanceTarget$Refused",),
        unparsed=("ConformanceTarget$Unread",),
        java="java",
        heap=MEMORY,
        timeout=timeout,
    )
    target = start(settings, HERE / "jvm", omit)
    assert isinstance(target, IsolatedTarget)
    return target


STARTERS = {"python": _python, "jvm": _jvm}
NEEDS: dict[str, tuple[str, ...]] = {"python": (), "jvm": ("java", "javac", "mvn")}
assert STARTERS.keys() == ENGINES.keys(), "every engine passes this suite"


@pytest.fixture(scope="module", params=["python", pytest.param("jvm", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    """An engine's name."""
    name = str(request.param)
    missing = [tool for tool in NEEDS[name] if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"there is no {missing[0]} on this machine")
    return name


@pytest.fixture(scope="module")
def starter(engine: str) -> Iterator[Starter]:
    """Starts a target of the engine; it ends with the tests."""
    with ExitStack() as stack:

        def started(timeout: float = LIMIT, omit: frozenset[int] = frozenset()) -> IsolatedTarget:
            return stack.enter_context(STARTERS[engine](timeout, omit))

        yield started


@pytest.fixture(scope="module")
def target(starter: Starter) -> IsolatedTarget:
    """One target for many tests: each leaves it in working order."""
    return starter()
