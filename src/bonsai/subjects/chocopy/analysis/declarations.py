"""The declarations of a program come in; its scopes and classes go out, and the errors among them.

In the reference compiler's order: the global names, with the super-classes of the classes; then the members
of every class, each method with all that it declares; then what the global functions declare.
"""

from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.analysis.hierarchy import OBJECT_CLASS, SPECIAL_CLASSES, ClassInfo, Hierarchy
from bonsai.subjects.chocopy.analysis.scopes import Meaning, Scope, global_scope
from bonsai.subjects.chocopy.analysis.types import (
    ClassValue,
    FuncType,
    ValueType,
    function_type,
    value_type,
)
from bonsai.subjects.chocopy.nodes import (
    ClassDef,
    Declaration,
    FuncDef,
    GlobalDecl,
    Identifier,
    NonLocalDecl,
    Program,
    VarDef,
)


class Declarations:
    """Everything that a program declares."""

    __slots__ = ("_diagnostics", "class_infos", "functions", "globals", "hierarchy")

    def __init__(self, program: Program, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self.globals = global_scope()
        self.hierarchy = Hierarchy()
        self.class_infos: dict[ClassDef, ClassInfo] = {}
        self.functions: dict[FuncDef, Scope] = {}
        for declaration in program.declarations:
            self._declare_global(declaration)
        for class_def, info in self.class_infos.items():
            self._declare_members(class_def, info)
        for declaration in program.declarations:
            if isinstance(declaration, FuncDef):
                self._declare_locals(declaration, self.globals)

    # The program

    def _declare_global(self, declaration: Declaration) -> None:
        meaning: Meaning
        if isinstance(declaration, VarDef):
            identifier = declaration.var.identifier
            meaning = value_type(declaration.var.type)
        elif isinstance(declaration, FuncDef):
            identifier = declaration.name
            meaning = function_type(declaration)
        else:
            assert isinstance(declaration, ClassDef)  # The parser allows no other declaration here.
            identifier = declaration.name
            meaning = ClassInfo(identifier.name, self._super_class(declaration.super_class))
            self.class_infos[declaration] = meaning
            self.hierarchy.classes[meaning.name] = meaning
        if self._is_new(identifier, self.globals):
            self.globals.names[identifier.name] = meaning

    def _super_class(self, identifier: Identifier) -> ClassInfo:
        """The class to inherit from; it must come first in the program. In case of error that is `object`."""
        name = identifier.name
        found = self.globals.names.get(name)
        if found is None:
            self._diagnostics.error(identifier, f"Super-class not defined: {name}")
        elif not isinstance(found, ClassInfo):
            self._diagnostics.error(identifier, f"Super-class must be a class: {name}")
        elif found in SPECIAL_CLASSES:
            self._diagnostics.error(identifier, f"Cannot extend special class: {name}")
        else:
            return found
        return OBJECT_CLASS

    def _is_new(self, identifier: Identifier, scope: Scope) -> bool:
        if identifier.name in scope.names:
            self._duplicate(identifier)
            return False
        return True

    def _duplicate(self, identifier: Identifier) -> None:
        self._diagnostics.error(identifier, f"Duplicate declaration of identifier in same scope: {identifier.name}")

    # Classes

    def _declare_members(self, class_def: ClassDef, info: ClassInfo) -> None:
        for declaration in class_def.declarations:
            identifier = declaration.var.identifier if isinstance(declaration, VarDef) else declaration.name
            if identifier.name in info.members:
                self._duplicate(identifier)
            elif isinstance(declaration, VarDef):
                self._declare_attribute(declaration, info)
            else:
                self._declare_method(declaration, info)

    def _declare_attribute(self, attribute: VarDef, info: ClassInfo) -> None:
        identifier = attribute.var.identifier
        name = identifier.name
        if info.member(name) is not None:
            self._diagnostics.error(identifier, f"Cannot re-define attribute: {name}")
        else:
            info.members[name] = value_type(attribute.var.type)

    def _declare_method(self, method: FuncDef, info: ClassInfo) -> None:
        params = self._declare_locals(method, self.globals)
        kind = FuncType(params, value_type(method.return_type))
        name = method.name.name
        inherited = info.member(name)
        if inherited is not None and not isinstance(inherited, FuncType):
            self._diagnostics.error(method.name, f"Cannot re-define attribute: {name}")
        elif inherited is not None and not kind.overrides(inherited):
            self._diagnostics.error(method.name, f"Method overridden with different type signature: {name}")
        elif not params or params[0] != ClassValue(info.name):
            self._diagnostics.error(
                method.name, f"First parameter of the following method must be of the enclosing class: {name}"
            )
        else:
            info.members[name] = kind

    # Functions

    def _declare_locals(self, function: FuncDef, enclosing: Scope) -> list[ValueType]:
        """Make the scope of a function or method, and then those of the functions in it.

        Returns the types of the parameters, without those that are errors.
        """
        scope = Scope(enclosing)
        self.functions[function] = scope
        params: list[ValueType] = []
        for param in function.params:
            kind = value_type(param.type)
            if self._declare_local(param.identifier, kind, scope):
                params.append(kind)
        nested = []
        for declaration in function.declarations:
            if isinstance(declaration, VarDef):
                self._declare_local(declaration.var.identifier, value_type(declaration.var.type), scope)
            elif isinstance(declaration, FuncDef):
                self._declare_local(declaration.name, function_type(declaration), scope)
                nested.append(declaration)
            elif isinstance(declaration, GlobalDecl):
                self._declare_as_global(declaration.variable, scope)
            else:
                assert isinstance(declaration, NonLocalDecl)  # The parser allows no classes here.
                self._declare_as_nonlocal(declaration.variable, scope)
        for inner in nested:
            self._declare_locals(inner, scope)
        return params

    def _declare_local(self, identifier: Identifier, meaning: Meaning, scope: Scope) -> bool:
        name = identifier.name
        if name in self.hierarchy.classes:
            self._diagnostics.error(identifier, f"Cannot shadow class name: {name}")
        elif self._is_new(identifier, scope):
            scope.names[name] = meaning
            return True
        return False

    def _declare_as_global(self, variable: Identifier, scope: Scope) -> None:
        found = self.globals.names.get(variable.name)
        if not isinstance(found, ValueType):
            self._diagnostics.error(variable, f"Not a global variable: {variable.name}")
        elif self._declare_local(variable, found, scope):
            scope.of_program.add(variable.name)

    def _declare_as_nonlocal(self, variable: Identifier, scope: Scope) -> None:
        """The search starts in the function itself: its own variable is found, and is then a duplicate."""
        found = scope.get_nonlocal(variable.name)
        if not isinstance(found, ValueType):
            self._diagnostics.error(variable, f"Not a nonlocal variable: {variable.name}")
        else:
            self._declare_local(variable, found, scope)
