"""A subject that takes no time: lists of numbers, some of which its program does not like."""

from pathlib import Path

from bonsai import Subject, load_subject

SETTINGS = """
[subject]
name = "tiny"
[grammar]
file = "tiny.lark"
[grammar.terminals]
NUMBER = ["0", "1", "2", "3"]
[target]
engine = "python"
call = "tiny_program:check"
timeout = "300ms"
[bounds]
items = 3
depth = 2
"""
GRAMMAR = 'start: item*\nitem: NUMBER | "(" item* ")"\nNUMBER: /[0-9]/\n%ignore " "\n'
PROGRAM = """
from bonsai.errors import Invalid


def check(text: str, limit: "int | None" = None) -> dict[str, int]:
    depth = deepest = total = 0
    for char in text:
        if char == "(":
            depth += 1
            deepest = depth if depth > deepest else deepest
        elif char == ")":
            depth -= 1
        elif char != " ":
            total = total + int(char)
            if total == 5 and depth == 1:
                raise Invalid("five")
    if total > 3:
        total = total - 2
    return {"depth": deepest, "total": total}
"""


def write_tiny_subject(folder: Path) -> Subject:
    """The subject, in a folder of its own."""
    (folder / "bonsai.toml").write_text(SETTINGS)
    (folder / "tiny.lark").write_text(GRAMMAR)
    (folder / "tiny_program.py").write_text(PROGRAM)
    return load_subject(folder)
