"""ChocoPy 2.2: a program's text comes in; its typed tree goes out, as the reference compiler writes it."""

import contextlib
import threading

from bonsai.subjects.chocopy.analysis import annotate
from bonsai.subjects.chocopy.lexer import ChocoPySyntaxError
from bonsai.subjects.chocopy.nodes import CompilerError, Program
from bonsai.subjects.chocopy.output import Json, to_json
from bonsai.subjects.chocopy.parser import parse

__all__ = ["ChocoPySyntaxError", "Json", "Program", "analyse", "parse", "to_json"]


def analyse(text: str) -> Json:
    """The typed syntax tree of a program, with its errors; never raises, whatever the text."""
    try:
        return _analysed(text)
    except RecursionError:
        pass  # The caller's stack may be nearly full; a thread has a stack of its own.
    try:
        return _analysed_in_thread(text)
    except RuntimeError:  # The program is too deep for any stack, or there is no thread to be had.
        return {
            "kind": "Program",
            "location": [0, 0, 0, 0],
            "declarations": [],
            "statements": [],
            "errors": {
                "errors": [
                    {
                        "kind": "CompilerError",
                        "location": [1, 1, 1, 1],
                        "message": "Nested too deeply",
                        "syntax": True,
                    }
                ],
                "kind": "Errors",
                "location": [0, 0, 0, 0],
            },
        }


def _analysed(text: str) -> Json:
    try:
        program = parse(text)
    except ChocoPySyntaxError as error:
        program = Program(error.location, [], [], [CompilerError(error.location, error.message, True)])
    else:
        annotate(program)
    return to_json(program)


def _analysed_in_thread(text: str) -> Json:
    answers: list[Json] = []

    def run() -> None:
        with contextlib.suppress(RecursionError):
            answers.append(_analysed(text))

    thread = threading.Thread(target=run, name="chocopy")
    thread.start()
    thread.join()
    if not answers:
        raise RecursionError("the program nests deeper than the interpreter allows")
    return answers[0]
