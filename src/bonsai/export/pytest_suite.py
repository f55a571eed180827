"""Answers come in; the files of a test suite go out, which runs with pytest alone, without Bonsai."""

import json
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from textwrap import fill

from bonsai.errors import BonsaiError
from bonsai.export.expectations import Expectation
from bonsai.export.golden import pretty
from bonsai.export.python_sources import data_files, folder_of, imported_modules, local_sources
from bonsai.subject import Subject
from bonsai.targets.settings import PythonTarget

INPUTS, EXPECTED = "inputs", "expected"
WIDTH = 115

_HEAD = '''"""{number} regression tests for {call}, grown by Bonsai.

Each file in inputs/ is a test. The file of the same name in expected/ says what becomes of it:

    "valid"     it returns; "output" is what it returns, if that can be written as JSON
    "invalid"   it rejects the input: it raises {invalid}
    "unparsed"  its parser rejects the input: it raises {unparsed}

together with the exception's message. Any other exception is a failure.
{origin}

After a change that was meant, `python {name} --update` writes down what happens now; look at the difference.
`bonsai export ... --update` makes the whole suite anew from a corpus.
"""

import json
import sys
{extra}from pathlib import Path
from pkgutil import resolve_name

import pytest

HERE = Path(__file__).resolve().parent
'''

_STAND_INS = """
# The driver raises Bonsai's two verdicts. Where Bonsai is not installed, these stand in for them.
try:
    import bonsai.errors
except ModuleNotFoundError:

    class Invalid(Exception):
        def __init__(self, message="", output=None):
            super().__init__(message)
            self.output = output

    class Unparsed(Invalid):
        pass

    bonsai = type(sys)("bonsai")
    bonsai.errors = bonsai
    bonsai.Invalid, bonsai.Unparsed = Invalid, Unparsed
    sys.modules["bonsai"] = sys.modules["bonsai.errors"] = bonsai
"""

_OWN_MODULES = '''
FOLDERS = [{folders}]
MODULES = {modules}  # in these folders; other suites may have modules of the same names
OWN = {{}}


@contextmanager
def own_modules():
    """Inside, imports find the modules of this suite; outside, what others have imported is as it was."""
    others = taken()
    sys.modules.update(OWN)
    sys.path[:0] = map(str, FOLDERS)
    try:
        yield
    finally:
        for folder in FOLDERS:
            sys.path.remove(str(folder))
        OWN.update(taken())
        sys.modules.update(others)


def taken():
    """Take all modules of these names out of those that are imported."""
    names = [name for name in sys.modules if name.split(".")[0] in MODULES]
    return {{name: sys.modules.pop(name) for name in names}}

'''

_MISSING = (
    "except ModuleNotFoundError as error:",
    '    places = ", ".join(map(str, FOLDERS))',
    '    hint = f"it was looked for in {places}; install it, or say where it is with PYTHONPATH"',
    '    raise ModuleNotFoundError(f"{error}: {hint}") from error',
)

_TAIL = '''
INPUTS = sorted(path for path in (HERE / "inputs").rglob("*") if path.is_file())


def answer(text):
    """What the program makes of a text, as expected/ has it."""
    try:
{run}
        return {{"outcome": "valid", "output": as_json(value)}}
    except UNPARSED as error:
        return {{"outcome": "unparsed", **rejection(error)}}
    except INVALID as error:
        return {{"outcome": "invalid", **rejection(error)}}


def rejection(error):
    """What an exception says; some carry an output."""
    message = str(error)[:4000].encode("utf-8", "backslashreplace").decode("utf-8")
    return {{"message": message, "output": as_json(getattr(error, "output", None))}}


def as_json(value):
    """The value as JSON has it; None if it cannot."""
    try:
        return json.loads(json.dumps(value), parse_constant=str)
    except (TypeError, ValueError):
        return None


def read(path):
    return path.read_bytes().decode("utf-8", "surrogatepass")


def expectation(path):
    """The file that says what is expected of an input."""
    return HERE / "expected" / f"{{path.relative_to(HERE / 'inputs')}}.json"


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(HERE / "inputs")))
def test_the_answer_is_as_expected(path):
    expected = json.loads(expectation(path).read_text(encoding="utf-8"))
    found = answer(read(path))
    assert {{key: found.get(key) for key in expected}} == expected


def update():
    for path in INPUTS:
        found = {{key: value for key, value in answer(read(path)).items() if value is not None}}
        expectation(path).write_text(json.dumps(found, indent=1) + "\\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(f"usage: python {{Path(__file__).name}} --update, or pytest {{Path(__file__).name}}")
    update()
'''


@dataclass(frozen=True, slots=True)
class _Program:
    """The program as the suite sees it: modules that were copied, others by their folder, and what these import."""

    target: PythonTarget
    copied: tuple[str, ...]
    elsewhere: dict[str, tuple[str, ...]]
    imported: frozenset[str]

    @property
    def bundled(self) -> bool:
        return self.target.call.startswith("bonsai.")

    @property
    def own(self) -> tuple[str, ...]:
        """All modules that are not installed."""
        return (*self.copied, *chain.from_iterable(self.elsewhere.values()))


