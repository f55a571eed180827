"""Names, captions and the index: telling, unique, the same every time, and safe to read."""

from hypothesis import given
from hypothesis import strategies as st

import bonsai
from bonsai.captions import LONGEST_NAME, Caption, Parts, file_names, index, names, parts_of, spelling_of, witnessed
from bonsai.corpus import Input, bits

TEXTS = ["", "0\n", "a\n", "-0\n", "def a():\n    return\n", "class a(object):\n    pass\n", "while True:\n    0\n"]
INPUTS = st.lists(
    st.builds(Input, st.text("ab", max_size=5), st.just(()), st.booleans(), st.integers(0, 255)), max_size=8
).map(lambda found: list({one.text: one for one in found}.values()))


def named(texts: list[str], messages: list[str] | None = None) -> list[str]:
    grammar = bonsai.load_subject("chocopy").grammar
    said = messages or [""] * len(texts)
    corpus = [Input(text, (), not message, 0) for text, message in zip(texts, said, strict=True)]
    return names(corpus, [parts_of(grammar, one) for one in corpus], said, spelling=spelling_of(grammar))


def test_a_valid_test_is_named_after_what_few_others_have() -> None:
    found = dict(zip(TEXTS, named(TEXTS), strict=True))
    assert found[""] == "empty"
    assert "minus" in found["-0\n"]
    assert "return" in found["def a():\n    return\n"]
    assert "class-def" in found["class a(object):\n    pass\n"]
    assert "while" in found["while True:\n    0\n"]


def test_an_invalid_test_is_named_after_its_message() -> None:
    assert named(["a\n"], ["Not a variable: `a`"]) == ["not-a-variable-a"]
    assert named(["a\n"], ["../../etc/passwd\n<b>"]) == ["etc-passwd-b"]


def test_operators_in_messages_are_spelled_as_in_other_names() -> None:
    assert named(["0 + a\n"], ["Cannot apply operator `+` on `int`"]) == ["cannot-apply-operator-plus-on-int"]
    assert named(["0 + a\n"], ["no < here"]) == ["no-lessthan-here"]
    assert named(["0 + a\n"], ["no such-thing (here)"]) == ["no-such-thing-here"]


def test_a_message_is_not_cut_within_a_phrase() -> None:
    assert named(["a\n"], ["Invalid type annotation; there is no class that is called: something"]) == [
        "invalid-type-annotation"
    ]
    too_long = "All paths in this function/method must have a return statement: a"
    assert named(["a\n"], [too_long]) == ["all-paths-in-this-function-method"]


def test_a_message_that_a_smaller_test_has_is_no_name() -> None:
    message = "Not a variable: a"
    texts = ["a\n", "-a\n", "a + 0\n", "a + a\n"]
    first, *others = named(texts, [message] * len(texts))
    assert first == "not-a-variable-a"
    assert others[0] == "minus"
    assert others[1] not in (first, others[0])
    assert others[2] == "not-a-variable-a"  # it has nothing that the others have not


def test_what_has_no_other_words_is_named_after_a_feature() -> None:
    corpus = [Input("a", (), False, 0b1), Input("b", (), False, 0b111), Input("c", (), False, 0b1001)]
    features = ["a.b:1:0:if", "a.c:12:0:if", "reported:operator +", "a.d:3:0:if-true"]
    found = names(corpus, [Parts()] * 3, ["no"] * 3, features, {"+": "plus"})
    assert found == ["no", "reported-operator-plus", "d-3-0-if-true"]


def test_a_message_without_words_is_no_name() -> None:
    assert "minus" in named(["-0\n", "a\n", "b\n", "c\n"], ["…", "", "", ""])[0]


