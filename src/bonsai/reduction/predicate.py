"""Candidates come in; picire's verdicts go out, by calling the target directly.

picire and picireny are loaded here, when they are first needed: they come with the extra `reduce`.
"""

import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from bonsai.errors import BonsaiError
from bonsai.extras import how_to_install
from bonsai.reduction.criterion import Criterion
from bonsai.targets.execution import Execution, Target


def load_tools() -> tuple[ModuleType, ModuleType]:
    """picire and picireny."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they read their version in a way that setuptools deprecates
            import picire
            import picireny
    except ImportError as error:
        raise BonsaiError(f"reducing needs picire and picireny ({error})", how_to_install("reduce")) from None
    return picire, picireny


class Predicate:
    """Whether a text meets a criterion; each text is executed once."""

    def __init__(self, target: Target, criterion: Criterion) -> None:
        self._target = target
        self._criterion = criterion
        self._executions: dict[str, Execution] = {}

    @property
    def tests(self) -> int:
        """How many texts were executed."""
        return len(self._executions)

    def execution(self, text: str) -> Execution:
        """What the text does."""
        if text not in self._executions:
            [self._executions[text]] = self._target.execute([text])
        return self._executions[text]

    def __call__(self, text: str) -> bool:
        return self._criterion.met_by(self.execution(text))


def picire_tester(predicate: Callable[[str], bool], text_of: Callable[[str], str] = str) -> type:
    """The class that picire makes testers of; `text_of` turns what its test builder builds into a text."""
    outcome = load_tools()[0].Outcome

    class Tester:
        def __init__(self, *, test_builder: Callable[[Sequence[Any]], str]) -> None:
            self._build = test_builder

        def __call__(self, config: Sequence[Any], config_id: object) -> Any:
            # To picire, a test that fails is one that is still interesting.
            return outcome.FAIL if predicate(text_of(self._build(config))) else outcome.PASS

    return Tester
