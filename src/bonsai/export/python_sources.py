"""Folders and names of modules come in; what these need of the folders goes out: other modules, and data."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path

LONGEST_PATH = 200


def local_sources(folders: Sequence[Path], modules: Iterable[str]) -> dict[str, Path]:
    """The files of modules and of all that they import, by path within their folder; none of what is installed."""
    invalidate_caches()
    found: dict[str, Path] = {}
    pending = [module.split(".")[0] for module in modules]
    while pending:
        for name, path in _files(folders, pending.pop()):
            if name not in found:
                found[name] = path
                pending += imported_modules(path)
    return found


def data_files(sources: Mapping[str, Path]) -> dict[str, bytes]:
    """The files that sources mention by name, such as "schema.graphql", beside them or in their folder."""
    found = {}
    for name, source in sources.items():
        root = folder_of(name, source)
        for text in _texts(source):
            for base in (root, source.parent):
                if _names_a_file(base, text):
                    found[(base / text).relative_to(root).as_posix()] = (base / text).read_bytes()
    return found


def folder_of(name: str, source: Path) -> Path:
    """The folder that a source has its name in."""
    return source.parents[len(Path(name).parts) - 1]


def imported_modules(path: Path) -> Iterator[str]:
    """The top-level names of what a source imports, wherever in it."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _tree(path: Path) -> ast.AST:
    """The syntax tree of a source; an empty one if it is for another Python."""
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _names_a_file(folder: Path, text: str) -> bool:
    """Whether a text is the relative path of a file in the folder; most texts are something else."""
    plain = len(text) < LONGEST_PATH and text.isprintable() and ".." not in text
    return plain and not text.startswith("/") and (folder / text).is_file()


def _files(folders: Sequence[Path], top: str) -> Iterator[tuple[str, Path]]:
    """The sources of a module or package that Python finds in one of the folders; a package comes as a whole."""
    spec = PathFinder.find_spec(top, [*map(str, folders), *sys.path])
    places = [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
    for place in map(Path, places):
        if place.parent in folders:
            paths = sorted(place.rglob("*.py")) if place.is_dir() else [place] if place.suffix == ".py" else []
            yield from ((path.relative_to(place.parent).as_posix(), path) for path in paths)
