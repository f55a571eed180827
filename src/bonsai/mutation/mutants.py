"""The sources of modules come in; their mutants go out, made by cosmic-ray's operators.

Left out is what can be told cheaply: mutants that no input can kill, because they compile to the same code or
change nothing but annotations; and those that are the same as another.
"""

import ast
import difflib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from types import CodeType
from typing import Any

from bonsai.errors import BonsaiError


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
    found: list[Mutant] = []
    equivalent = duplicates = uncompilable = 0
    for module, source in sorted(sources.items()):
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
    for name, operator, nodes in _operators(source):
        positions = [position for node in nodes for position in operator.mutation_positions(node)]
        for occurrence, ((line, column), _) in enumerate(positions):
            changed = _mutate(source, operator, occurrence)
            if changed is not None and changed != source:
                yield Mutant(module, name, line, column, _change(source, changed), changed)


def _operators(source: str) -> Iterator[tuple[str, Any, list[Any]]]:
    """cosmic-ray's operators by name, without those that need arguments, and the nodes that they may mutate."""
    try:
        from cosmic_ray.ast import ast_nodes, get_ast
        from cosmic_ray.plugins import get_operator, operator_names
    except ImportError as error:
        raise BonsaiError(
            f"making mutants needs cosmic-ray ({error})", "pip install 'bonsai-fuzzing[evaluation]'"
        ) from None
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        operator = get_operator(name)
        if not operator.arguments():
            yield name.partition("/")[2], operator(), nodes


def _mutate(source: str, operator: Any, occurrence: int) -> str | None:
    from cosmic_ray.mutating import mutate_code

    mutated: str | None = mutate_code(source, operator, occurrence)
    return mutated


def _change(source: str, changed: str) -> str:
    """The lines that differ, for people: `old → new`."""
    lines = list(difflib.ndiff(source.splitlines(), changed.splitlines()))
    old, new = (" ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{old} → {new}" if new else f"without {old}"


# What a source does, whatever its annotations, line numbers and comments


def fingerprint(source: str) -> bytes | None:
    """A digest of the code that a source compiles to; None if it does not compile.

    Annotations are left out: programs seldom look at their own. A class's own stay as names, for dataclasses.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a mutant may compare with `is` what should not be
            tree = _Unannotated().visit(ast.parse(source))
            code = compile(ast.fix_missing_locations(tree), "", "exec", dont_inherit=True)
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
        node.annotation = ast.Constant(None)
        self.generic_visit(node)
        return node


def _placeless(code: CodeType) -> str:
    """All that a code object does, without line numbers and positions."""
    constants = [_placeless(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    return repr((code.co_name, arguments, names, constants, code.co_code, code.co_exceptiontable))
