"""Patterns such as `package.analysis.*` come in; the source files of the modules that match go out.

Modules are looked for as an import would, but nothing is imported: what is found depends on files alone.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path

WILDCARDS = frozenset("*?[")


def matches(module: str, pattern: str) -> bool:
    """Whether a pattern names a module: `package.*` is the package and everything below."""
    return fnmatchcase(module, pattern) or f"{module}.*" == pattern


def source_files(pattern: str) -> dict[str, Path]:
    """The modules that match, by name. None for a pattern that names nothing with Python source."""
    prefix = _prefix(pattern)
    spec = _locate(prefix) if prefix else None
    if spec is None:
        return {}
    found = _tree(prefix, spec) if prefix != pattern else [(prefix, spec)]
    return {
        name: Path(spec.origin).resolve()
        for name, spec in found
        if matches(name, pattern) and isinstance(spec.loader, SourceFileLoader) and spec.origin
    }


def find_spec(name: str, path: Sequence[str] | None, without: object = None) -> ModuleSpec | None:
    """What an import of the module would find; its parents have been found already, and `path` is theirs."""
    for finder in sys.meta_path:
        if finder is without or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, path, None)
        if spec is not None:
            return spec
    return None


def _prefix(pattern: str) -> str:
    parts = []
    for part in pattern.split("."):
        if WILDCARDS.intersection(part):
            break
        parts.append(part)
    return ".".join(parts)


def _locate(name: str) -> ModuleSpec | None:
    spec, path = None, None
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        if length > 1 and path is None:
            return None  # a module has no modules below it
        spec = find_spec(".".join(parts[:length]), path)
        if spec is None:
            return None
        path = _locations(spec)
    return spec


def _locations(spec: ModuleSpec) -> list[str] | None:
    locations: Iterable[str] | None = spec.submodule_search_locations
    return None if locations is None else list(locations)


def _tree(name: str, spec: ModuleSpec) -> Iterator[tuple[str, ModuleSpec]]:
    yield name, spec
    locations = _locations(spec)
    if locations is None:
        return
    for child in sorted(set(_children(locations))):
        child_spec = find_spec(f"{name}.{child}", locations)
        if child_spec is not None:
            yield from _tree(f"{name}.{child}", child_spec)


def _children(locations: Iterable[str]) -> Iterator[str]:
    """Possible names of modules in folders; `__main__` is run, not imported."""
    for location in locations:
        folder = Path(location)
        for entry in folder.iterdir() if folder.is_dir() else ():
            name = entry.stem if entry.suffix == ".py" else entry.name
            if name.isidentifier() and name not in ("__init__", "__main__", "__pycache__"):
                yield name
