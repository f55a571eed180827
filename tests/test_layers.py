"""The import order of the layers (docs/architecture.md): a module knows what stands above it or to its left."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bonsai

SOURCE = Path(bonsai.__file__).parent

# One row per layer, top to bottom; within a row, left to right. A package stands for all of its modules, which may
# import each other, unless they are listed one by one.
ROWS = """
errors system_errors ending reports version durations wording extras
tables
grammar grammar.model grammar.automata grammar.analysis grammar.lexing grammar.source grammar.pools \
grammar.lark_rules grammar.lark_reader grammar.without
bounds
choices
render states sampler derivation counting parsing parse_back
mutators
targets
answers
subject checkup doctor
feedback
corpus
budget schedule dedup cbgf checkpoint
pruning
lattice
workers
captions outputs corpus_folder planting schema store
grow_tasks grow grow_settings session
feature_names merging explaining describing
reduction mutation evaluation grading export report new_subject
api
__init__
cli
__main__
"""
PLACES = {
    name: (row, place)
    for row, line in enumerate(ROWS.replace("\\\n", "").strip().splitlines())
    for place, name in enumerate(line.split())
}


def _name(path: Path) -> str:
    """The module of a file, without the leading `bonsai.`; a package by its own name."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
SUBJECTS = [name for name in MODULES if name.split(".")[0] == "subjects"]
LAYERED = [name for name in MODULES if name not in SUBJECTS]


def _listed(name: str) -> str | None:
    """The entry of the table that a module belongs to."""
    return next((entry for entry in (name, name.split(".")[0]) if entry in PLACES), None)


def _imports(name: str, tree: ast.AST) -> Iterator[str]:
    """The modules of ours that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_ours(alias.name) for alias in node.names if _is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                is_package = MODULES[name].name == "__init__.py"
                package = ["bonsai", *name.split(".")][: None if is_package and node.level == 1 else -node.level]
                base = ".".join([*package, *([node.module] if node.module else [])])
            if _is_ours(base):
                inside = [_ours(f"{base}.{alias.name}") for alias in node.names]
                yield from (found if found in MODULES else _ours(base) for found in inside)


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == "bonsai"


def _ours(module: str) -> str:
    return module.removeprefix("bonsai").removeprefix(".") or "__init__"


def _wrong_imports(name: str, tree: ast.AST) -> list[str]:
    """What a module of the table imports against the order."""
    here = _listed(name)
    assert here is not None, f"bonsai.{name} is in no row: add it to ROWS here and to docs/architecture.md"
    wrong = []
    for imported in _imports(name, tree):
        there = _listed(imported)
        inside_package = there == here and imported != name
        if there is None or not (PLACES[there] < PLACES[here] or inside_package):
            wrong.append(imported)
    return wrong


@pytest.mark.parametrize("name", LAYERED)
def test_a_module_imports_only_what_stands_above_it_or_to_its_left(name: str) -> None:
    assert _wrong_imports(name, ast.parse(MODULES[name].read_text("utf-8"))) == []


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_bundled_subject_imports_only_what_is_meant_for_drivers_and_its_own_package(name: str) -> None:
    own = ".".join(name.split(".")[:2])
    imported = _imports(name, ast.parse(MODULES[name].read_text("utf-8")))
    assert [
        found for found in imported if found not in ("errors", "reports") and not f"{found}.".startswith(f"{own}.")
    ] == []


@pytest.mark.parametrize(
    ("name", "code", "wrong"),
    [
        ("errors", "import bonsai.bounds", ["bounds"]),
        ("choices", "from bonsai import bounds", []),
        ("bounds", "from bonsai import choices", ["choices"]),
        ("bounds", "def later():\n    from bonsai.choices import Draws", ["choices"]),
        ("sampler", "from bonsai.derivation import measure", ["derivation"]),
        ("derivation", "from bonsai.sampler import Sampler", []),
        ("grammar.model", "from bonsai.grammar import analysis", ["grammar.analysis"]),
        ("grammar.model", "from .analysis import Analysis", ["grammar.analysis"]),
        ("grammar.pools", "from .lexing import lex", []),
        ("subject", "from bonsai import load_subject", ["__init__"]),
        ("grow", "import bonsai.subjects.json", ["subjects.json"]),
        ("__init__", "from bonsai.cli import run", ["cli"]),
        ("__init__", "from bonsai.errors import BonsaiError", []),
        ("cli.sample", "from bonsai.cli.common import console", []),
    ],
)
def test_the_order_is_really_checked(name: str, code: str, wrong: list[str]) -> None:
    assert _wrong_imports(name, ast.parse(code)) == wrong


def test_a_module_in_no_row_is_refused_with_a_clear_message() -> None:
    with pytest.raises(AssertionError, match=r"bonsai\.newcomer is in no row"):
        _wrong_imports("newcomer", ast.parse(""))
