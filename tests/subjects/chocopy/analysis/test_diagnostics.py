from bonsai.subjects.chocopy.analysis.diagnostics import Diagnostics
from bonsai.subjects.chocopy.nodes import Identifier


def test_a_node_keeps_its_first_error() -> None:
    diagnostics = Diagnostics()
    node = Identifier([1, 2, 1, 2], "x")
    diagnostics.error(node, "first")
    diagnostics.error(node, "second")
    assert node.error == "first"
    assert [(error.message, error.location) for error in diagnostics.errors] == [("first", [1, 2, 1, 2])]
