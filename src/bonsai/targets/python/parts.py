"""Finds what decides the results of a Python target: its settings, and the sources that it is made of.

The sources are those of the covered modules, of the driver, and of what these import, directly or not, from the
subject's folder and those of `path`. Of other packages that are not covered as a whole, the version counts, or all
sources where there is no version that says it all. Nothing is imported to find out.
"""

import ast
import json
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
    for pattern in (*settings.cover, settings.call.partition(":")[0]):
        search.named |= source_files(pattern, search.path)
    search.visit(*search.named, *settings.invalid, *settings.unparsed)
    for module, file in sorted(search.sources.items()):
        parts[search.name(module, file)] = digest(file.read_bytes())
    for package in sorted(search.packages):
        parts[f"package {package}"] = digest(_version(package, search.path))
    return parts


class _Search:
    """Follows imports from the modules that the settings name, as long as they lead to modules in some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.path = [*map(str, folders), *sys.path]
        self.named: dict[str, Path] = {}
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
            file = self.named.get(name) or source_files(name, self.path).get(name)
            if file is not None and self._local(file) is not None:
                self.sources[name] = file
                waiting += _imported(file, name)
            elif name in self.named:
                self.sources[name] = self.named[name]
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
        """Whether there is a package or module of this name, neither of Python's own nor in one of the folders."""
        spec = None if package in _OF_PYTHON else find_spec(package, self.path)
        places = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
        return bool(places) and not any(place and self._local(Path(place)) is not None for place in places)


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
    """Returns the versions of what has installed a package; digests of its sources if these can change without."""
    try:
        names = [metadata.distribution(package).name]
    except (metadata.PackageNotFoundError, ValueError):
        names = sorted(set(metadata.packages_distributions().get(package, [])))
    found = [metadata.distribution(name) for name in names]
    if not found or any(map(_is_editable, found)):
        sources = source_files(f"{package}.*", path)
        return "".join(name + digest(file.read_bytes()) for name, file in sorted(sources.items()))
    return " ".join(distribution.version for distribution in found)


def _is_editable(distribution: metadata.Distribution) -> bool:
    """Whether a distribution is installed as a link to a folder where it is being worked on."""
    try:
        address = json.loads(distribution.read_text("direct_url.json") or "{}")
        return bool(address.get("dir_info", {}).get("editable"))
    except (AttributeError, ValueError):
        return False
