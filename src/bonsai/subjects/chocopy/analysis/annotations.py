"""The type annotations of a program come in; those that name no class become errors."""

from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.hierarchy import ClassInfo
from bonsai.subjects.chocopy.analysis.scopes import Scope
from bonsai.subjects.chocopy.nodes import ClassDef, Declaration, FuncDef, ListType, TypeAnnotation, VarDef


def check_annotations(declarations: list[Declaration], scope: Scope, diagnostics: Diagnostics) -> None:
    """Check the annotations of all declarations, in the order of the text; `scope` is the global one."""
    for declaration in declarations:
        if isinstance(declaration, VarDef):
            _check(declaration.var.type, scope, diagnostics)
        elif isinstance(declaration, FuncDef):
            for param in declaration.params:
                _check(param.type, scope, diagnostics)
            _check(declaration.return_type, scope, diagnostics)
            check_annotations(declaration.declarations, scope, diagnostics)
        elif isinstance(declaration, ClassDef):
            check_annotations([*declaration.declarations], scope, diagnostics)


def _check(annotation: TypeAnnotation, scope: Scope, diagnostics: Diagnostics) -> None:
    while isinstance(annotation, ListType):
        annotation = annotation.element
    name = annotation.name
    if name != "<None>" and not isinstance(scope.names.get(name), ClassInfo):
        diagnostics.error(annotation, f"Invalid type annotation; there is no class named: {name}")
