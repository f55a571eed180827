"""The source of a module comes in; the same program with a probe on each branch arm goes out, and the arms' names.

An arm is named `module:line:column:arm`. A probe of a statement stores into `Probes.stored`, a probe inside an
expression calls `Probes.called`; both are constants of the code, so that no name appears in any namespace.
Code that runs once, when its module is imported, has no probes: no input could exercise it again.
See docs/decisions/004-ast-probes.md.
"""

import ast
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import CodeType

OFF, ON = ord("0"), ord("1")  # so that the probes read as a binary number
RECURSION_LIMIT = 20_000  # for long chains of operators in a target's source
# Stand for the two objects until the code is compiled: a syntax tree can hold constants of builtin types alone.
_STORED, _CALLED = "\0bonsai stored\0", "\0bonsai called\0"


class Stored(bytearray):
    """One byte for each feature. Hashable, as constants of code objects must be."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # bytearray has none


class Probes:
    """What the probes of all modules write into. The last feature has the first byte, as in a binary number."""

    __slots__ = ("_blank", "_called", "called", "size", "stored")

    def __init__(self, size: int) -> None:
        self.size = size
        self.stored = Stored([OFF] * max(size, 1))
        self._blank = bytearray(self.stored)  # assigning a bytearray to a slice makes no copy first
        self._called: set[int] = set()
        self.called: Callable[[int], None] = self._called.add

    def clear(self) -> None:
        """Forget what was exercised."""
        self.stored[:] = self._blank
        self._called.clear()

    def mask(self) -> int:
        """The features exercised since the last `clear`: bit i for feature i."""
        if self._called:
            for position in tuple(self._called):  # a copy: a thread left behind may still be at work
                self.stored[position] = ON
        return int(self.stored, 2)


def arms(source: bytes, module: str) -> list[str]:
    """The names of a module's branch arms, in the order of their features."""
    with _deep_recursion():
        return _transformed(source, module, 0, frozenset())[1]


def compile_instrumented(
    source: bytes, path: str, module: str, first: int, probes: Probes, omit: Collection[int]
) -> CodeType:
    """The code of a module whose features start at number `first`; those in `omit` get no probes."""
    with _deep_recursion(), warnings.catch_warnings():
        tree, _ = _transformed(source, module, probes.size - 1 - first, {probes.size - 1 - i for i in omit})
        warnings.simplefilter("ignore", SyntaxWarning)  # that a string is not callable
        code = compile(tree, path, "exec", dont_inherit=True)
    return _with_constants(code, {_STORED: probes.stored, _CALLED: probes.called})


def _with_constants(code: CodeType, constants: dict[str, object]) -> CodeType:
    replaced: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            replaced.append(_with_constants(constant, constants))
        elif isinstance(constant, str):
            replaced.append(constants.get(constant, constant))
        else:
            replaced.append(constant)
    return code.replace(co_consts=tuple(replaced))


def _transformed(source: bytes, module: str, first: int, omit: Collection[int]) -> tuple[ast.Module, list[str]]:
    tree = ast.parse(source)
    instrumenter = _Instrumenter(module, first, omit)
    instrumenter.visit(tree)
    return tree, instrumenter.names


@contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _Instrumenter(ast.NodeTransformer):
    """Gives positions to arms, downwards from the first, in the order in which it meets them."""

    def __init__(self, module: str, first: int, omit: Collection[int]) -> None:
        self.names: list[str] = []
        self._module = module
        self._first = first
        self._omit = omit
        self._taken: dict[str, int] = {}
        self._functions = 0  # around the current node

    # Probes

    def _position(self, node: ast.expr | ast.stmt | ast.pattern | ast.excepthandler, arm: str) -> int | None:
        """Where the arm's probe writes; None if it has no probe."""
        if not self._functions:
            return None
        name = f"{self._module}:{node.lineno}:{node.col_offset}:{arm}"
        number = self._taken[name] = self._taken.get(name, 0) + 1
        position = self._first - len(self.names)
        self.names.append(name if number == 1 else f"{name}-{number}")
        return None if position in self._omit else position

    def _statement(self, node: ast.stmt | ast.pattern | ast.excepthandler, arm: str) -> list[ast.stmt]:
        """A statement, or none, that notes that the arm was taken."""
        position = self._position(node, arm)
        if position is None:
            return []
        target = ast.Subscript(ast.Constant(_STORED), ast.Constant(position), ast.Store())
        probe = ast.Assign([target], ast.Constant(ON))
        return [ast.fix_missing_locations(ast.copy_location(probe, node))]

    def _call(self, node: ast.expr, arm: str, place: ast.expr | ast.stmt | None = None) -> ast.expr | None:
        """An expression that notes that the arm was taken; its value is None. The arm is named after `place`."""
        position = self._position(place or node, arm)
        if position is None:
            return None
        probe = ast.Call(ast.Constant(_CALLED), [ast.Constant(position)], [])
        return ast.fix_missing_locations(ast.copy_location(probe, node))

    def _first_then(self, probe: ast.expr | None, node: ast.expr) -> ast.expr:
        """The node's value; the probe comes first."""
        return node if probe is None else _either(probe, node)

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        block: list[ast.stmt] = []
        for statement in statements:
            visited: ast.stmt | list[ast.stmt] = self.visit(statement)
            block += visited if isinstance(visited, list) else [visited]
        return block

    # Functions and classes; annotations stay as they are

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        self._function(node)
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self._defaults(node.args)
        self._functions += 1
        entry = self._statement(node, "function")
        docstring = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body = [*node.body[:docstring], *entry, *self._block(node.body[docstring:])]
        self._functions -= 1

    def _defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self._defaults(node.args)
        self._functions += 1
        entry = self._call(node.body, "lambda", node)
        node.body = self._first_then(entry, self.visit(node.body))
        self._functions -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        docstring = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body = [*node.body[:docstring], *self._block(node.body[docstring:])]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_TypeAlias(self, node: ast.stmt) -> ast.stmt:
        return node

    # Statements

    def visit_If(self, node: ast.If) -> ast.If:
        constant = isinstance(node.test, ast.Constant)
        node.test = self.visit(node.test)
        entered = [] if constant else self._statement(node, "if-true")
        node.body = [*entered, *self._block(node.body)]
        skipped = [] if constant else self._statement(node, "if-false")
        node.orelse = [*skipped, *self._block(node.orelse)]
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        constant = isinstance(node.test, ast.Constant)
        node.test = self.visit(node.test)
        entered = [] if constant else self._statement(node, "while-true")
        node.body = [*entered, *self._block(node.body)]
        left = [] if constant else self._statement(node, "while-false")
        node.orelse = [*left, *self._block(node.orelse)]
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self._for(node)
        return node

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AsyncFor:
        self._for(node)
        return node

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        node.body = [*self._statement(node, "for-item"), *self._block(node.body)]
        node.orelse = [*self._statement(node, "for-end"), *self._block(node.orelse)]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.type = node.type and self.visit(node.type)
        node.body = [*self._statement(node, "except"), *self._block(node.body)]
        return node

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if isinstance(node.test, ast.Constant):
            return [node]
        passed, failed = self._statement(node, "assert-true"), self._call(node.test, "assert-false", node)
        test: ast.expr = self.visit(node.test)
        node.test = _either(test, failed) if failed else test
        node.msg = node.msg and self.visit(node.msg)
        return [node, *passed]

    def visit_Match(self, node: ast.Match) -> ast.Match:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                matched = self._call(case.guard, "guard")
                case.guard = self._first_then(matched, self.visit(case.guard))
            case.body = [*self._statement(case.pattern, "case"), *self._block(case.body)]
        last = node.cases[-1]
        if last.guard is not None or not _irrefutable(last.pattern):
            unmatched = self._statement(node, "match-none")
            if unmatched:
                wildcard = ast.copy_location(ast.MatchAs(), last.pattern)
                node.cases.append(ast.match_case(pattern=wildcard, guard=None, body=unmatched))
        return node

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        constant = isinstance(node.test, ast.Constant)
        node.test = self.visit(node.test)
        entered = None if constant else self._call(node.body, "then", node)
        node.body = self._first_then(entered, self.visit(node.body))
        skipped = None if constant else self._call(node.orelse, "else", node)
        node.orelse = self._first_then(skipped, self.visit(node.orelse))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        arm = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.visit(node.values[0])]  # always evaluated
        for value in node.values[1:]:
            evaluated = self._call(value, arm)
            values.append(self._first_then(evaluated, self.visit(value)))
        node.values = values
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Probes are conditions that hold: `not called(i)`."""
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        item = self._call(node.target, "item")
        conditions = [_holds(item)] if item else []
        for condition in node.ifs:
            taken, skipped = self._call(condition, "filter-true"), self._call(condition, "filter-false")
            changed: ast.expr = self.visit(condition)
            if taken:
                changed = ast.copy_location(ast.BoolOp(ast.And(), [changed, _holds(taken)]), condition)
            conditions.append(_either(changed, skipped) if skipped else changed)
        node.ifs = conditions
        return node


def _either(first: ast.expr, second: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BoolOp(ast.Or(), [first, second]), second)


def _holds(probe: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), probe), probe)


def _irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(map(_irrefutable, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _irrefutable(pattern.pattern))
