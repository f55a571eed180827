"""The Closure Compiler as a target, and the JavaScript grammar."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.parsing import parser_for
from bonsai.subject import load_subject, start_target
from bonsai.targets.execution import Outcome, Target, Wanted
from targets.jvm.tools import needs_java

SHARED = Path(os.environ.get("BONSAI_SHARED", Path(__file__).parents[4] / "shared"))
PUBLISHED = SHARED / "published-corpora" / "closure"


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a;",
        "",
        ";",
        "if ((a)) { b } else { c } d",
        "for(;;){ break }",
        "for (var a = 0; a < 10; a++) { if (a) { continue } }",
        "for (const [a, b = 1] of c) {}",
        "switch (a) { case 1: break; default: b }",
        "try { a() } catch (b) { throw b } finally {}",
        "function a(b, { c, d: [e] }, ...f) { return function() {} }",
        "class a extends b { constructor() { super(1) } static get c() { return this } *d() { yield* e } }",
        "var a = async (b) => await b, c = d => ({ e: 1, [f]: 2, g() {} })",
        "[a, b] = [...c]; ({ a } = b)",
        "a`${c}`",
        "x: while (typeof a !== 'b') { break x }",
        "new a.b(c); a.b[d].e = -f ? g : h",
        "import a from 'b'; export default a",
        "a = b ? /c/g : !d, e",
        '"use strict"; delete a.b, void 0',
        "if ((a, b)) { c = new (-d)(1, 2) }",
        "new function() {}; new a.b[c]; new (new.target)",
        "class a extends (b()) {}; class c extends class {} {}",
    ],
)
def test_programs_that_parse(text: str) -> None:
    parser_for(load_subject("closure").grammar).parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a b",
        "if (a) else b",
        "1 = ",
        "({a: })",
        "for (;;",
        "a => ",
        "class {}",
        "new -a",
        "a ? b, c : d",
        "({[a, b]: c})",
    ],
)
def test_programs_that_do_not(text: str) -> None:
    with pytest.raises(BonsaiError):
        parser_for(load_subject("closure").grammar).parse(text)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with closing(start_target(load_subject("closure"))) as started:
        yield started


@pytest.mark.slow
@needs_java
def test_verdicts(target: Target) -> None:
    texts = ["var a = 1 + 2", "break", "a b", "try {} catch ([]) {}"]
    valid, invalid, unparsed, crash = target.execute(texts, Wanted.OUTPUT)
    assert (valid.outcome, valid.output) == (Outcome.VALID, "\"'use strict';var a=3;\"")
    assert (invalid.outcome, unparsed.outcome) == (Outcome.INVALID, Outcome.UNPARSED)
    assert "must be inside" in invalid.message
    assert crash.outcome is Outcome.CRASH


@pytest.mark.slow
@needs_java
def test_what_depends_on_the_context_is_semantic(target: Target) -> None:
    texts = ["yield", "a;\n b(yield * c)", "function *a() { () => { yield d } }", "await a", "return", "const a"]
    assert {one.outcome for one in target.execute(texts)} == {Outcome.INVALID}
    inside, after = target.execute(["function *a() { yield b }", "function *a() { yield b b }"])
    assert (inside.outcome, after.outcome) == (Outcome.VALID, Outcome.UNPARSED)


@pytest.mark.slow
@needs_java
def test_features_do_not_depend_on_what_ran_before(target: Target) -> None:
    if not PUBLISHED.is_dir():
        pytest.skip(f"{PUBLISHED} is not there")
    texts = [path.read_bytes().decode() for path in sorted((PUBLISHED / "bonsai").glob("*.js"))[::5]]
    first = target.execute(texts)
    target.close()
    assert target.execute(texts[::-1])[::-1] == first


@pytest.mark.slow
@needs_java
def test_published_programs_parse(target: Target) -> None:
    """Those that Closure accepts; the others are mostly strings of random bytes."""
    if not PUBLISHED.is_dir():
        pytest.skip(f"{PUBLISHED} is not there")
    texts = [path.read_bytes().decode() for path in sorted(PUBLISHED.rglob("*.js"))[::10]]
    valid = [text for text, one in zip(texts, target.execute(texts), strict=True) if one.outcome is Outcome.VALID]
    parser, parsed = parser_for(load_subject("closure").grammar), 0
    for text in valid:
        try:
            parser.parse(text)
            parsed += 1
        except BonsaiError:
            continue
    assert parsed >= 0.9 * len(valid)
