"""Names of packages come in; an error goes out if one is not installed, with the extra that brings it."""

from importlib.util import find_spec

from bonsai.errors import BonsaiError


class Missing(BonsaiError):
    """A package of an extra is not installed."""


# The packages of each extra in pyproject.toml, as they are imported.
EXTRAS = {
    "cluster": ("dask", "distributed"),
    "evaluation": ("cosmic_ray", "coverage", "matplotlib", "scipy"),
    "reduce": ("picire", "picireny"),
}


def missing(*packages: str) -> list[str]:
    """Those of them that are not installed."""
    return [package for package in packages if find_spec(package) is None]


def how_to_install(extra: str) -> str:
    """The hint. Bonsai is not on PyPI yet."""
    return f"in a clone of Bonsai: pip install '.[{extra}]'"


def require(what: str, *packages: str) -> None:
    """To be asked before hours of work: do the packages that `what` needs seem to be there?"""
    for package in missing(*packages):
        extra = next(name for name, known in EXTRAS.items() if package in known)
        raise Missing(f"{what} needs {package}, which is not installed", how_to_install(extra))
