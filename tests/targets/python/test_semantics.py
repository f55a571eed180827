"""Code with probes does what it did: tricky snippets, and modules of the standard library."""

import difflib
import html.parser
import inspect
import shlex
import sys
import textwrap
import tokenize
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bonsai.targets.python.instrument import Probes, arms, compile_instrumented
from targets.python.instrumented import Instrumented, plain

SNIPPETS = sorted(Path(__file__).with_name("snippets").glob("*.txt"), key=lambda path: path.name)
LIBRARY = Path(textwrap.__file__).parent


def observed(module: ModuleType) -> dict[str, object]:
    """All that a module shows, and what each of its functions without parameters does."""
    return {
        "names": sorted(set(vars(module)) - {"__builtins__"}),
        "doc": module.__doc__,
        "annotations": repr(inspect.get_annotations(module)),
        "docs": {name: getattr(value, "__doc__", None) for name, value in vars(module).items() if name[:2] != "__"},
        "runs": {name: repr(outcome(value)) for name, value in [*vars(module).items()] if name.startswith("run")},
    }


def outcome(function: Any) -> object:
    """A value, or an exception with all of its lines."""
    try:
        return function()
    except BaseException as error:
        return type(error).__name__, str(error), lines(error)


def lines(error: BaseException) -> list[tuple[str, int | None]]:
    return [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[1:]]


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_snippets_behave_identically(path: Path) -> None:
    source = path.read_text()
    expected = observed(plain(source))
    runs = expected["runs"]
    assert isinstance(runs, dict)
    assert runs, "a snippet has functions whose names start with run"
    instrumented = Instrumented(source)
    assert observed(instrumented.module) == expected
    assert instrumented.probes.mask()


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_without_probes_the_code_is_the_same(path: Path) -> None:
    source = path.read_bytes()
    probes = Probes(len(arms(source, "m")))
    code = compile_instrumented(source, "m.py", "m", 0, probes, range(probes.size))
    assert code == compile(source, "m.py", "exec", dont_inherit=True)


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_probes_are_independent(path: Path) -> None:
    """Leaving out some probes changes nothing about the others."""
    source = path.read_bytes()
    number = len(arms(source, "m"))
    masks = []
    for omit in (range(0), range(0, number, 2), range(1, number, 2)):
        probes = Probes(number)
        module: dict[str, Any] = {"__name__": "m"}
        exec(compile_instrumented(source, "m.py", "m", 0, probes, omit), module)
        for name in sorted(module):
            if name.startswith("run"):
                outcome(module[name])
        masks.append(probes.mask())
    assert masks[0] == masks[1] | masks[2]
    assert masks[1] & masks[2] == 0


def twin(module: ModuleType) -> Any:
    """A module of the standard library with probes."""
    path = str(module.__file__)
    source = Path(path).read_text()
    return Instrumented(source, module.__name__, path).module


TEXTWRAP, SHLEX, DIFFLIB = twin(textwrap), twin(shlex), twin(difflib)
HTML, TOKENIZE, PARSER = twin(html.parser), twin(tokenize), twin(import_module("re._parser"))


@given(text=st.text(), width=st.integers(-1, 20))
@example(text="several words, a-hyphen, and averyverylongword", width=7)
def test_textwrap(text: str, width: int) -> None:
    def lines_of(module: Any) -> list[object]:
        functions = (module.wrap, module.fill, module.shorten)
        return [*(outcome(lambda f=f: f(text, width)) for f in functions), module.dedent(text)]

    assert lines_of(TEXTWRAP) == lines_of(textwrap)


@given(text=st.text("ab \"'\\\n#|;"))
def test_shlex(text: str) -> None:
    assert outcome(lambda: SHLEX.split(text, True)) == outcome(lambda: shlex.split(text, True))


@given(one=st.lists(st.sampled_from("abc")), other=st.lists(st.sampled_from("abc")))
def test_difflib(one: list[str], other: list[str]) -> None:
    for name in ("ndiff", "unified_diff", "context_diff"):
        assert list(getattr(DIFFLIB, name)(one, other)) == list(getattr(difflib, name)(one, other))


@given(text=st.text("<>/ab=\"'! -&;#x1?", max_size=60))
def test_html_parser(text: str) -> None:
    def events(module: Any) -> object:
        found: list[object] = []

        class Parser(module.HTMLParser):  # type: ignore[misc]
            def handle_starttag(self, tag: str, attrs: object) -> None:
                found.append((tag, attrs, self.getpos()))

            def handle_data(self, data: str) -> None:
                found.append(data)

        def run() -> object:
            parser = Parser()
            parser.feed(text)
            parser.close()
            return found

        return outcome(run)

    assert events(HTML) == events(html.parser)


@given(text=st.text("ab01 \n\t:()[]'\"#=+.\\fé", max_size=60))
def test_tokenize(text: str) -> None:
    def tokens(module: Any) -> object:
        rest = iter(text.splitlines(True))
        return outcome(lambda: [tuple(token) for token in module.generate_tokens(lambda: next(rest, ""))])

    expected, got = tokens(tokenize), tokens(TOKENIZE)
    assert repr(got) == repr(expected)


@given(text=st.text("ab|*+?{}()[]^$.\\d1,-:=!<>P", max_size=20))
def test_regular_expressions(text: str) -> None:
    def dump(module: Any) -> object:
        result = outcome(lambda: repr(module.parse(text)))
        return result[0] if isinstance(result, tuple) else result

    assert dump(PARSER) == dump(import_module("re._parser"))


@pytest.mark.parametrize(
    "name",
    [
        "dataclasses", "typing", "asyncio/tasks", "enum", "inspect", "argparse", "contextlib", "ast",
        pytest.param("*", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_everything_compiles_and_has_names_of_its_own(name: str) -> None:
    strange = {"site-packages", "test", "tests", "lib2to3"}  # some of these are not even meant to compile
    paths = [path for path in LIBRARY.rglob(f"{name}.py") if not strange.intersection(path.parts)]
    assert paths
    for path in paths:
        source = path.read_bytes()
        names = arms(source, "m")
        assert len(set(names)) == len(names)
        compile_instrumented(source, str(path), "m", 0, Probes(len(names)), ())


def test_a_long_chain_of_operators() -> None:
    source = "def run():\n    return " + " + ".join(["1"] * 3000) + "\n"
    limit = sys.getrecursionlimit()
    assert Instrumented(source).module.__dict__["run"]() == 3000
    assert sys.getrecursionlimit() == limit


def test_code_objects_can_be_hashed() -> None:
    code = Instrumented("def f(x):\n    return x or [y for y in x]\n").module.__dict__["f"].__code__
    assert code in {code}