def pytest_suite(subject: Subject, known: Sequence[Expectation], folder: Path) -> dict[str, bytes]:
    """What goes into a folder: one parametrised test file, inputs, answers, and the driver if there is one."""
    target = subject.target
    if not isinstance(target, PythonTarget):
        raise BonsaiError(
            f"the target of {subject.name} is no Python function, so pytest cannot call it", "use --format files"
        )
    sources = local_sources(subject.folders, _modules(target))
    copied = _within(subject.folders[0], sources)
    program = _Program(
        target,
        copied=_tops(copied),
        # Not copied: the suite is to notice when they change.
        elsewhere={
            Path(os.path.relpath(place, folder.resolve())).as_posix(): _tops(found)
            for place in subject.folders[1:]
            if (found := _within(place, sources))
        },
        imported=frozenset(module for path in sources.values() for module in imported_modules(path)),
    )
    suite = f"test_{re.sub(r'[^0-9A-Za-z_]', '_', subject.name)}.py"
    files = {name: path.read_bytes() for name, path in copied.items()} | data_files(copied)
    files[suite] = _test_file(suite, program, len(known)).encode("utf-8")
    for one in known:
        files[f"{INPUTS}/{one.file.name}"] = one.file.text.encode("utf-8", "surrogatepass")
        files[f"{EXPECTED}/{one.file.name}.json"] = pretty(one.answer)
    return files


def _modules(target: PythonTarget) -> list[str]:
    """The modules that the settings name; some names are built-in exceptions, which no file has."""
    return [target.call.split(":")[0], *target.cover, *target.invalid, *target.unparsed]


def _within(folder: Path, sources: Mapping[str, Path]) -> dict[str, Path]:
    return {name: path for name, path in sources.items() if folder_of(name, path) == folder}


def _tops(sources: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted({Path(name).parts[0].removesuffix(".py") for name in sources}))


def _test_file(name: str, program: _Program, number: int) -> str:
    target = program.target
    verdicts = program.bundled or "bonsai" in program.imported
    invalid, unparsed = list(target.invalid), list(target.unparsed)
    if verdicts:
        invalid, unparsed = [*invalid, "bonsai.errors.Invalid"], [*unparsed, "bonsai.errors.Unparsed"]
    head = _HEAD.format(
        number=number,
        call=target.call,
        invalid=_listed(invalid),
        unparsed=_listed(unparsed),
        origin=fill(" ".join(_origin(program)), WIDTH),
        name=name,
        extra="from contextlib import contextmanager\n" if program.own else "",
    )
    stand_ins = _STAND_INS if verdicts and program.own else ""
    return head + stand_ins + _importing(program, _tuple(invalid), _tuple(unparsed))


def _origin(program: _Program) -> Iterator[str]:
    """Where the program is, and what else must be there to run it."""
    if program.bundled:
        yield "The program under test is a part of Bonsai, which must be installed for that."
        return
    if program.copied:
        yield f"Beside this file, copied from the subject: {', '.join(program.copied)}."
    for folder, modules in program.elsewhere.items():
        yield f"Imported from {folder}, seen from here, or else from PYTHONPATH: {', '.join(modules)}."
    imported = program.imported if program.own else {program.target.call.split(":")[0].split(".")[0]}
    needed = imported - {*program.own, "bonsai"} - sys.stdlib_module_names
    if needed:
        yield f"To be installed, if missing: {', '.join(sorted(needed))}."
    yield "Bonsai need not be installed."


def _importing(program: _Program, invalid: str, unparsed: str) -> str:
    """How the suite imports and calls the program; its own modules are kept apart from those of other suites."""
    module, _, path = program.target.call.partition(":")
    imports = [f"from {module} import {path.split('.')[0]}", f"INVALID = {invalid}", f"UNPARSED = {unparsed}"]
    run = [f"value = {path}(text)"]
    own = ""
    if program.own:
        folders = ["HERE", *(f"(HERE / {json.dumps(folder)}).resolve()" for folder in program.elsewhere)]
        own = _OWN_MODULES.format(folders=", ".join(folders), modules=json.dumps(program.own))
        imports = ["with own_modules():", *_indented(imports)]
        run = ["with own_modules():", *_indented(run)]
    else:
        imports.insert(1, "")
    if program.elsewhere:
        imports = ["try:", *_indented(imports), *_MISSING]
    tail = _TAIL.format(run="\n".join(_indented(_indented(run))))
    return own + "\n".join(["", *imports]) + "\n" + tail


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _listed(exceptions: Sequence[str]) -> str:
    return " or ".join(exceptions) or "(nothing was named that says so)"


def _tuple(exceptions: Sequence[str]) -> str:
    """Exception types in Python; a name without a dot is built in."""
    named = [f'resolve_name("{one}")' if "." in one else one for one in exceptions]
    return f"({', '.join(named)}{',' if len(named) == 1 else ''})"
