"""A subject comes in; what a worker keeps warm from one task to the next goes out: its target, and samplers."""

from functools import cached_property

from bonsai.bounds import Bounds
from bonsai.sampler import Sampler
from bonsai.subject import Subject, start_target
from bonsai.targets.execution import Target

SAMPLERS = 2  # a restricted node and the unrestricted one with the same bounds often follow each other


class Workshop:
    """For one task at a time."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._samplers: dict[Bounds, Sampler] = {}

    @cached_property
    def target(self) -> Target:
        """The program under test, started when it is first needed."""
        return start_target(self.subject)

    def sampler(self, bounds: Bounds) -> Sampler:
        """The sampler with some bounds, which prepares its tables as they are needed."""
        found = self._samplers.pop(bounds, None) or Sampler(self.subject.grammar, bounds)
        self._samplers[bounds] = found
        while len(self._samplers) > SAMPLERS:
            del self._samplers[next(iter(self._samplers))]
        return found

    def close(self) -> None:
        """Stop the target."""
        if "target" in self.__dict__:
            self.target.close()
