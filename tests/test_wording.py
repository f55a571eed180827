"""How numbers are said."""

from bonsai.wording import counted


def test_one_is_not_many() -> None:
    assert [counted(number, "test") for number in (0, 1, 2, 1000)] == [
        "0 tests",
        "1 test",
        "2 tests",
        "1,000 tests",
    ]
