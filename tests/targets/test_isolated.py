"""A process that does not answer as it should: each text has its execution, and nothing invented is believed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonsai.errors import BonsaiError
from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.isolated import WROTE_TO_PIPES, IsolatedTarget
from bonsai.targets.process import Program
from bonsai.targets.wire import CRASH, LONGEST_MESSAGE, REPLY, RESULT, SPENT, VALID

FEATURES = 3
# A text is an expression of Python: its value is written into the pipe of results, where `token` is the right one.
SERVER = """
import os, sys, threading
from bonsai.targets.python.channel import Channel
from bonsai.targets.wire import REPLY, RESULT, TOKEN

class Liar(Channel):
    def greet(self, before):
        self.greeting()
        self._write(before)
        self.answer(b'{"features": ["a", "b", "c"]}')

    def reply(self, data):
        self._write(data)
        self._token += 1

def ring_without_end(bell):
    while True:
        os.write(bell, b"x" * 65536)

channel = Liar(*map(int, sys.argv[2:]))
channel.greet(eval(sys.argv[1]))
while True:
    texts, wanted = channel.request()
    for text in texts:
        channel.reply(eval(text, {**globals(), "token": channel._token}))
    channel.ring()
"""


@contextmanager
def serving(greeting: bytes = b"", timeout: float = 20.0) -> Iterator[IsolatedTarget]:
    environment = {"PYTHONPATH": ":".join(sys.path)}
    program = Program((sys.executable, "-c", SERVER, repr(greeting)), environment, b"{}")
    with IsolatedTarget(program, timeout) as target:
        yield target


@pytest.fixture(scope="module")
def target() -> Iterator[IsolatedTarget]:
    with serving() as started:
        yield started


def reply(outcome: int = VALID, mask: int = 1, message: bytes = b"", output: bytes | None = None) -> str:
    """The text for a reply with the right token."""
    result = RESULT.pack(outcome, len(message), -1 if output is None else len(output))
    return f"TOKEN.pack(token) + {result + bytes([mask]) + message + (output or b'')!r}"


GOOD = reply(mask=5)
EXPECTED = Execution(Outcome.VALID, 5)
REFUSED = Execution(Outcome.CRASH, message=WROTE_TO_PIPES)


def test_a_good_reply(target: IsolatedTarget) -> None:
    texts = [GOOD, reply(CRASH, 7, b"why", b"1"), reply(CRASH | SPENT, message=b"x" * LONGEST_MESSAGE), GOOD]
    assert target.execute(texts, Wanted.OUTPUT) == [
        EXPECTED,
        Execution(Outcome.CRASH, 7, "why", "1"),
        Execution(Outcome.CRASH, 1, "x" * LONGEST_MESSAGE),
        EXPECTED,
    ]


@pytest.mark.parametrize(
    "bad",
    [
        reply(outcome=CRASH + 1),
        reply(outcome=0x7F),
        reply(outcome=0xFF),
        reply(mask=1 << FEATURES),
        reply(mask=0xFF),
        reply(message=b"x" * (LONGEST_MESSAGE + 1)),
        "TOKEN.pack(token) + RESULT.pack(0, 0, -2) + b'1'",
        "TOKEN.pack(token) + RESULT.pack(0, 2 ** 32 - 1, -1) + b'1'",
        "TOKEN.pack(token + 1) + RESULT.pack(0, 0, -1) + b'1'",
        "TOKEN.pack(0) + RESULT.pack(0, 0, -1) + b'1'",
        "RESULT.pack(0, 0, -1) + b'1'",
        "bytes([token & 255 ^ 1])",
        "bytes(100)",
        "b'x' * 1_000_000",
    ],
)
def test_what_cannot_be_a_reply_is_a_crash_of_its_text(target: IsolatedTarget, bad: str) -> None:
    assert target.execute([GOOD, bad, GOOD]) == [EXPECTED, REFUSED, EXPECTED]


def test_more_replies_than_texts_are_not_believed(target: IsolatedTarget) -> None:
    twice = f"{GOOD} + TOKEN.pack(token + 1) + RESULT.pack(0, 0, -1) + b'2'"
    thrice = f"{GOOD} + b'x'"
    assert target.execute([GOOD, twice]) == [EXPECTED] * 2
    assert target.execute([GOOD, thrice]) == [EXPECTED] * 2
    assert target.execute([GOOD, GOOD]) == [EXPECTED] * 2


@settings(max_examples=20)
@given(garbage=st.binary(min_size=1, max_size=2 * REPLY.size))
def test_garbage_in_the_pipe_is_a_crash_of_its_text(target: IsolatedTarget, garbage: bytes) -> None:
    assert target.execute([GOOD, f"{garbage!r} + {GOOD}", GOOD]) == [EXPECTED, REFUSED, EXPECTED]


@pytest.mark.slow
def test_a_bell_that_never_stops_ringing() -> None:
    """It neither keeps the loop from reading results nor makes it wait for ever."""
    ringing = f"threading.Thread(target=ring_without_end, args=(channel._bell,)).start() or {GOOD}"
    with serving(timeout=1.0) as target:
        assert target.execute([ringing, GOOD]) == [EXPECTED] * 2
        silent = "threading.Thread(target=ring_without_end, args=(channel._bell,)).start() or b''"
        [execution] = target.execute([silent])
    assert execution.outcome is Outcome.TIMEOUT


@pytest.mark.parametrize("garbage", [b"x", b"x" * 100, bytes(1000)])
def test_a_target_that_writes_to_the_pipes_as_it_starts(garbage: bytes) -> None:
    with pytest.raises(BonsaiError, match=f"{WROTE_TO_PIPES} while it was started"), serving(garbage):
        pass
