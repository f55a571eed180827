"""How numbers are said, and texts shown."""

from bonsai.wording import counted, listed, visible


def test_one_is_not_many() -> None:
    assert [counted(number, "test") for number in (0, 1, 2, 1000)] == [
        "0 tests",
        "1 test",
        "2 tests",
        "1,000 tests",
    ]


def test_what_a_terminal_would_obey_is_spelled_out() -> None:
    assert visible("é\x1b[2J\r\udc80") == "é\\x1b[2J\\r\\udc80"


def test_a_long_list_of_names_is_cut() -> None:
    assert [listed("abcdef"[:length]) for length in (1, 2, 3, 4, 6)] == [
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and 1 more",
        "a, b, c and 3 more",
    ]
