"""The sources of modules come in; their mutants go out, made by cosmic-ray's operators.

Left out is what can be told cheaply: mutants that no input can kill, because they compile to the same code or
change nothing but annotations; and those that are the same as another.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from types import CodeType
from typing import Any

from bonsai.extras import require


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one small change: where it is, which operator made it, and the whole source with it."""

    module: str
    operator: str
    line: int
    column: int
    change: str
    source: str

    @property
    def name(self) -> str:
        """The same on every machine."""
        return f"{self.module}:{self.line}:{self.column}:{self.operator}"


@dataclass(frozen=True, slots=True)
class Mutants:
    """The mutants to kill, and how many were left out, and why."""

    mutants: list[Mutant]
    equivalent: int
    duplicates: int
    uncompilable: int


def mutants_of(sources: Mapping[str, str]) -> Mutants:
    """All mutants of modules, in the order of the modules' names and of the places in them."""
    return _mutants_of(tuple(sorted(sources.items())))


@lru_cache(maxsize=2)  # they take seconds to make, and an evaluation asks for the same ones again and again
def _mutants_of(sources: tuple[tuple[str, str], ...]) -> Mutants:
    found: list[Mutant] = []
    equivalent = duplicates = uncompilable = 0
    for module, source in sources:
        original, known = fingerprint(source), set()
        for mutant in sorted(_mutated(module, source), key=lambda one: (one.line, one.column, one.operator)):
            code = fingerprint(mutant.source)
            if code is None:
                uncompilable += 1
            elif code == original:
                equivalent += 1
            elif code in known:
                duplicates += 1
            else:
                known.add(code)
                found.append(mutant)
    return Mutants(found, equivalent, duplicates, uncompilable)


def _mutated(module: str, source: str) -> Iterator[Mutant]:
    require("making mutants", "cosmic_ray")
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    tree = get_ast(source)
    nodes = list(ast_nodes(tree))
    for name in operator_names():
        if get_operator(name).arguments():
            continue  # one that has to be told what to do
        operator = get_operator(name)()
        for node in nodes:
            for index, ((line, column), _) in enumerate(list(operator.mutation_positions(node))):
                changed = _applied(operator, tree, node, list(ast_nodes(node)), index)
                if changed != source:
                    yield Mutant(module, name.partition("/")[2], line, column, _change(source, changed), changed)


def _applied(operator: Any, tree: Any, node: Any, inside: list[Any], index: int) -> str:
    """The source with one mutation. It is then taken back: that is quicker than parsing anew for each."""
    siblings = node.parent.children
    place = next(place for place, sibling in enumerate(siblings) if sibling is node)
    kept = [(one, name, getattr(one, name)) for one in inside for name in ("value", "prefix") if _has(one, name)]
    branches = [(one, list(one.children)) for one in inside if hasattr(one, "children")]
    mutated = operator.mutate(node, index)
    siblings[place : place + 1] = [] if mutated is None else [mutated]
    code: str = tree.get_code()
    siblings[place : place + (mutated is not None)] = [node]
    for one, name, value in kept:
        setattr(one, name, value)
    for one, children in branches:
        one.children = children
    return code


def _has(node: Any, name: str) -> bool:
    return not hasattr(node, "children") and hasattr(node, name)


def _change(source: str, changed: str) -> str:
    """The lines that differ, for people: `old → new`."""
    old, new = source.splitlines(), changed.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    before, after = (" ".join(line.strip() for line in lines) for lines in (old, new))
    return f"{before} → {after}" if after else f"without {before}"


# What a source does, whatever its annotations, line numbers and comments


def fingerprint(source: str) -> bytes | None:
    """A digest of the code that a source compiles to; None if it does not compile.

    Annotations are left out: programs seldom look at their own. A class's own stay as names, for dataclasses.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a mutant may compare with `is` what should not be
            tree = _Unannotated().visit(ast.parse(source))
            code = compile(tree, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return blake2b(_placeless(code).encode(), digest_size=16).digest()


class _Unannotated(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.annotation = ast.copy_location(ast.Constant(None), node)
        self.generic_visit(node)
        return node


def _placeless(code: CodeType) -> str:
    """All that a code object does, without line numbers and positions."""
    constants = [_placeless(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    return repr((code.co_name, arguments, names, constants, code.co_code, code.co_exceptiontable))
