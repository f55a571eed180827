"""A grammar without some of its names derives exactly the programs that need none of them."""

import re
import shutil
from pathlib import Path

import pytest

from bonsai.bounds import Bounds
from bonsai.choices import Draws
from bonsai.errors import BonsaiError
from bonsai.grammar.lark_reader import read_lark_text
from bonsai.grammar.without import unknown_names, without
from bonsai.sampler import Sampler
from bonsai.subject import BUNDLED, load_subject

GRAMMAR = """
start: item ("," item)* [tail] | "only" rare
item: A | rare | ("x" | "y") A
tail: "!" rare
rare: "~" A
A: /a/
"""


@pytest.mark.parametrize(
    ("names", "programs"),
    [
        ([","], {"a", "~ a", "x a", "y a", "a ! ~ a", "~ a ! ~ a", "x a ! ~ a", "y a ! ~ a", "only ~ a"}),
        ([",", "rare"], {"a", "x a", "y a"}),
        ([",", "~", "x"], {"a", "y a"}),
        ([",", "tail", "x", "y"], {"a", "~ a", "only ~ a"}),
        ([",", "item"], {"only ~ a"}),
    ],
)
def test_what_is_left(names: list[str], programs: set[str]) -> None:
    grammar = without(read_lark_text(GRAMMAR), names)
    assert grammar is not None
    sampler, draws = Sampler(grammar, Bounds(2, 2, 2)), Draws(0)
    drawn = {sampler.sample(draws)[0] for _ in range(300)}
    assert {re.sub(r"\s", "", text) for text in drawn} == {re.sub(r"\s", "", text) for text in programs}


def test_what_cannot_be_reached_is_gone() -> None:
    grammar = without(read_lark_text(GRAMMAR), ["~"])
    assert grammar is not None
    assert set(grammar.rules) == {"start", "item"}


def test_nothing_left_and_names_that_mean_nothing() -> None:
    grammar = read_lark_text(GRAMMAR)
    assert without(grammar, ["A"]) is None
    assert unknown_names(grammar, ["A", "~", "rare", "z"]) == ["z"]


@pytest.fixture
def closure(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLED / "closure", tmp_path / "closure"))


def test_closure_in_es5(closure: Path) -> None:
    """With the list in its bonsai.toml, as it is."""
    toml = (closure / "bonsai.toml").read_text(encoding="utf-8")
    listed = re.search(r"# without = \[.*?\]\n", toml, re.DOTALL)
    assert listed
    active = re.sub(r"^# *", "", listed[0], flags=re.MULTILINE)
    (closure / "bonsai.toml").write_text(toml.replace(listed[0], active), encoding="utf-8")
    grammar = load_subject(closure).grammar
    newer = re.compile(r"=>|`|\.\.\.|\*\*|\b(class|let|const|async|await|yield|import|export|of|super|target)\b")
    sampler, draws = Sampler(grammar, Bounds(2, 2, 2)), Draws(0)
    texts = [sampler.sample(draws)[0] for _ in range(300)]
    assert not [text for text in texts if newer.search(text) or re.search(r"function ?\*|\] = |\} = ", text)]
    assert any("function" in text for text in texts)


@pytest.mark.parametrize(
    ("names", "message"), [('"nowhere"', "there is no 'nowhere' in the grammar"), ('"program"', "nothing is left")]
)
def test_what_is_wrong_is_said(closure: Path, names: str, message: str) -> None:
    path = closure / "bonsai.toml"
    path.write_text(path.read_text("utf-8").replace("soft =", f"without = [{names}]\nsoft ="), encoding="utf-8")
    with pytest.raises(BonsaiError, match=message):
        load_subject(closure)
