"""The errors of Bonsai, and the two verdicts that a Python target may raise."""


class BonsaiError(Exception):
    """Something the user can put right: one line that says what is wrong, one that says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)  # both, so that it can be pickled
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})"


class TargetLost(BonsaiError):
    """A target that has run before does not start any more."""


class Verdict(Exception):
    """A target's word on its input; `output` is what the run let be seen (any JSON value)."""

    def __init__(self, message: str = "", output: object = None) -> None:
        super().__init__(message)
        self.output = output


class Invalid(Verdict):
    """Raised by a target for an input that it understands and rejects: a semantic error."""


class Unparsed(Verdict):
    """Raised by a target for an input that its parser rejects: the grammar disagrees with the target."""
