"""A folder and a module in it come in; what the module needs of that folder goes out: other modules, and data."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

LONGEST_PATH = 200


def local_sources(folder: Path, module: str) -> dict[str, str]:
    """Source texts by path within the folder; none if the module is not there but installed."""
    found: dict[str, str] = {}
    pending = [module.split(".")[0]]
    while pending:
        for path in _files(folder, pending.pop()):
            name = str(path.relative_to(folder))
            if name not in found:
                found[name] = path.read_text(encoding="utf-8")
                pending += imported_modules(found[name])
    return found


def data_files(folder: Path, sources: Iterable[str]) -> dict[str, bytes]:
    """The files of the folder that sources mention by name, such as "schema.graphql"."""
    found = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _names_a_file(folder, node.value):
                found[node.value] = (folder / node.value).read_bytes()
    return found


def _names_a_file(folder: Path, text: str) -> bool:
    """Whether a text is the relative path of a file in the folder; most texts are something else."""
    plain = len(text) < LONGEST_PATH and text.isprintable() and ".." not in text
    return plain and not text.startswith("/") and (folder / text).is_file()


def imported_modules(source: str) -> Iterator[str]:
    """The top-level names of what a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def _files(folder: Path, top: str) -> list[Path]:
    if (folder / top / "__init__.py").is_file():
        return sorted((folder / top).rglob("*.py"))
    return [path for path in (folder / f"{top}.py",) if path.is_file()]
