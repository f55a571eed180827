"""A fuzzer on a target that misbehaves in every way: all findings are recorded, nothing else is lost."""

import json
import shutil
from pathlib import Path

import pytest

import bonsai
from bonsai.budget import Executions
from bonsai.subject import BUNDLED
from bonsai.targets.execution import Outcome

DRIVER = """
import os, sys, time

def kind(text):
    if text == "[0.5]": raise SystemExit(3)
    if text == "[1e9]": os._exit(4)
    if text == "[-1]": os.kill(os.getpid(), 11)
    if text == "[null]": time.sleep(60)
    if text == "[true]": return [0] * 10**9
    if text == "[[false]]": raise ZeroDivisionError("found me")
    if "[" in text:
        return "list"
    return "other"

def check(text):
    print("noise")
    return kind(text)
"""

SETTINGS = """
[target]
engine = "python"
call = "driver:check"
cover = ["driver"]
timeout = "300ms"
memory = "256MiB"
"""


@pytest.fixture
def subject(tmp_path: Path) -> bonsai.Subject:
    folder = tmp_path / "faulty"
    shutil.copytree(BUNDLED / "json", folder)
    (folder / "driver.py").write_text(DRIVER)
    settings = (folder / "bonsai.toml").read_text()
    (folder / "bonsai.toml").write_text(settings + SETTINGS)
    return bonsai.load_subject(folder)


def test_every_finding_is_recorded_and_nothing_is_lost(subject: bonsai.Subject) -> None:
    run = bonsai.fuzz(subject, bounds=bonsai.Bounds(1, 1, 3), budget=Executions(400), seed=3)
    assert run.nodes[0].executions > 50
    messages = {(finding.outcome, finding.message) for finding in run.findings}
    for outcome, words in (
        (Outcome.CRASH, "SystemExit"),
        (Outcome.CRASH, "status 4"),
        (Outcome.CRASH, "SIGSEGV"),
        (Outcome.CRASH, "ZeroDivisionError"),
        (Outcome.TIMEOUT, ""),
    ):
        assert any(found is outcome and words in message for found, message in messages), (words, messages)
    assert any("emory" in message or outcome is Outcome.TIMEOUT for outcome, message in messages)
    texts = [one.text for one in run.corpus]
    assert not {"[0.5]", "[1e9]", "[-1]", "[null]", "[true]", "[[false]]"} & set(texts)
    assert any("[" in text for text in texts)
    assert any("[" not in text for text in texts)
    assert json.dumps(run.summary())
