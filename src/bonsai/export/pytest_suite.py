"""Answers come in; the files of a test suite go out, which runs with pytest alone, without Bonsai."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from bonsai.errors import BonsaiError
from bonsai.export.expectations import Expectation
from bonsai.export.golden import pretty
from bonsai.export.python_sources import data_files, imported_modules, local_sources
from bonsai.subject import Subject
from bonsai.targets.settings import PythonTarget

INPUTS, EXPECTED = "inputs", "expected"

_HEAD = '''"""{number} regression tests for {call}, grown by Bonsai.

Each file in inputs/ is a test. The file of the same name in expected/ says what becomes of it:

    "valid"     it returns; "output" is what it returns, if that can be written as JSON
    "invalid"   it rejects the input: it raises {invalid}
    "unparsed"  its parser rejects the input: it raises {unparsed}

together with the exception's message. Any other exception is a failure.{origin}

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
COPIED = {copied}  # beside this file; other suites may have modules of the same names
OWN = {{}}


@contextmanager
def own_modules():
    """Inside, imports find the modules beside this file; outside, what others have imported is as it was."""
    others = taken()
    sys.modules.update(OWN)
    sys.path.insert(0, str(HERE))
    try:
        yield
    finally:
        sys.path.remove(str(HERE))
        OWN.update(taken())
        sys.modules.update(others)


def taken():
    """Take all modules of these names out of those that are imported."""
    names = [name for name in sys.modules if name.split(".")[0] in COPIED]
    return {{name: sys.modules.pop(name) for name in names}}

'''

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


def pytest_suite(subject: Subject, known: Sequence[Expectation]) -> dict[str, bytes]:
    """One parametrised test file, the inputs, the answers, and the driver if the subject has one of its own."""
    target = subject.target
    if not isinstance(target, PythonTarget):
        raise BonsaiError(
            f"the target of {subject.name} is no Python function, so pytest cannot call it", "use --format files"
        )
    sources = local_sources(subject.folder, target.call.split(":")[0])
    name = f"test_{re.sub(r'[^0-9A-Za-z_]', '_', subject.name)}.py"
    files = {path: source.encode("utf-8") for path, source in sources.items()}
    files |= data_files(subject.folder, sources.values())
    files[name] = _test_file(name, target, sources, len(known)).encode("utf-8")
    for one in known:
        files[f"{INPUTS}/{one.file.name}"] = one.file.text.encode("utf-8", "surrogatepass")
        files[f"{EXPECTED}/{one.file.name}.json"] = pretty(one.answer)
    return files


def _test_file(name: str, target: PythonTarget, sources: dict[str, str], number: int) -> str:
    module = target.call.split(":")[0]
    verdicts = any("bonsai" in imported_modules(source) for source in sources.values()) or module.startswith(
        "bonsai."
    )
    invalid, unparsed = list(target.invalid), list(target.unparsed)
    if verdicts:
        invalid, unparsed = [*invalid, "bonsai.errors.Invalid"], [*unparsed, "bonsai.errors.Unparsed"]
    origin = ""
    if module.startswith("bonsai."):
        origin = "\nThe program under test is a part of Bonsai, which must be installed for that."
    elif sources:
        origin = f"\n{', '.join(sources)} beside this file: copied from the subject. Bonsai need not be installed."
    else:
        origin = "\nBonsai need not be installed."
    head = _HEAD.format(
        number=number,
        call=target.call,
        invalid=_listed(invalid),
        unparsed=_listed(unparsed),
        origin=origin,
        name=name,
        extra="from contextlib import contextmanager\n" if sources else "",
    )
    stand_ins = _STAND_INS if verdicts and sources else ""
    return head + stand_ins + _program(target, sources, _tuple(invalid), _tuple(unparsed))


def _program(target: PythonTarget, sources: dict[str, str], invalid: str, unparsed: str) -> str:
    """How the suite imports and calls the program; what was copied along is kept apart from other suites."""
    module, _, path = target.call.partition(":")
    imports = [f"from {module} import {path.split('.')[0]}", f"INVALID = {invalid}", f"UNPARSED = {unparsed}"]
    run = [f"value = {path}(text)"]
    own = ""
    if sources:
        copied = sorted({Path(name).parts[0].removesuffix(".py") for name in sources})
        own = _OWN_MODULES.format(copied=json.dumps(copied))
        imports = ["with own_modules():", *(f"    {line}" for line in imports)]
        run = ["with own_modules():", *(f"    {line}" for line in run)]
    else:
        imports.insert(1, "")
    tail = _TAIL.format(run="\n".join(f"        {line}" for line in run))
    return own + "\n".join(["", *imports]) + "\n" + tail


def _listed(exceptions: Sequence[str]) -> str:
    return " or ".join(exceptions) or "(nothing was named that says so)"


def _tuple(exceptions: Sequence[str]) -> str:
    """Exception types in Python; a name without a dot is built in."""
    named = [f'resolve_name("{one}")' if "." in one else one for one in exceptions]
    return f"({', '.join(named)}{',' if len(named) == 1 else ''})"