def test_parts_come_from_the_choices_or_else_from_the_text() -> None:
    subject = bonsai.load_subject("chocopy")
    for program in bonsai.sample(subject, 20, bonsai.Bounds(1, 2, 2), seed=3):
        chosen = parts_of(subject.grammar, Input(program.text, program.choices, True, 0))
        assert set(program.by_rule) - {subject.grammar.start} == set(chosen.rules)
        parsed = parts_of(subject.grammar, Input(program.text, (), True, 0))
        assert bool(parsed.rules) == bool(program.text)  # it may have another derivation, with other rules


def test_what_the_grammar_does_not_derive_has_no_parts() -> None:
    grammar = bonsai.load_subject("json").grammar
    assert parts_of(grammar, Input("][", (), False, 0)) == Parts()


def test_large_texts_without_choices_are_not_parsed() -> None:
    grammar = bonsai.load_subject("json").grammar
    assert parts_of(grammar, Input(" " * 10 + "[0]", (), True, 0)).rules
    assert parts_of(grammar, Input(" " * 10_000 + "[0]", (), True, 0)) == Parts()


@given(st.lists(st.text(max_size=80), min_size=1, max_size=5))
def test_names_are_short_and_fit_for_files(messages: list[str]) -> None:
    corpus = [Input(str(place), (), False, 0) for place in range(len(messages))]
    for name in names(corpus, [Parts()] * len(corpus), messages):
        assert len(name) <= LONGEST_NAME
        assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-")


@given(INPUTS)
def test_files_are_numbered_by_kind_and_unique(corpus: list[Input]) -> None:
    found = file_names(corpus, [Caption("same")] * len(corpus), ".x")
    assert len(set(found)) == len(corpus)
    assert all(
        file.startswith("valid/" if one.valid else "invalid/") for file, one in zip(found, corpus, strict=True)
    )
    assert file_names(corpus, (), ".x") == [name.replace("-same", "") for name in found]


@given(INPUTS)
def test_a_witness_is_the_smallest_valid_test_or_where_there_is_none_the_smallest(corpus: list[Input]) -> None:
    masks = witnessed(corpus)
    for feature in range(8):
        takers = [one for one in corpus if one.features >> feature & 1]
        if takers:
            best = min(takers, key=lambda one: (not one.valid, one.size))
            assert masks[corpus.index(best)] >> feature & 1
    for one, mask in zip(corpus, masks, strict=True):
        assert mask & ~one.features == 0
        for feature in bits(mask):
            takers = [other for other in corpus if other.features >> feature & 1]
            keys = (min(takers, key=lambda o: (not o.valid, o.size)), min(takers, key=lambda o: o.size))
            assert any(one is best for best in keys)


def test_the_index_says_what_each_test_is_there_for() -> None:
    corpus = [Input("0", (), True, 0b0111), Input("`", (), False, 0b1000)]
    captions = [Caption("zero", ("expr", "_x", "zero")), Caption("tick", ("expr",), "no `ticks`\n# please")]
    text = index(corpus, captions, ["a.b.c:1:0:if", "a.b.c:2:0:if", "a.b.d:1:0:if", "reported:x"], ".py")
    lines = text.splitlines()
    assert "no test" in lines[0]
    assert lines[4].startswith("- [valid/0001-zero.py](valid/0001-zero.py) `0`: valid; uses `zero`; ")
    assert lines[4].endswith("smallest witness of `c:1:0:if`, `c:2:0:if`, `d:1:0:if`")
    assert "`` ` ``: invalid: ``no `ticks` # please``; smallest witness of `reported:x`" in lines[5]
    assert len(lines) == 6


def test_the_index_shows_each_test_in_a_line() -> None:
    corpus = [Input(text, (), True, 0) for text in ("", "def a():\n    0\n", "x" * 100)]
    lines = index(corpus, [Caption("n")] * 3, [], ".py").splitlines()[4:]
    assert lines[0].endswith(" (empty): valid")
    assert lines[1].endswith(" `def a():\\n    0`: valid")
    assert lines[2].endswith(f" `{'x' * 60}…`: valid")
