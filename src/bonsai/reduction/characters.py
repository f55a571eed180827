"""A text and a predicate come in; a 1-minimal text goes out: delta debugging on characters, with picire."""

from collections.abc import Callable

from bonsai.reduction.predicate import load_tools, picire_tester


def reduce_characters(text: str, predicate: Callable[[str], bool]) -> str:
    """The text without the characters that it can do without."""
    if predicate(""):  # picire tries no empty text
        return ""
    picire, _ = load_tools()
    reduced: str = picire.reduce(
        text,
        reduce_class=picire.DD,
        reduce_config={},
        tester_class=picire_tester(predicate),
        tester_config={},
        atom="char",
        cache_class=picire.ContentCache,
    )
    return reduced
