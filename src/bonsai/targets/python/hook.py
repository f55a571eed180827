"""Modules to cover come in; from then on, an import of one of them gives its instrumented code."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType

from bonsai.targets.python.instrument import Probes, arms, compile_instrumented
from bonsai.targets.python.modules import find_spec


class Coverage:
    """The features of the modules, in the order of the modules' names, and the probes that go with them."""

    def __init__(self, files: Mapping[str, Path], omit: Collection[int] = ()) -> None:
        self.features: list[str] = []
        self.omit = frozenset(omit)
        self._sources: dict[str, tuple[bytes, int]] = {}
        for module, path in sorted(files.items()):
            source = path.read_bytes()
            self._sources[module] = source, len(self.features)
            try:
                self.features += arms(source, module)
            except SyntaxError as error:
                error.filename = path.name
                raise
        self.probes = Probes(len(self.features))

    @property
    def modules(self) -> Iterable[str]:
        return self._sources

    def compile(self, module: str, path: str) -> CodeType:
        """The instrumented code of a module."""
        source, first = self._sources[module]
        return compile_instrumented(source, path, module, first, self.probes, self.omit)


def install(coverage: Coverage) -> None:
    """Instrument what is imported from now on; what was imported before is imported again."""
    for module in coverage.modules:
        sys.modules.pop(module, None)
    sys.meta_path.insert(0, _Finder(coverage))


class _Finder:
    """Asks the other finders, and changes the loader of what they find."""

    def __init__(self, coverage: Coverage) -> None:
        self._coverage = coverage
        self._modules = frozenset(coverage.modules)

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if name not in self._modules:
            return None
        spec = find_spec(name, path, without=self)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path, self._coverage)
        return spec


class _Loader(SourceFileLoader):
    """As Python's own, but with other code, and no bytecode files."""

    def __init__(self, name: str, path: str, coverage: Coverage) -> None:
        super().__init__(name, path)
        self._coverage = coverage

    def get_code(self, fullname: str) -> CodeType:
        return self._coverage.compile(self.name, self.path)
