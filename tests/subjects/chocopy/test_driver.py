import pytest

from bonsai.errors import Invalid, Unparsed
from bonsai.subjects.chocopy import analyse
from bonsai.subjects.chocopy.driver import check


def test_a_valid_program_gives_its_tree() -> None:
    assert check("x:int = 1\nx\n") == analyse("x:int = 1\nx\n")


def test_a_semantic_error_is_invalid() -> None:
    with pytest.raises(Invalid, match="Not a variable: x") as caught:
        check("x\n")
    assert not isinstance(caught.value, Unparsed)
    assert caught.value.output == analyse("x\n")


def test_a_syntax_error_is_unparsed() -> None:
    with pytest.raises(Unparsed, match="Parse error") as caught:
        check("x x\n")
    assert caught.value.output == analyse("x x\n")
