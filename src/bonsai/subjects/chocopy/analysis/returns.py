"""The functions of a program come in; those with a path that returns no value become errors."""

from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.types import is_special, value_type
from bonsai.subjects.chocopy.nodes import ClassDef, Declaration, FuncDef, IfStmt, ReturnStmt, Stmt


def check_returns(declarations: list[Declaration], diagnostics: Diagnostics) -> None:
    """Check all functions and methods, the inner ones first.

    The end of a body returns `None`: only a function whose result cannot be `None` must return on all paths.
    """
    for declaration in declarations:
        if isinstance(declaration, FuncDef):
            check_returns(declaration.declarations, diagnostics)
            if is_special(value_type(declaration.return_type)) and not _returns(declaration.statements):
                name = declaration.name
                diagnostics.error(
                    name, f"All paths in this function/method must have a return statement: {name.name}"
                )
        elif isinstance(declaration, ClassDef):
            check_returns([*declaration.declarations], diagnostics)


def _returns(statements: list[Stmt]) -> bool:
    """Whether every path through the statements comes to a return; a loop may run no time at all."""
    for statement in statements:
        if isinstance(statement, ReturnStmt):
            return True
        if isinstance(statement, IfStmt) and _returns(statement.then_body) and _returns(statement.else_body):
            return True
    return False
