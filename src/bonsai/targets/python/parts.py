"""Finds what decides the results of a Python target: its settings, and the sources that it is made of.

The sources are those of the covered modules, of the driver, and of what these import, directly or not, from the
subject's folder and those of `path`. Of installed packages that are not covered, the version counts. Nothing is
imported to find out.
"""

import ast
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import invalidate_caches, metadata
from pathlib import Path

from bonsai.targets.parts import Parts, digest, setting_parts
from bonsai.targets.python.modules import find_spec, source_files
from bonsai.targets.settings import PythonTarget

_IMPORTERS = ("import_module", "__import__")
_OF_PYTHON = sys.stdlib_module_names | {"bonsai"}  # the version of Python counts, and that of Bonsai


def python_parts(settings: PythonTarget, folder: Path) -> Parts:
    """Returns a digest of each part that decides the results of a Python target."""
    invalidate_caches()
    parts = setting_parts(settings, without=["path"])
    parts["Python"] = digest(platform.python_version())
    search = _Search(settings.folders(folder))
    for pattern in settings.cover:
        search.covered |= source_files(pattern, search.path)
    search.visit(settings.call.partition(":")[0], *search.covered, *settings.invalid, *settings.unparsed)
    for module, file in sorted(search.sources.items()):
        parts[search.name(module, file)] = digest(file.read_bytes())
    for package in sorted(search.packages):
        parts[f"package {package}"] = digest(_version(package, search.path))
    return parts


class _Search:
    """Follows imports from module to module, as long as these are covered or in one of some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.path = [*map(str, folders), *sys.path]
        self.covered: dict[str, Path] = {}
        self.sources: dict[str, Path] = {}
        self.packages: set[str] = set()
        self._folders = folders
        self._visited: set[str] = set()

    def visit(self, *names: str) -> None:
        """Finds the sources of modules and of what they import. A name may also be of something in a module."""
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in self._visited:
                continue
            self._visited.add(name)
            package = name.rpartition(".")[0]
            waiting += [package] if package else []  # importing a module imports its packages
            file = self.covered.get(name) or source_files(name, self.path).get(name)
            if file is not None and self._local(file) is not None:
                self.sources[name] = file
                waiting += _imported(file, name)
            elif name in self.covered:
                self.sources[name] = self.covered[name]
            elif not package and self._is_installed(name):
                self.packages.add(name)

    def name(self, module: str, file: Path) -> str:
        """Returns what to call a source: in the subject's folder by its path, elsewhere by its module."""
        relative = self._local(file)
        return relative or f"module {module}"

    def _local(self, file: Path) -> str | None:
        """Returns the path of a file in the subject's folder, or "" in another folder; None if it is in none."""
        for place, folder in enumerate(self._folders):
            for path in (file, file.resolve()):
                if path.is_relative_to(folder):
                    return "" if place else path.relative_to(folder).as_posix()
        return None

    def _is_installed(self, package: str) -> bool:
        """Whether it is a package beside Python's own of which no module is covered."""
        covered = any(name == package or name.startswith(f"{package}.") for name in self.covered)
        return package not in _OF_PYTHON and not covered and find_spec(package, self.path) is not None


def _imported(file: Path, module: str) -> Iterator[str]:
    """Yields the names that a source imports; some may be of what is in a module rather than of modules."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                parents = package[: len(package) - level + 1] if level else []
                base = [*parents, *([origin] if origin else [])]
                yield from (".".join(base if alias.name == "*" else [*base, alias.name]) for alias in names)
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(text)), *_]
            ):
                if name in _IMPORTERS and not text.startswith("."):
                    yield text


def _version(package: str, path: Sequence[str]) -> str:
    """Returns the version of what is installed under the name of a package; otherwise the source of the package."""
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        names = metadata.packages_distributions().get(package, [])
    if names:
        return " ".join(metadata.version(name) for name in sorted(set(names)))
    return "".join(digest(file.read_bytes()) for file in source_files(package, path).values())
