"""Every engine: what a run says about its input, and that texts and outputs arrive as they were sent."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.isolated import IsolatedTarget
from conformance.conftest import Starter


def run(target: IsolatedTarget, text: str, wanted: Wanted = Wanted.OUTPUT) -> Execution:
    [execution] = target.execute([text], wanted)
    return execution


@pytest.mark.parametrize(
    ("text", "outcome", "message", "output"),
    [
        ("anything", Outcome.VALID, "", '"anything"'),
        ("invalid why", Outcome.INVALID, "why", '{"because": "why"}'),
        ("unparsed where", Outcome.UNPARSED, "where", '["unparsed"]'),
        ("refuse this", Outcome.INVALID, "this", "null"),
        ("misread this", Outcome.UNPARSED, "this", "null"),
    ],
)
def test_verdicts(target: IsolatedTarget, text: str, outcome: Outcome, message: str, output: str) -> None:
    execution = run(target, text)
    assert (execution.outcome, execution.message, execution.output) == (outcome, message, output)


CRASHES = {"python": "KeyError: 'it' (conformance_target.", "jvm": "IllegalStateException: it (ConformanceTarget."}


def test_a_crash_says_what_and_where(target: IsolatedTarget, engine: str) -> None:
    execution = run(target, "crash it")
    assert execution.outcome is Outcome.CRASH
    assert execution.message.startswith(CRASHES[engine])
    assert execution.features


def test_a_batch_larger_than_any_pipe(starter: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither side waits for the other: nothing takes so long that it needs a second chance."""
    target = starter(timeout=10.0)
    monkeypatch.setattr(IsolatedTarget, "_alone", lambda *_: pytest.fail("it hangs"))
    texts = [f"{number} {'x' * length}" for number, length in enumerate([2_000] * 150 + [300_000] + [2_000] * 50)]
    assert [one.output for one in target.execute(texts, Wanted.OUTPUT)] == [json.dumps(text) for text in texts]


def test_no_output_unless_wanted(target: IsolatedTarget) -> None:
    assert run(target, "text", Wanted.FEATURES).output is None
    assert run(target, "invalid", Wanted.FEATURES).output is None


def test_features_tell_branches_apart(target: IsolatedTarget) -> None:
    left, right, neither, again = target.execute(["branch left", "branch right", "branch", "branch left"])
    assert left.features == again.features
    assert len({left.features, right.features, neither.features}) == 3
    assert not left.features & ~((1 << len(target.features)) - 1)


def test_features_do_not_depend_on_what_ran_before(target: IsolatedTarget) -> None:
    texts = ["branch left", "crash", "invalid", "text"]
    assert target.execute(texts) == target.execute(texts[::-1])[::-1]


def test_feature_names_are_the_same_in_every_process(target: IsolatedTarget, starter: Starter) -> None:
    other = starter()
    assert other.features == target.features
    assert len(set(target.features)) == len(target.features)
    texts = ["branch left", "crash", "invalid", "unparsed"]
    assert other.execute(texts) == target.execute(texts)


def test_omitted_features_are_never_exercised(target: IsolatedTarget, starter: Starter) -> None:
    texts = ["branch left", "branch right", "branch", "invalid", "text"]
    everything = target.execute(texts)
    omit = frozenset(range(0, len(target.features), 2))
    fewer = starter(omit=omit)
    mask = sum(1 << number for number in omit)
    assert fewer.features == target.features
    assert [e.features for e in fewer.execute(texts)] == [e.features & ~mask for e in everything]


@given(texts=st.lists(st.text(st.characters(), max_size=20)))  # st.characters() has lone surrogates and NUL
def test_texts_arrive_as_they_are(target: IsolatedTarget, texts: list[str]) -> None:
    executions = target.execute([f"= {text}" for text in texts], Wanted.OUTPUT)
    assert [json.loads(e.output or "") for e in executions] == [
        json.loads(json.dumps(f"= {text}")) for text in texts
    ]


@pytest.mark.parametrize("text", ["", "\n", "\r\n", "\0", "\ud800", "\ud83d\ude00", "😀", "a\u2028b", "\ufeff"])
def test_peculiar_texts(target: IsolatedTarget, text: str) -> None:
    assert json.loads(run(target, text).output or "") == json.loads(json.dumps(text))


def test_an_empty_batch(target: IsolatedTarget) -> None:
    assert target.execute([]) == []


def test_order_is_kept_in_a_large_batch(target: IsolatedTarget) -> None:
    texts = [f"text {number}" for number in range(5000)]
    assert [e.output for e in target.execute(texts, Wanted.OUTPUT)] == [f'"{text}"' for text in texts]


@pytest.fixture(scope="module")
def patient(starter: Starter) -> IsolatedTarget:
    """A target whose time does not run out on a busy machine."""
    return starter(timeout=30.0)


def test_a_huge_input(patient: IsolatedTarget) -> None:
    text = "é" * 5_000_000
    assert json.loads(run(patient, text).output or "") == text


@pytest.mark.parametrize("length", [8191, 8192, 65536, 20_000_000])
def test_a_huge_output(patient: IsolatedTarget, length: int) -> None:
    first, second = patient.execute([f"large {length}", "text"], Wanted.OUTPUT)
    assert len(first.output or "") == length + 2
    assert second.output == '"text"'


@pytest.mark.parametrize("text", ["deep 100000", "strange"])
def test_an_output_that_is_no_json(target: IsolatedTarget, text: str) -> None:
    execution = run(target, text)
    assert (execution.outcome, execution.output) == (Outcome.VALID, "null")
    assert execution.message.startswith("the output is no JSON")


def test_the_surroundings_are_the_same_everywhere(starter: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(starter(), "environment").output
    monkeypatch.setenv("PYTHONHASHSEED", "123")
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=de -Dfile.encoding=US-ASCII")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(Path("/"))
    assert run(starter(), "environment").output == first
