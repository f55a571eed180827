"""Names come in; what they mean where they stand goes out."""

from __future__ import annotations

from bonsai.subjects.chocopy.analysis.hierarchy import OBJECT_CLASS, SPECIAL_CLASSES, ClassInfo
from bonsai.subjects.chocopy.analysis.types import INT, NONE, OBJECT, STR, ClassValue, FuncType, ListValue

Meaning = ClassValue | ListValue | FuncType | ClassInfo
"""A variable's type, a function's type, or a class."""


class Scope:
    """The names of a function or of the program, those that `global` brought, and the scope around."""

    __slots__ = ("names", "of_program", "parent")

    def __init__(self, parent: Scope | None) -> None:
        self.parent = parent
        self.names: dict[str, Meaning] = {}
        self.of_program: set[str] = set()

    def get(self, name: str) -> Meaning | None:
        """What the name means here: the innermost declaration of it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def get_nonlocal(self, name: str) -> Meaning | None:
        """What the name means here, if a function declares it and not the program."""
        scope = self
        while scope.parent is not None:
            found = scope.names.get(name)
            if found is not None:
                return None if name in scope.of_program else found
            scope = scope.parent
        return None


_PREDEFINED: dict[str, Meaning] = {
    "object": OBJECT_CLASS,
    **{info.name: info for info in SPECIAL_CLASSES},
    "print": FuncType([OBJECT], NONE),
    "input": FuncType([], STR),
    "len": FuncType([OBJECT], INT),
}


def global_scope() -> Scope:
    """A program's outermost scope, with what the language predefines."""
    scope = Scope(None)
    scope.names = dict(_PREDEFINED)
    return scope
