"""Deduplication with bounded memory."""

import tracemalloc
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bonsai.dedup import Seen, digest, packed, united, unpacked


@given(st.lists(st.text(max_size=3), max_size=50))
def test_a_text_is_new_once(texts: list[str]) -> None:
    seen = Seen()
    found = [seen.add(text) for text in texts]
    assert found == [text not in texts[:place] for place, text in enumerate(texts)]


@given(st.lists(st.integers(0, 40), max_size=300), st.integers(1, 10))
def test_memory_is_bounded_and_the_latest_are_remembered(numbers: list[int], generation: int) -> None:
    seen = Seen(generation=generation)
    latest: list[int] = []
    for number in numbers:
        new = seen.add(str(number))
        assert len(seen) <= 2 * generation
        if number in latest[-generation:]:
            assert not new
        if new:
            latest.append(number)


def test_texts_that_are_no_unicode_are_texts() -> None:
    seen = Seen()
    assert seen.add("\ud800")
    assert not seen.add("\ud800")


@given(st.lists(st.text(max_size=3), max_size=20), st.lists(st.text(max_size=3), max_size=20))
def test_what_is_inherited_is_not_new_and_not_handed_on_twice(before: list[str], texts: list[str]) -> None:
    ancestor = Seen()
    for text in before:
        ancestor.add(text)
    seen = Seen(united([ancestor.state().judged()]))
    found = [text for text in texts if seen.add(text)]
    assert found == [one for one in dict.fromkeys(texts) if one not in before]
    assert unpacked(seen.state().judged()).tolist() == sorted(map(digest, found))


@given(st.sets(st.text(max_size=3), max_size=20), st.sets(st.text(max_size=3), max_size=5))
def test_what_was_ignored_may_be_judged_by_others(texts: set[str], ignored: set[str]) -> None:
    seen = Seen()
    for text in texts:
        seen.add(text)
    for text in texts & ignored:
        seen.ignore(text)
    assert unpacked(seen.state().judged()).tolist() == sorted(map(digest, texts - ignored))


@given(st.lists(st.sets(st.integers(0, 20) | st.integers(0, 2**64 - 1))), st.integers(1, 9))
def test_a_union_that_is_too_large_is_cut_the_same_way_every_time(sets: list[set[int]], most: int) -> None:
    together = united(map(packed, sets), most)
    assert together == set(sorted(set().union(*sets))[:most])


def test_memory_for_a_union_does_not_grow_with_the_number_of_sets() -> None:
    most, rng = 10_000, Random(0)
    sets = [packed(rng.getrandbits(64) for _ in range(4_000)) for _ in range(100)]
    expected = set(sorted({digest for data in sets for digest in unpacked(data)})[:most])
    tracemalloc.start()
    try:
        union = united(sets, most)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert union == expected
    assert peak < 400 * most  # a set of all 400,000 digests takes 25 MB or more
