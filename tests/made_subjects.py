"""Subjects made for tests: small languages with a target of a few branches, so that growing takes seconds."""

import shutil
from pathlib import Path

import bonsai
from bonsai.subject import BUNDLED

# A value of JSON; lists of lists and repeated keys are errors, so there are valid and invalid inputs of all sizes.
JSON_DRIVER = """
import json
from bonsai.errors import Invalid

def keys(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise Invalid("repeated key")
    if len(names) > 1:
        return "several"
    return "one" if names else "none"

def look(value):
    if isinstance(value, list):
        if not value:
            return "empty"
        if len(value) == 2 and value[0] == value[1]:
            return "twins"
        if isinstance(value[0], list):
            raise Invalid("list in a list")
        return "list"
    if value is None:
        return "null"
    if value is True or value is False:
        return "truth"
    if isinstance(value, str):
        if value.startswith("b"):
            return "b"
        return "text"
    return "other"

def check(text):
    return look(json.loads(text, object_pairs_hook=keys))
"""

SETTINGS = """
[target]
engine = "python"
call = "driver:check"
cover = ["driver"]
"""


def json_subject(folder: Path, driver: str = JSON_DRIVER, settings: str = SETTINGS) -> bonsai.Subject:
    """The bundled JSON grammar with a target of its own."""
    shutil.copytree(BUNDLED / "json", folder)
    (folder / "driver.py").write_text(driver)
    toml = (folder / "bonsai.toml").read_text()
    (folder / "bonsai.toml").write_text(toml + settings)
    return bonsai.load_subject(folder)


AMBIGUOUS = {
    "bonsai.toml": """
[subject]
name = "ambiguous"
[grammar]
file = "ambiguous.lark"
[grammar.identifiers]
NAME = ["a", "b", "c"]
[target]
engine = "python"
call = "driver:check"
""",
    "ambiguous.lark": """
start: item+
item: NAME | pair | two | item "+" item | "(" item* ")"
pair: NAME NAME
two: item item
NAME: /[a-c]/
%ignore " "
""",
    "driver.py": """
from bonsai.errors import Invalid

def check(text):
    depth = 0
    for letter in text:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter == "b":
            if depth:
                raise Invalid("b within parentheses")
        elif letter == "+":
            if depth:
                depth = depth
    if "aa" in text.replace(" ", ""):
        raise RuntimeError("two of them")
    if text.count("a") > 1:
        return "several"
    return depth
""",
}


def ambiguous_subject(folder: Path) -> bonsai.Subject:
    """Lists of names, most of which have several derivations. Some crash the target."""
    for name, text in AMBIGUOUS.items():
        (folder / name).write_text(text)
    return bonsai.load_subject(folder)
