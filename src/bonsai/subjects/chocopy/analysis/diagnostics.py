"""Nodes and messages come in; the errors of the program go out, in the order in which they were found."""

from bonsai.subjects.chocopy.nodes import CompilerError, Node


class Diagnostics:
    """The semantic errors found so far."""

    __slots__ = ("errors",)

    def __init__(self) -> None:
        self.errors: list[CompilerError] = []

    def error(self, node: Node, message: str) -> None:
        """Attach the message to the node; a node keeps its first error and has no second one."""
        if node.error is None:
            node.error = message
            self.errors.append(CompilerError(node.location, message, False))
