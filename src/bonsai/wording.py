"""Numbers come in; how people would say them goes out."""


def counted(number: int, noun: str) -> str:
    """`1 test`, `2 tests`, `1,000 tests`."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """The noun that goes with a number; how many are called, if that does not end in another s."""
    return noun if number == 1 else many or f"{noun}s"
