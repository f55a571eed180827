"""A place in a module comes in; the feature that an input must exercise to get there goes out.

The features are branch arms (`targets/python/instrument.py`). Whatever reaches a place takes all arms around it, so
the innermost one is a cheap and safe test: an input without it cannot tell a mutant there from the original.
"""

import ast
from collections.abc import Iterator, Sequence


class Reach:
    """The arms of one module's source, by the number of their feature."""

    def __init__(self, module: str, source: str, features: Sequence[str]) -> None:
        self._lines = source.splitlines()
        # Outer regions first: of two that hold a place, the later one is the inner one.
        self._regions: list[tuple[_Point, _Point, int]] = []
        numbers = {name: number for number, name in enumerate(features)}
        for place, arm, inside in _arms(ast.parse(source)):
            name = f"{module}:{place.lineno}:{place.col_offset}:{arm}"
            if name in numbers and f"{name}-2" not in numbers:  # two arms at one place: which one is not known
                self._regions += [(*_span(node), numbers[name]) for node in inside]

    def feature(self, line: int, column: int) -> int | None:
        """The innermost arm around a place; None if the place is in none: there, it runs when it is imported."""
        # Columns of syntax trees are in bytes.
        place = line, len(self._lines[line - 1][:column].encode())
        around = [number for start, end, number in self._regions if start <= place < end]
        return around[-1] if around else None


_Point = tuple[int, int]
_Place = ast.expr | ast.stmt | ast.pattern | ast.excepthandler


def _arms(tree: ast.AST) -> Iterator[tuple[_Place, str, Sequence[ast.AST]]]:
    """Where arms are named after, their kinds, and the nodes that are inside; outer ones first (`ast.walk`)."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node, "function", node.body
            case ast.Lambda():
                yield node, "lambda", [node.body]
            case ast.If() | ast.While():
                kind = "if" if isinstance(node, ast.If) else "while"
                yield node, f"{kind}-true", node.body
                yield node, f"{kind}-false", node.orelse
            case ast.For() | ast.AsyncFor():
                yield node, "for-item", node.body
                yield node, "for-end", node.orelse
            case ast.ExceptHandler():
                yield node, "except", node.body
            case ast.match_case():
                yield node.pattern, "case", node.body
                if node.guard is not None:
                    yield node.guard, "guard", [node.guard]
            case ast.IfExp():
                yield node, "then", [node.body]
                yield node, "else", [node.orelse]
            case ast.BoolOp():
                kind = "and" if isinstance(node.op, ast.And) else "or"
                yield from ((value, kind, [value]) for value in node.values[1:])
            case _:
                pass


def _span(node: ast.AST) -> tuple[_Point, _Point]:
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
