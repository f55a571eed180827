"""A syntax tree comes in; its semantic errors and the types of its expressions are noted on it.

Types are checked only in programs whose declarations are right.
"""

from bonsai.subjects.chocopy.analysis.annotations import check_annotations
from bonsai.subjects.chocopy.analysis.declarations import Declarations
from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.returns import check_returns
from bonsai.subjects.chocopy.analysis.statements import check_statements
from bonsai.subjects.chocopy.nodes import Program


def annotate(program: Program) -> None:
    """Add what the language's rules say about the program to its tree."""
    diagnostics = Diagnostics()
    declared = Declarations(program, diagnostics)
    check_annotations(program.declarations, declared.globals, diagnostics)
    check_returns(program.declarations, diagnostics)
    if not diagnostics.errors:
        check_statements(program, declared, diagnostics)
    program.errors = diagnostics.errors
