"""The ChocoPy target of the Python engine: a program's text comes in; its tree or a verdict goes out."""

from bonsai.errors import Invalid, Unparsed
from bonsai.reports import declare, report
from bonsai.subjects.chocopy import Json, analyse
from bonsai.subjects.chocopy.constructs import NAMES, constructs

declare(*NAMES)


def check(text: str) -> Json:
    """The typed syntax tree of a valid program.

    Raises `Unparsed` for a syntax error and `Invalid` for a semantic one; both carry the same tree.
    """
    answer = analyse(text)
    errors = answer["errors"]["errors"]
    if not errors:
        report(*constructs(answer))
        return answer
    message = errors[0]["message"]
    if "syntax" in errors[0]:
        raise Unparsed(message, answer)
    raise Invalid(message, answer)
