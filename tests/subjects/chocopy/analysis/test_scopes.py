from bonsai.subjects.chocopy.analysis.hierarchy import ClassInfo
from bonsai.subjects.chocopy.analysis.scopes import Scope, global_scope
from bonsai.subjects.chocopy.analysis.types import INT, STR, FuncType


def test_what_is_predefined() -> None:
    names = global_scope().names
    assert all(isinstance(names[name], ClassInfo) for name in ("object", "int", "bool", "str"))
    assert all(isinstance(names[name], FuncType) for name in ("print", "input", "len"))
    assert len(names) == 7


def test_every_program_has_a_scope_of_its_own() -> None:
    global_scope().names["x"] = INT
    assert global_scope().get("x") is None


def test_the_innermost_declaration_counts() -> None:
    outer, inner = Scope(None), Scope(None)
    inner.parent = outer
    outer.names["x"] = INT
    assert inner.get("x") == INT
    inner.names["x"] = STR
    assert inner.get("x") == STR
    assert inner.get("y") is None


def test_nonlocal_is_what_a_function_declares() -> None:
    program = global_scope()
    function = Scope(program)
    nested = Scope(function)
    program.names["x"] = INT
    assert nested.get_nonlocal("x") is None
    function.names["x"] = INT
    assert nested.get_nonlocal("x") == INT
    function.of_program.add("x")
    assert nested.get_nonlocal("x") is None
