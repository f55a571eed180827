"""The state of a fuzzer comes in; bytes go out, and back: compressed JSON, which anyone may read."""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import asdict, astuple
from typing import Any

from bonsai.cbgf import Finding, Growth, State, Tally
from bonsai.corpus import Input
from bonsai.dedup import SeenState
from bonsai.feedback import Discovery
from bonsai.targets.execution import Outcome


def to_bytes(state: State) -> bytes:
    """A state, written down."""
    tally = asdict(state.tally)
    tally["outcomes"] = {outcome.value: times for outcome, times in state.tally.outcomes.items()}
    record = {
        "members": [(one.text, one.choices, one.valid, hex(one.features)) for one in state.members],
        "cycle": state.cycle,
        "novelty": list(state.novelty.items()),
        "seen": [b64encode(part).decode() for part in astuple(state.seen)],
        "tally": tally,
        "discovery": asdict(state.discovery),
        "findings": [(one.outcome.value, one.message, one.text, one.times) for one in state.findings],
        "unparsed": state.unparsed,
        "growth": [astuple(point) for point in state.growth],
        "seconds": state.seconds,
    }
    return zlib.compress(json.dumps(record).encode(), level=1)


def from_bytes(data: bytes) -> State:
    """What `to_bytes` wrote."""
    record: dict[str, Any] = json.loads(zlib.decompress(data))
    tally = record["tally"]
    outcomes = {Outcome(name): times for name, times in tally.pop("outcomes").items()}
    return State(
        members=tuple(
            Input(text, tuple(choices), valid, int(features, 16))
            for text, choices, valid, features in record["members"]
        ),
        cycle=tuple(record["cycle"]),
        novelty=dict(record["novelty"]),
        seen=SeenState(*map(b64decode, record["seen"])),
        tally=Tally(outcomes=outcomes, **tally),
        discovery=Discovery(**record["discovery"]),
        findings=tuple(Finding(Outcome(outcome), *rest) for outcome, *rest in record["findings"]),
        unparsed=record["unparsed"],
        growth=tuple(Growth(*point) for point in record["growth"]),
        seconds=record["seconds"],
    )
