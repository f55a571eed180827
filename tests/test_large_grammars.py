"""Grammars with thousands of rules, alternatives or words: the work grows with the grammar, not with its square."""

import pytest

from bonsai import BonsaiError, Bounds, Derivation, Grammar, Lexicon, measure, parse, read_lark_text
from bonsai.checkup import check_grammar, draw_samples
from bonsai.choices import Draws
from bonsai.counting import count
from bonsai.derivation import outline
from bonsai.grammar.analysis import Analysis
from bonsai.grammar.model import Symbol
from bonsai.sampler import Sampler

RULES = 1_500
WITHIN = Bounds(2, 2, 2)


def chain(body: str, end: str) -> str:
    """Rules r0, r1, ... of which each names the next, in place of NEXT."""
    rules = [f"r{i}: " + body.replace("NEXT", f"r{i + 1}") for i in range(RULES)]
    return "\n".join(["start: r0", *rules, f"r{RULES}: {end}", ""])


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Symbol]:
    """The symbols of which it was asked whether they derive a text."""
    looked_at: list[Symbol] = []
    before = Analysis._derivable

    def counted(self: Analysis, symbol: Symbol, unproductive: frozenset[str]) -> bool:
        looked_at.append(symbol)
        return before(self, symbol, unproductive)

    monkeypatch.setattr(Analysis, "_derivable", counted)
    return looked_at


def test_the_analysis_of_a_chain_looks_at_each_rule_a_few_times(looks: list[Symbol]) -> None:
    grammar = read_lark_text(chain('NEXT | "a"', '"z"'))
    assert len(Analysis(grammar, 1).productive(frozenset())) == RULES + 2
    assert len(looks) < 10 * RULES
    assert not Analysis(grammar, 1).recursive


def test_what_a_blocked_rule_costs_does_not_depend_on_the_rest_of_a_ring(looks: list[Symbol]) -> None:
    analysis = Analysis(read_lark_text(chain('NEXT | "a"', '"z" | r0')), 1)
    assert len(analysis.recursive) == RULES + 1
    analysis.productive(frozenset())
    looks.clear()
    for i in range(1, 100):
        blocked = frozenset(f"r{j}" for j in range(i))
        assert len(analysis.productive(blocked)) == RULES + 1 - i  # the start needs r0
    assert len(looks) < 1_000


@pytest.mark.parametrize(
    ("grammar", "programs"),
    [
        (chain("NEXT", '"z"'), 1),
        (chain('NEXT | "a" "b"?', '"z"'), 2 * RULES + 1),
        (chain('"k" NEXT?', '"z"'), RULES + 1),
    ],
    ids=["no choices", "alternatives", "options"],
)
def test_a_long_chain_is_sampled_counted_measured_and_checked(grammar: str, programs: int) -> None:
    read = read_lark_text(grammar)
    assert count(read, WITHIN) == programs
    for text, choices in draw_samples(read, WITHIN, seed=0, number=5):
        derivation = Derivation(read, tuple(choices), text)
        assert measure(derivation) <= WITHIN
        assert len(outline(derivation).splitlines()) > len(choices)
    checkup = check_grammar(read, WITHIN, draw_samples(read, WITHIN, seed=0, number=5))
    assert checkup.rules == RULES + 2
    assert checkup.parsed == 0
    assert "too large to parse texts with" in checkup.warnings[-1]


def test_a_grammar_that_is_too_large_to_parse_with_is_an_error_of_one_line() -> None:
    with pytest.raises(BonsaiError, match=r"too large to parse texts with: 1,502 rules in chains of up to 1,502"):
        parse(read_lark_text(chain("NEXT", '"z"')), "z")


def large_choice() -> Grammar:
    return read_lark_text("start: word+\nword: " + " | ".join(f'"w{i}"' for i in range(3_000)) + "\n")


def large_pool() -> Grammar:
    words = tuple(f"w{i}" for i in range(30_000))
    return read_lark_text(
        'start: WORD+\nWORD: /[a-z][0-9]+/\n%ignore " "\n', lexicon=Lexicon(pools={"WORD": words})
    )


@pytest.mark.parametrize(("grammar", "words"), [(large_choice(), 3_000), (large_pool(), 30_000)])
def test_thousands_of_words_are_sampled_and_counted(grammar: Grammar, words: int) -> None:
    assert count(grammar, WITHIN) == words + words**2
    sampler, draws = Sampler(grammar, WITHIN), Draws(0)
    texts = {sampler.sample(draws)[0] for _ in range(300)}
    assert len(texts) > 280


def test_a_check_draws_fewer_samples_where_each_is_enormous(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bonsai.checkup.MOST_CHOICES_DRAWN", 200)
    grammar = read_lark_text('start: "(" start* ")"\n')
    large = draw_samples(grammar, Bounds(1, 3, 4), seed=0)
    assert 5 <= len(large) < 500
    assert sum(len(choices) for _, choices in large) >= 200
    assert len(draw_samples(read_lark_text('start: "a"'), WITHIN, seed=0)) == 500


def test_a_grammar_whose_smallest_program_is_enormous_is_refused() -> None:
    doubled = "".join(f"r{i}: r{i + 1} r{i + 1}\n" for i in range(40))
    with pytest.raises(BonsaiError, match=r"the smallest program of grammar.lark has 1.1e\+12 tokens"):
        Sampler(read_lark_text(f'start: r0\n{doubled}r40: "z"\n'), WITHIN)
