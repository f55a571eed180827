"""What a user may call a candidate."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.grading.candidates import Broken, Call, Jar, Limits, Words, read_candidate, start_candidate
from bonsai.targets.execution import Outcome, Wanted
from made_subjects import JSON_DRIVER, SETTINGS, json_subject


def test_commands_and_callables_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("")
    assert read_candidate("package.module:function") == Call("package.module:function", Path())
    assert read_candidate(f"{tmp_path}/mine.py:Class.method") == Call("mine:Class.method", tmp_path)
    assert read_candidate("java -jar 'my checker.jar' {file}") == Words(
        ("java", "-jar", "my checker.jar", "{file}")
    )
    (tmp_path / "mine.jar").write_text("")
    assert read_candidate(f"{tmp_path}/mine.jar") == Jar(tmp_path / "mine.jar", None)
    assert read_candidate(f"{tmp_path}/mine.jar:a.Driver") == Jar(tmp_path / "mine.jar", "a.Driver")
    assert read_candidate("./checker") == Words(("./checker",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("absent.py:check", "there is no file absent.py"),
        ("", "empty"),
        ("   ", "empty"),
        ("echo 'a", "is no command"),
        ("java -jar a.jar {input}", "{input} in the candidate stands for nothing"),
        ("cat {}", "{} in the candidate stands for nothing"),
        ("student.jar", "there is no file student.jar"),
        ("student.jar:Driver", "there is no file student.jar"),
    ],
)
def test_what_is_no_candidate(text: str, words: str) -> None:
    with pytest.raises(BonsaiError) as caught:
        read_candidate(text)
    assert words in str(caught.value)


def test_a_callable_knows_the_exceptions_of_the_subject_but_not_those_of_its_folder(tmp_path: Path) -> None:
    driver = JSON_DRIVER + "\nclass Mine(Exception): ...\n"
    listed = f'{SETTINGS}invalid = ["KeyError", "driver.Mine"]\nunparsed = ["json.JSONDecodeError"]\n'
    subject = json_subject(tmp_path / "subject", driver, listed)
    (tmp_path / "candidate.py").write_text("import json\ndef check(text):\n    return json.loads(text)['a']\n")
    target = start_candidate(read_candidate(f"{tmp_path}/candidate.py:check"), subject, Limits())
    try:
        outcomes = [one.outcome for one in target.execute(['{"a": 1}', "{}", "{", "[]"], Wanted.OUTPUT)]
    finally:
        target.close()
    assert outcomes == [Outcome.VALID, Outcome.INVALID, Outcome.UNPARSED, Outcome.CRASH]


def test_a_callable_in_a_folder_of_the_subject_knows_the_exceptions_there(tmp_path: Path) -> None:
    (tmp_path / "lang.py").write_text("class Wrong(Exception): ...\ndef check(text):\n    raise Wrong\n")
    listed = f'{SETTINGS}path = [".."]\ninvalid = ["lang.Wrong"]\n'
    subject = json_subject(tmp_path / "subject", settings=listed)
    target = start_candidate(read_candidate(f"{tmp_path}/lang.py:check"), subject, Limits())
    try:
        assert target.execute(["{}"])[0].outcome is Outcome.INVALID
    finally:
        target.close()


def test_a_callable_that_cannot_be_started(tmp_path: Path) -> None:
    subject = json_subject(tmp_path / "subject")
    (tmp_path / "candidate.py").write_text("")
    with pytest.raises(Broken, match="the candidate cannot be started: call: there is no check in candidate"):
        start_candidate(read_candidate(f"{tmp_path}/candidate.py:check"), subject, Limits())
    (tmp_path / "candidate.py").write_text("raise KeyError(1)")
    with pytest.raises(Broken) as caught:
        start_candidate(read_candidate(f"{tmp_path}/candidate.py:check"), subject, Limits())
    assert caught.value.message.endswith("importing candidate raised KeyError: 1 (candidate.py:1)")
    assert caught.value.hint.endswith(f"shows more, in {tmp_path}")


def test_a_module_that_is_not_there_is_no_fault_of_the_candidate(tmp_path: Path) -> None:
    with pytest.raises(BonsaiError, match="there is no module absent in") as caught:
        start_candidate(read_candidate("absent.one:check"), json_subject(tmp_path / "subject"), Limits())
    assert not isinstance(caught.value, Broken)
