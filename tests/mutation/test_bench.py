"""Mutants run in processes of their own: whatever they do, the answer is right."""

from collections.abc import Iterator

import pytest

from bonsai import BonsaiError, Subject, load_subject
from bonsai.mutation.bench import Bench, Pool
from bonsai.mutation.mutants import Mutant
from tiny_subject import PROGRAM, write_tiny_subject

TEXTS = ["0 1 2", "(1)", "((1) 2)", "(2 3)", "3 3 3", "x", "", "( ( (", "9 9 9"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return write_tiny_subject(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def bench(subject: Subject) -> Iterator[Bench]:
    with Bench(subject) as bench:
        yield bench


@pytest.fixture(scope="module")
def pool(bench: Bench) -> Pool:
    return bench.pool(TEXTS)


def mutant(old: str, new: str) -> Mutant:
    assert old in PROGRAM
    return Mutant("tiny_program", "by hand", 1, 0, f"{old} → {new}", PROGRAM.replace(old, new))


def test_a_pool_has_the_smallest_first_and_nothing_that_the_original_crashes_on(pool: Pool) -> None:
    assert pool.texts[:4] == ["", "(1)", "( ( (", "0 1 2"]
    assert "x" not in pool.texts
    assert len(pool.texts) == len(TEXTS) - 1


def test_the_original_kills_nothing(bench: Bench, pool: Pool) -> None:
    same = mutant("depth", "depth")
    assert bench.kills([same], pool) == {}
    assert same not in bench.stillborn


@pytest.mark.parametrize(
    ("old", "new", "text", "how"),
    [
        ("total > 3", "total > 4", "9 9 9", None),
        ("total > 3", "total >= 3", "0 1 2", "output"),
        ('Invalid("five")', 'Invalid("5")', "(2 3)", "output"),
        ('raise Invalid("five")', "pass", "(2 3)", "output"),
        ("depth -= 1", "while True: pass", "(1)", "timeout"),
        ("total - 2", "total // 0", "3 3 3", "crash"),
        ("depth -= 1", "__import__('os').abort()", "(1)", "crash"),
        ("depth -= 1", "__import__('os')._exit(0)", "(1)", "crash"),
        ("depth -= 1", "raise SystemExit", "(1)", "crash"),
        ("depth -= 1", "bytearray(1 << 40)", "(1)", "crash"),
        ("depth -= 1", "print(input())", "(1)", "crash"),
        ("depth -= 1", "depth -= 1; print('noise')", "(1)", None),
    ],
)
def test_however_a_mutant_differs_the_smallest_text_that_shows_it_is_found(
    bench: Bench, pool: Pool, old: str, new: str, text: str, how: str | None
) -> None:
    changed = mutant(old, new)
    found = bench.kills([changed], pool)
    if how is None:
        assert found == {}
    else:
        assert (found[changed].text, found[changed].how) == (text, how)
    assert changed not in bench.stillborn


def test_several_pools_are_asked_side_by_side_and_none_knows_of_another(bench: Bench) -> None:
    counting = PROGRAM.replace("total = 0", "total = 0; check.n = getattr(check, 'n', 0) + 1")
    changed = counting.replace("total > 3", "check.n > 2 or total > 3")
    third = Mutant("tiny_program", "by hand", 1, 0, "", changed)
    crash, other = mutant("depth -= 1", "__import__('os').abort()"), mutant("total > 3", "total >= 3")
    pools = [bench.pool(texts) for texts in (["(1)", "0"], ["0 1", "0"], ["0 1 2", "(1)", "0"], [])]
    found = bench.kills_in(pools, [[third, crash, other], [third, crash, other], [third, crash], [crash, other]])
    assert [{one: kill.text for one, kill in some.items()} for some in found] == [
        {crash: "(1)"},
        {},
        {third: "0 1 2", crash: "(1)"},  # the third text of this pool, whatever the others have run
        {},
    ]
    assert bench.kills_in([], []) == []


def test_what_cannot_be_imported_is_no_mutant(subject: Subject) -> None:
    with Bench(subject) as fresh:
        dead = mutant("from bonsai.errors import Invalid", "raise ValueError")
        assert fresh.kills([dead], fresh.pool(TEXTS)) == {}
        assert fresh.stillborn == {dead}


def test_texts_that_do_not_reach_a_mutant_cannot_kill_it(
    bench: Bench, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = bench.kills(bench.mutants, pool)
    assert 0 < len(chosen) < len(bench.mutants)
    monkeypatch.setattr(bench, "_reached_by", {})  # as if nothing were known
    assert bench.kills(bench.mutants, pool) == chosen


def test_only_python_programs_can_be_mutated() -> None:
    with pytest.raises(BonsaiError, match="no Python program"):
        Bench(load_subject("json"))


@pytest.mark.slow
def test_the_type_checker_itself_is_no_mutant_of_its_own() -> None:
    texts = ["x:int = 1\n", "print(1 + True)\n", "if if\n", "class a(object):\n    pass\na().b()\n", "\x00"]
    with Bench(load_subject("chocopy"), jobs=2) as bench:
        [first] = [one for one in bench.made.mutants if one.module.endswith("types")][:1]
        path = bench._servers[0].files[first.module]
        with open(path, encoding="utf-8") as file:
            same = Mutant(first.module, "none", 1, 0, "", file.read())
        assert bench.kills([same], bench.pool(texts)) == {}
        assert len(bench.made.mutants) > 300
