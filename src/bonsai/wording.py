"""Numbers come in; how people would say them goes out."""


def counted(number: int, noun: str) -> str:
    """`1 test`, `2 tests`, `1,000 tests`."""
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"
