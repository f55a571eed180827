"""A grammar and a function come in, or one of them, or neither; a new subject that already grows goes out."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bonsai.errors import BonsaiError
from bonsai.new_subject.detect import Detected, detect
from bonsai.new_subject.drivers import EXAMPLE_DRIVER, EXAMPLE_GRAMMAR, driver_of_call, driver_of_grammar
from bonsai.new_subject.grammar_file import GrammarFile, read_grammar_file
from bonsai.outputs import add_files, require_allowed, writing
from bonsai.subject import CONFIGURATION, load_subject

EXAMPLE = "grammar.lark"
DRIVER = "driver.py"

_TOML = """# A subject for Bonsai. All keys are in docs/grammars.md; `bonsai check {folder}` shows how it does.

[subject]
name = {name}
suffix = {suffix}  # how the files of the corpus are named

[grammar]
file = {file}  # in Lark's format
start = {start}  # the rule that a whole input is derived from
{identifiers}
[grammar.terminals]  # values for other terminals; without any, the shortest matches of the pattern are taken
{numbers}
# [grammar.spacing]
# How single tokens are spaced: "name" for a word that is written like a function, f(x); "line" for a line's end.
# ";" = "line"
{layout}
[target]
engine = "python"
call = "driver:check"  # called with the text; it is in driver.py, beside this file
{path}# The modules whose branches guide the growth; "package.*" is the package and all that is below.
cover = {cover}
# Exceptions that are verdicts: the program understands the input and rejects it; its parser rejects it.
# All others are crashes: findings, never tests.
invalid = {invalid}
unparsed = {unparsed}
timeout = "2s"
memory = "1GiB"

[bounds]  # how far to grow; the corpus is grown from (1,1,1) up to these
idents = 2  # most different names
items = 2  # most items in a list
depth = 2  # most nested uses of a rule
"""

_IDENTIFIERS = """
[grammar.identifiers]  # the names that users make up, in order: the bound on idents allows the first few
"""
_NO_IDENTIFIERS = """
# [grammar.identifiers]
# The names that users make up, in order: the bound on idents allows the first few.
# NAME = ["a", "b", "c"]
"""


@dataclass(frozen=True, slots=True)
class Started:
    """What was written, and what it calls and covers."""

    files: tuple[str, ...]
    cover: tuple[str, ...]
    calls: str | None


def start_subject(
    folder: Path,
    grammar: Path | None = None,
    call: str | None = None,
    cover: tuple[str, ...] = (),
    suffix: str = ".txt",
) -> Started:
    """Writes a new subject into a folder. Nothing that is there is overwritten."""
    with writing(folder):
        require_allowed(folder)
    found = detect(call) if call else None
    if found and cover:
        found = replace(found, cover=cover)
    read = read_grammar_file(grammar) if grammar else _example()
    files = {**read.files, DRIVER: _driver(read, found, grammar).encode("utf-8")}
    files[CONFIGURATION] = _encoded(_settings(folder, suffix, read, found or _nothing(cover)))
    missing = _missing(folder, files)
    with TemporaryDirectory() as trial:  # what cannot be read back is not written
        for name, content in files.items():
            Path(trial, name).write_bytes(content)
        covered = load_subject(trial).target
    add_files(folder, missing)
    return Started(tuple(sorted(files)), covered.cover if covered else (), call)


def _example() -> GrammarFile:
    names, numbers = {"NAME": ("a", "b", "c")}, {"NUMBER": ("0", "1")}
    return GrammarFile(EXAMPLE, {EXAMPLE: EXAMPLE_GRAMMAR.encode()}, "start", names, numbers, None)


def _driver(read: GrammarFile, found: Detected | None, grammar: Path | None) -> str:
    if found:
        return driver_of_call(found)
    return driver_of_grammar(read.name, read.start) if grammar else EXAMPLE_DRIVER


def _nothing(cover: tuple[str, ...]) -> Detected:
    """No function was named: the driver is itself the program."""
    return Detected("driver", "check", cover or ("driver",), (), ())


def _settings(folder: Path, suffix: str, read: GrammarFile, found: Detected) -> str:
    names, numbers = _keys(read.identifiers), _keys(read.numbers)
    layout = ""
    if read.layout:
        keys = {"newline": read.layout.newline, "indent": read.layout.indent, "dedent": read.layout.dedent}
        layout = f"\n[grammar.layout]  # the terminals that are line ends and indentation\n{_keys(keys)}"
    return _TOML.format(
        folder=folder if str(folder).isprintable() else ascii(str(folder)),  # in a comment: one line
        name=_toml(folder.resolve().name),
        suffix=_toml(suffix),
        file=_toml(read.name),
        start=_toml(read.start),
        identifiers=f"{_IDENTIFIERS}{names}" if names else _NO_IDENTIFIERS,
        numbers=numbers,
        layout=layout,
        path=_path(folder, found),
        cover=_toml(found.cover),
        invalid=_toml(found.invalid),
        unparsed=_toml(found.unparsed),
    )


def _path(folder: Path, found: Detected) -> str:
    if not found.path:
        return ""
    folders = tuple(os.path.relpath(one, folder.resolve()) for one in found.path)
    return f"path = {_toml(folders)}  # where to look for modules that are not beside this file\n"


def _keys(values: Mapping[str, str | tuple[str, ...] | None]) -> str:
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items() if value)


def _toml(value: str | tuple[str, ...]) -> str:
    # A text or a list of texts is written alike in JSON and in TOML, except for surrogate pairs and one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        name = ascii(text[error.start : error.end])
        raise BonsaiError(f"{name} in the name of a folder is not UTF-8", "name a new folder") from None


def _missing(folder: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Returns the files that are not there yet. Raises an error if another file has the name of one of them."""
    missing = {}
    for name, content in files.items():
        path = folder / name
        if not os.path.lexists(path):
            missing[name] = content
        elif not (name.endswith(".lark") and path.is_file() and path.read_bytes() == content):
            raise BonsaiError(f"{path} exists, and is not overwritten", "name a new folder")
    return missing
