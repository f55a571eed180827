"""Source comes in; a module with probes goes out, in this process, and the arms that a call has taken."""

from collections.abc import Callable
from contextlib import suppress
from types import ModuleType

from bonsai.targets.python.instrument import Probes, arms, compile_instrumented


class Instrumented:
    """A module with its probes."""

    def __init__(self, source: str, name: str = "module", path: str = "module.py") -> None:
        self.names = arms(source.encode(), name)
        self.probes = Probes(len(self.names))
        self.code = compile_instrumented(source.encode(), path, name, 0, self.probes, ())
        self.module = module_of(self.code, name, path)

    def taken(self, call: Callable[[], object]) -> set[str]:
        """The arms that a call takes, as `line:arm`."""
        self.probes.clear()
        with suppress(Exception):
            call()
        mask = self.probes.mask()
        taken = [name for number, name in enumerate(self.names) if mask >> number & 1]
        return {f"{name.split(':')[1]}:{name.split(':')[3]}" for name in taken}


def module_of(code: object, name: str, path: str) -> ModuleType:
    """A module that is imported from nowhere."""
    module = ModuleType(name)
    module.__file__ = path
    module.__package__ = name.rpartition(".")[0]
    exec(code, module.__dict__)  # type: ignore[arg-type]
    return module


def plain(source: str, name: str = "module", path: str = "module.py") -> ModuleType:
    """The same without probes."""
    return module_of(compile(source.encode(), path, "exec", dont_inherit=True), name, path)
