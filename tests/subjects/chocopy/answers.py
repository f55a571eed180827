"""What the tests ask of an answer: its errors, the types it infers; and where the reference's answers are."""

import os
from pathlib import Path
from typing import Any

from bonsai.subjects.chocopy import Json, analyse

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("BONSAI_SHARED", ROOT.parent / "shared"))


def errors(text: str) -> list[Json]:
    found: list[Json] = analyse(text)["errors"]["errors"]
    return found


def messages(text: str) -> list[str]:
    """The messages of all errors, after a check that the program has no syntax error."""
    found = errors(text)
    assert not [error for error in found if "syntax" in error], found
    return [error["message"] for error in found]


def located(text: str) -> list[tuple[str, list[int]]]:
    return [(error["message"], error["location"]) for error in errors(text)]


def is_unparsed(text: str) -> bool:
    return [error for error in errors(text) if error.get("syntax")] != []


def shown(kind: Json | None) -> str | None:
    """A type as the messages show it; a function as `[parameters] -> result`."""
    if kind is None:
        return None
    if kind["kind"] == "ListValueType":
        return f"[{shown(kind['elementType'])}]"
    if kind["kind"] == "FuncType":
        params = ", ".join(str(shown(param)) for param in kind["parameters"])
        return f"({params}) -> {shown(kind['returnType'])}"
    name: str = kind["className"]
    return name


def last_expression(text: str) -> Json:
    """The expression of the program's last statement."""
    expression: Json = analyse(text)["statements"][-1]["expr"]
    return expression


def type_of(expression: str, before: str = "") -> str | None:
    """The type of an expression, as a statement after the text `before`."""
    return shown(last_expression(f"{before}{expression}\n").get("inferredType"))


def find(tree: Any, kind: str) -> list[Json]:
    """All nodes of a kind, from the top."""
    found: list[Json] = []
    if isinstance(tree, dict):
        if tree.get("kind") == kind:
            found.append(tree)
        for value in tree.values():
            found += find(value, kind)
    elif isinstance(tree, list):
        for value in tree:
            found += find(value, kind)
    return found
