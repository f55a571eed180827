"""Answers come in; golden files go out: every input, and beside it what the target says to it."""

import json
from collections.abc import Sequence

from bonsai.answers import Json
from bonsai.export.expectations import Expectation


def golden_files(known: Sequence[Expectation]) -> dict[str, bytes]:
    """`0001.py` and `0001.py.expected.json`, for each input."""
    files = {}
    for one in known:
        files[one.file.name] = one.file.text.encode("utf-8", "surrogatepass")
        files[f"{one.file.name}.expected.json"] = pretty(one.answer)
    return files


def pretty(answer: Json) -> bytes:
    """JSON that a difference tool can read."""
    return (json.dumps(answer, indent=1) + "\n").encode("ascii")
