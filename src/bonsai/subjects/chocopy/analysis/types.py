"""Type annotations come in; the types of values and functions go out."""

from __future__ import annotations

from typing import Any

from bonsai.subjects.chocopy.nodes import ClassType, FuncDef, TypeAnnotation


class ClassValue:
    """The type of the values of a class, and of the special values `<None>` and `<Empty>`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassValue) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def to_json(self) -> dict[str, Any]:
        return {"kind": "ClassValueType", "className": self.name}


class ListValue:
    """The type of the lists whose elements have one type."""

    __slots__ = ("element",)

    def __init__(self, element: ValueType) -> None:
        self.element = element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListValue) and other.element == self.element

    def __hash__(self) -> int:
        return hash((ListValue, self.element))

    def __str__(self) -> str:
        return f"[{self.element}]"

    def to_json(self) -> dict[str, Any]:
        return {"kind": "ListValueType", "elementType": self.element.to_json()}


ValueType = ClassValue | ListValue


class FuncType:
    """The type of a function or method; a method's first parameter is its `self`."""

    __slots__ = ("params", "result")

    def __init__(self, params: list[ValueType], result: ValueType) -> None:
        self.params = params
        self.result = result

    def overrides(self, other: FuncType) -> bool:
        """Whether a method of this type may override one of the other: all but `self` is the same."""
        if len(self.params) != len(other.params):
            return False
        return self.params[1:] == other.params[1:] and self.result == other.result

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "FuncType",
            "parameters": [param.to_json() for param in self.params],
            "returnType": self.result.to_json(),
        }


Type = ClassValue | ListValue | FuncType

OBJECT = ClassValue("object")
INT = ClassValue("int")
BOOL = ClassValue("bool")
STR = ClassValue("str")
NONE = ClassValue("<None>")
EMPTY = ClassValue("<Empty>")

_PREDEFINED = {kind.name: kind for kind in (OBJECT, INT, BOOL, STR, NONE)}


def is_special(kind: ValueType) -> bool:
    """Whether `None` is no value of the type: `int`, `bool` and `str`."""
    return kind == INT or kind == BOOL or kind == STR  # an arm for each


def value_type(annotation: TypeAnnotation) -> ValueType:
    if isinstance(annotation, ClassType):
        return _PREDEFINED.get(annotation.name) or ClassValue(annotation.name)
    return ListValue(value_type(annotation.element))


def function_type(function: FuncDef) -> FuncType:
    return FuncType([value_type(param.type) for param in function.params], value_type(function.return_type))
