"""Deduplication with bounded memory."""

from hypothesis import given
from hypothesis import strategies as st

from bonsai.dedup import Seen


@given(st.lists(st.text(max_size=3), max_size=50))
def test_a_text_is_new_once(texts: list[str]) -> None:
    seen = Seen()
    found = [seen.add(text) for text in texts]
    assert found == [text not in texts[:place] for place, text in enumerate(texts)]


@given(st.lists(st.integers(0, 40), max_size=300), st.integers(1, 10))
def test_memory_is_bounded_and_the_latest_are_remembered(numbers: list[int], generation: int) -> None:
    seen = Seen(generation)
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
