"""Numbers and texts come in; what people can read goes out."""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """`1 test`, `2 tests`, `1,000 tests`."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """The noun that goes with a number; how many are called, if that does not end in another s."""
    return noun if number == 1 else many or f"{noun}s"


def visible(text: str) -> str:
    """The text with control characters, line ends among them, spelled out."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def listed(names: Sequence[str], most: int = 3) -> str:
    """`a`, `a and b`, `a, b and c`; of more than so many names, the first and how many more there are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def harmless(text: str) -> str:
    """Returns the text with control characters other than line ends and tabs spelled out, for a terminal.

    So what a target says, or an input contains, cannot move the cursor, change colours or write to the clipboard.
    """
    return "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)
