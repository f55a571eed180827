"""The state of a fuzzer comes in; bytes go out, and back: compressed JSON, which anyone may read.

Sets of features are written as hexadecimal numbers: a target may have tens of thousands. The states of many nodes
hold mostly the same inputs, so those that are read again share them.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from typing import Any
from weakref import WeakValueDictionary

from bonsai.cbgf import Finding, Growth, State, Tally
from bonsai.corpus import Input
from bonsai.dedup import SeenState
from bonsai.ending import Ending
from bonsai.errors import BonsaiError
from bonsai.feedback import Discovery
from bonsai.targets.execution import Outcome


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of a task as it is kept: how it ended, its state, and if it has failed, why."""

    ending: Ending
    state: bytes
    reason: str = ""


def to_bytes(state: State) -> bytes:
    """A state, written down."""
    tally = asdict(state.tally)
    tally["outcomes"] = {outcome.value: times for outcome, times in state.tally.outcomes.items()}
    tally["unstable"] = hex(state.tally.unstable)
    discovery = state.discovery
    record = {
        "members": [(one.text, one.choices, one.valid, hex(one.features)) for one in state.members],
        "cycle": state.cycle,
        "novelty": list(state.novelty.items()),
        "seen": [b64encode(part).decode() for part in astuple(state.seen)],
        "tally": tally,
        "discovery": [discovery.observations, hex(discovery.once), hex(discovery.twice)],
        "findings": [(one.outcome.value, one.message, one.text, one.times) for one in state.findings],
        "unparsed": state.unparsed,
        "growth": [astuple(point) for point in state.growth],
        "seconds": state.seconds,
    }
    return zlib.compress(json.dumps(record).encode(), level=1)


def from_bytes(data: bytes) -> State:
    """Returns the state that `to_bytes` wrote. Raises an error if the bytes are something else."""
    with reading():
        return _state(json.loads(zlib.decompress(data)))


def is_readable(data: bytes) -> bool:
    """Returns whether the bytes are the state of a fuzzer, or another record that names its kind."""
    try:
        with reading():
            record = json.loads(zlib.decompress(data))
            if "kind" not in record:
                _state(record)
    except BonsaiError:
        return False
    return True


@contextmanager
def reading() -> Iterator[None]:
    """Raises one error for all that can be wrong with what is read within."""
    try:
        yield
    except (zlib.error, AttributeError, IndexError, KeyError, TypeError, ValueError):
        hint = "restore it from a copy, or make a new run in another folder"
        raise BonsaiError("the run is damaged: what one of its nodes has done cannot be read", hint) from None


def _state(record: dict[str, Any]) -> State:
    tally = record["tally"]
    tally["outcomes"] = {Outcome(name): times for name, times in tally["outcomes"].items()}
    tally["unstable"] = int(tally["unstable"], 16)
    observations, once, twice = record["discovery"]
    return State(
        members=tuple(
            _shared(Input(text, tuple(choices), valid, int(features, 16)))
            for text, choices, valid, features in record["members"]
        ),
        cycle=tuple(record["cycle"]),
        novelty=dict(record["novelty"]),
        seen=SeenState(*map(b64decode, record["seen"])),
        tally=Tally(**tally),
        discovery=Discovery(observations, int(once, 16), int(twice, 16)),
        findings=tuple(Finding(Outcome(outcome), *rest) for outcome, *rest in record["findings"]),
        unparsed=record["unparsed"],
        growth=tuple(Growth(*point) for point in record["growth"]),
        seconds=record["seconds"],
    )


_inputs: WeakValueDictionary[str, Input] = WeakValueDictionary()


def _shared(one: Input) -> Input:
    """An equal input that was read before and is still in use, otherwise this one."""
    known = _inputs.get(one.text)
    if known is not None and (known.choices, known.valid, known.features) == (one.choices, one.valid, one.features):
        return known
    _inputs[one.text] = one
    return one
