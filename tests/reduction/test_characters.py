"""Delta debugging on characters."""

from hypothesis import given
from hypothesis import strategies as st

from bonsai.reduction.characters import reduce_characters


def contains(text: str, wanted: str) -> bool:
    """Whether the characters of one text occur in another, in order."""
    rest = iter(text)
    return all(char in rest for char in wanted)


@given(st.text(alphabet="abc \n", max_size=8), st.data())
def test_what_is_not_needed_goes(wanted: str, data: st.DataObject) -> None:
    noise = [data.draw(st.text(alphabet="xyz", max_size=4)) for _ in range(len(wanted) + 1)]
    text = noise[0] + "".join(char + more for char, more in zip(wanted, noise[1:], strict=True))
    assert reduce_characters(text, lambda candidate: contains(candidate, wanted)) == wanted


@given(st.text(max_size=20), st.integers(0, 2**32))
def test_the_result_is_minimal_for_any_predicate(text: str, seed: int) -> None:
    tried = {text: True}

    def predicate(candidate: str) -> bool:
        return tried.setdefault(candidate, hash((candidate, seed)) % 4 == 0)

    found = reduce_characters(text, predicate)
    assert predicate(found)
    assert not found or not any(predicate(found[:i] + found[i + 1 :]) for i in range(len(found)))
