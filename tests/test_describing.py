"""Captions for a run, by a subject whose target is at hand, or is not."""

from pathlib import Path

from bonsai.captions import Unparsed
from bonsai.corpus import Input
from bonsai.describing import LONGEST_OUTPUT, described
from bonsai.store import Run
from made_subjects import json_subject


def some_run(texts: dict[str, bool], unparsed: list[str]) -> Run:
    corpus = [Input(text, (), valid, 1) for text, valid in texts.items()]
    strange = [Unparsed(text) for text in unparsed]
    return Run({}, ".json", ["f"], corpus, 1, 1, 0, [], [], [], 0.0, strange)


def test_what_the_target_says_is_kept(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject")
    run = described(some_run({"null": True, "[[0]]": False}, []), subject)
    null, nested = run.captions
    assert null.output == '"null"'
    assert null.message == ""
    assert nested.message == "list in a list"
    assert nested.name == "list-in-a-list"
    assert "array" in nested.rules


def test_unparsed_texts_come_with_a_message_and_the_rules_to_look_at(tmp_path: Path) -> None:
    driver = (
        "from bonsai.errors import Unparsed\ndef check(text):\n    if '[' in text: raise Unparsed('no lists')\n"
    )
    subject = json_subject(tmp_path / "subject", driver)
    [found] = described(some_run({"null": True}, ["[0]"]), subject).unparsed
    assert found.message == "no lists"
    assert "array" in found.suspects


def test_long_outputs_are_cut(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject", "def check(text):\n    return 'x' * 100_000\n")
    [caption] = described(some_run({"null": True}, []), subject).captions
    assert caption.output is not None
    assert len(caption.output) == LONGEST_OUTPUT
    assert caption.output.endswith("…")


def test_without_the_target_there_are_captions_all_the_same(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject", "import no_such_module\n")
    run = described(some_run({"[0]": True}, []), subject)
    [caption] = run.captions
    assert caption.output is None
    assert "array" in caption.rules
    [failure] = run.failures
    assert failure.task == "captions"
    assert "no_such_module" in failure.reason
