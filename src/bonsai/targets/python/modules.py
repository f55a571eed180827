"""Patterns such as `package.analysis.*` come in; the source files of the modules that match go out.

Modules are looked for as an import would, but nothing is imported: what is found depends on files alone.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import takewhile
from pathlib import Path

WILDCARDS = frozenset("*?[")


def matches(module: str, pattern: str) -> bool:
    """Whether a pattern names a module: `package.*` is the package and everything below."""
    return fnmatchcase(module, pattern) or f"{module}.*" == pattern


def source_files(pattern: str, path: Sequence[str] | None = None) -> dict[str, Path]:
    """Returns the source files of the modules that match, by name, as they are found in `path` or `sys.path`."""
    prefix = _prefix(pattern)
    place = _locate(prefix, path)
    if place is None:
        return {}
    found = _tree(prefix, place) if prefix != pattern else [(prefix, place)]
    return {name: place.source for name, place in found if place.source and matches(name, pattern)}


def find_spec(name: str, path: Sequence[str] | None, without: object = None) -> ModuleSpec | None:
    """What an import of the module would find; its parents have been found already, and `path` is theirs."""
    for finder in sys.meta_path:
        if finder is without or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, path, None)
        if spec is not None:
            return spec
    return None


class _Place:
    """Where a module is: its source, and the folders of the modules below it."""

    def __init__(self, source: Path | None, folders: list[str] | None) -> None:
        self.source = source
        self.folders = folders


def _prefix(pattern: str) -> str:
    return ".".join(takewhile(lambda part: not WILDCARDS.intersection(part), pattern.split(".")))


def _locate(name: str, path: Sequence[str] | None) -> _Place | None:
    place: _Place | None = _Place(None, None if path is None else list(path))
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        if place is None or (length > 1 and place.folders is None):
            return None
        place = _find(".".join(parts[:length]), place.folders)
    return place


def _find(name: str, folders: list[str] | None) -> _Place | None:
    try:
        spec = find_spec(name, folders)
    except KeyError:  # a namespace package whose parents have not been imported
        inner = [str(path) for folder in folders or () if (path := Path(folder, name.rpartition(".")[2])).is_dir()]
        return _Place(None, inner) if inner else None
    if spec is None:
        return None
    is_source = isinstance(spec.loader, SourceFileLoader) and spec.origin is not None
    locations = spec.submodule_search_locations
    return _Place(Path(str(spec.origin)) if is_source else None, None if locations is None else list(locations))


def _tree(name: str, place: _Place) -> Iterator[tuple[str, _Place]]:
    yield name, place
    for child in sorted(set(_children(place.folders or ()))):
        below = _find(f"{name}.{child}", place.folders)
        if below is not None:
            yield from _tree(f"{name}.{child}", below)


def _children(folders: Iterable[str]) -> Iterator[str]:
    """Possible names of modules in folders; `__main__` is run, not imported."""
    for folder in map(Path, folders):
        for entry in folder.iterdir() if folder.is_dir() else ():
            name = entry.stem if entry.suffix == ".py" else entry.name
            if name.isidentifier() and name not in ("__init__", "__main__", "__pycache__"):
                yield name
