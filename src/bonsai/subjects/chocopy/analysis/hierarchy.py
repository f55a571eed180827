"""Types come in; whether one can stand for the other, and what they have in common, goes out."""

from __future__ import annotations

from bonsai.subjects.chocopy.analysis.types import (
    EMPTY,
    NONE,
    OBJECT,
    ClassValue,
    FuncType,
    ListValue,
    ValueType,
    is_special,
)

Member = ClassValue | ListValue | FuncType


class ClassInfo:
    """A class: its super-class (`object` has none) and the attributes and methods that it adds."""

    __slots__ = ("members", "name", "super_class")

    def __init__(self, name: str, super_class: ClassInfo | None) -> None:
        self.name = name
        self.super_class = super_class
        self.members: dict[str, Member] = {}

    def member(self, name: str) -> Member | None:
        """The attribute or method of that name, its own or inherited."""
        info: ClassInfo | None = self
        while info is not None:
            found = info.members.get(name)
            if found is not None:
                return found
            info = info.super_class
        return None


OBJECT_CLASS = ClassInfo("object", None)
OBJECT_CLASS.members["__init__"] = FuncType([OBJECT], NONE)
SPECIAL_CLASSES = [ClassInfo(name, OBJECT_CLASS) for name in ("int", "bool", "str")]
_NAMELESS_CLASSES = [ClassInfo(name, OBJECT_CLASS) for name in ("<None>", "<Empty>")]


class Hierarchy:
    """The classes of a program by name, with what the type rules ask of them."""

    __slots__ = ("classes",)

    def __init__(self) -> None:
        self.classes = dict(_PREDEFINED)

    def is_subtype(self, kind: ValueType, other: ValueType) -> bool:
        """The relation of inheritance; of lists only `object` is another super-type."""
        if kind == other or other == OBJECT:
            return True
        if isinstance(kind, ListValue) or isinstance(other, ListValue):
            return False
        info: ClassInfo | None = self.classes[kind.name]
        while info is not None:
            if info.name == other.name:
                return True
            info = info.super_class
        return False

    def is_assignable(self, kind: ValueType, other: ValueType) -> bool:
        """Whether a value of type `kind` may be put where `other` is expected."""
        if self.is_subtype(kind, other):
            return True
        if kind == NONE:
            return not is_special(other)
        if isinstance(other, ListValue):
            if kind == EMPTY:
                return True
            if isinstance(kind, ListValue) and kind.element == NONE:
                return self.is_assignable(NONE, other.element)
        return False

    def join(self, kind: ValueType, other: ValueType) -> ValueType:
        """The least type that both can be assigned to."""
        if self.is_assignable(kind, other):
            return other
        if self.is_assignable(other, kind):
            return kind
        if isinstance(kind, ListValue) or isinstance(other, ListValue):
            return OBJECT
        ancestors = set()
        info: ClassInfo | None = self.classes[kind.name]
        while info is not None:
            ancestors.add(info.name)
            info = info.super_class
        common = self.classes[other.name]
        while common.name not in ancestors:
            assert common.super_class is not None  # They have `object` in common, if nothing else.
            common = common.super_class
        return ClassValue(common.name)


_PREDEFINED = {info.name: info for info in (OBJECT_CLASS, *SPECIAL_CLASSES, *_NAMELESS_CLASSES)}
