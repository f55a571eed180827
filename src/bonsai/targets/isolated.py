"""Executes texts in the process of a target, and replaces the process when it breaks."""

import json
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from bonsai.errors import BonsaiError, TargetLost
from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.process import Died, Hung, Killed, Process, Program, complaint
from bonsai.targets.wire import (
    CRASH,
    FEATURES_WANTED,
    FRAME,
    LONGEST_MESSAGE,
    OUTPUT_WANTED,
    REPLY,
    SPENT,
    TOKEN,
    frame,
    mask_length,
    new_token,
    pack_request,
)

STARTING = 120.0  # seconds for a target to be ready: imports can be slow
# A request fits into a pipe: sending it never waits for the process, which may wait for its results to be read. A
# text counts one more than its length, and a character has at most four bytes; a longer text goes alone.
MOST_CHARACTERS = 12_000
SECOND_CHANCE = 5  # how many times the limit a text gets that is run again, in a fresh process
# A text is to blame for a death only if that recurs in a fresh process. SIGKILL mostly comes from somebody else.
DEATHS, KILLS = 2, 4
PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0)  # seconds between the attempts to start a target again
STARTS_KILLED = 20  # how often a process may be killed while it is being started
WROTE_TO_PIPES = "the target wrote to Bonsai's own pipes"
_OUTCOMES = (Outcome.VALID, Outcome.INVALID, Outcome.UNPARSED, Outcome.CRASH)  # by their numbers in `wire`
_ENDED = "the target ended while it was started"
_WANTED = {Wanted.FEATURES: FEATURES_WANTED, Wanted.OUTPUT: OUTPUT_WANTED}


class _KilledAtStart(BonsaiError):
    """Somebody has killed a process that was being started."""


class IsolatedTarget:
    """A `Target` of any engine: its program speaks the protocol of `wire`.

    A time-out, a death, and whatever else ends a process count only if they recur in a fresh process: neither what
    the texts before may have left behind nor a signal from elsewhere is a text's own doing.
    Not for use by several threads at once.
    """

    def __init__(self, program: Program, timeout: float) -> None:
        self._program = program
        self._timeout = timeout
        self._process: Process | None = None
        self._features: tuple[str, ...] | None = None
        self._served = 0  # texts that the process has answered
        self._is_lost = False  # whether it did not start again when it was last tried
        self._running()

    @property
    def features(self) -> Sequence[str]:
        return self._features or ()

    def execute(self, texts: Sequence[str], wanted: Wanted = Wanted.FEATURES) -> list[Execution]:
        """Run the target on each text, in order."""
        executions: list[Execution] = []
        while len(executions) < len(texts):
            try:
                spent = self._run(_request(texts, len(executions)), wanted, self._timeout, executions)
                if spent and self._served > 1 and executions[-1].outcome is Outcome.CRASH:
                    executions[-1] = self._alone(texts[len(executions) - 1], wanted)
            except Hung:
                executions.append(self._alone(texts[len(executions)], wanted))
            except Died:
                executions.append(self._alone(texts[len(executions)], wanted, deaths=1))
        return executions

    def close(self) -> None:
        """Stop the target; executing something starts it again."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _alone(self, text: str, wanted: Wanted, deaths: int = 0) -> Execution:
        """Run a text as the first of a process; again, if the process dies and has died too seldom so far."""
        while True:
            executions: list[Execution] = []
            try:
                self._run([text], wanted, SECOND_CHANCE * self._timeout, executions)
                return executions[0]
            except Hung:
                return Execution(Outcome.TIMEOUT, message=too_slow(self._timeout))
            except Died as death:
                deaths += 1
                if deaths >= (KILLS if isinstance(death, Killed) else DEATHS):
                    return Execution(Outcome.CRASH, message=str(death))

    def _run(self, texts: Sequence[str], wanted: Wanted, limit: float, executions: list[Execution]) -> bool:
        """Add the executions of the texts, up to one that the process did not survive or wants to be its last.

        Returns whether there was one that it wants to be its last.
        """
        process = self._running()
        token = new_token()
        reader = _Reader(process.received, token, len(texts), len(self.features))
        try:
            process.send(pack_request(token, texts, _WANTED[wanted]), limit)
            while reader.left:
                process.receive(limit)
                before = len(executions)
                reader.take(executions)
                self._served += len(executions) - before
            if reader.spent or process.received:  # nothing that a process says unasked is worth anything
                self.close()
            return reader.spent
        except Died as death:
            cause = death if str(death) else process.death(token)
            self.close()
            raise cause from None
        except BaseException:  # an interruption as well: the results still to come belong to no later request
            self.close()
            raise

    # Starting

    def _running(self) -> Process:
        """Returns the process, which is started or restarted if need be."""
        if self._process is not None and self._process.has_died():
            self.close()  # between two batches, so no text is to blame
        if self._process is None:
            self._start()
        assert self._process is not None
        return self._process

    def _start(self) -> None:
        """Start the process; again, if it is killed meanwhile, or if it has started before and now does not.

        Raises `TargetLost` if a target that has started before does not start again. Once that has happened, later
        calls do not wait for it.
        """
        is_awaited = self._features is not None and not self._is_lost
        kills, pauses = 0, iter(PAUSES if is_awaited else ())
        begun = time.monotonic()
        while True:
            try:
                features = self._start_once()
                break
            except BonsaiError as error:
                if isinstance(error, _KilledAtStart) and kills < STARTS_KILLED:
                    kills, pause = kills + 1, PAUSES[0]
                elif (pause := next(pauses, 0.0)) == 0 or time.monotonic() - begun > 2 * STARTING:
                    raise self._lost(error) from None
                time.sleep(pause)
        if self._features is not None and features != self._features:
            self.close()
            raise TargetLost("the target has changed since it was started", "start again")
        self._features = features
        self._is_lost = False

    def _lost(self, error: BonsaiError) -> BonsaiError:
        self._is_lost = self._features is not None
        return TargetLost(error.message, error.hint) if self._is_lost else error

    def _start_once(self) -> tuple[str, ...]:
        try:
            self._process, self._served = Process(self._program), 0
        except OSError as error:
            hint = "does this machine have too many processes or open files?"
            raise BonsaiError(f"a process for the target could not be started: {error.strerror}", hint) from None
        try:
            return tuple(self._greet(self._process))
        except BaseException:
            self.close()
            raise

    def _greet(self, process: Process) -> Sequence[str]:
        token = new_token()
        try:
            process.send(frame(token, self._program.greeting), STARTING)
            answer = _read_answer(process, token)
        except Hung:
            message = f"the target was not ready within {STARTING:g} seconds"
            raise BonsaiError(message, self._program.hint) from None
        except Died as death:
            cause = death if str(death) else process.death(token)
            if isinstance(cause, Killed):
                raise _KilledAtStart(f"{_ENDED}: {cause}", self._program.hint) from None
            if str(cause) == WROTE_TO_PIPES:
                raise BonsaiError(f"{WROTE_TO_PIPES} while it was started", self._program.hint) from None
            words = [str(cause), complaint(self._program, STARTING)]
            raise BonsaiError(f"{_ENDED}: {': '.join(filter(None, words))}", self._program.hint) from None
        if "error" in answer:
            raise BonsaiError(answer["error"], answer.get("hint", self._program.hint))
        features: list[str] = answer["features"]
        return features


class _Reader:
    """Takes the results of one request out of what was received; raises `Died` for what cannot be one."""

    def __init__(self, received: bytearray, token: int, texts: int, features: int) -> None:
        self._received = received
        self._token = token
        self._features = features
        self.left = texts  # results still to come
        self.spent = False  # whether the process wants to be replaced

    def take(self, executions: list[Execution]) -> None:
        """Add the executions whose results are complete."""
        received, header, features = self._received, REPLY.size, self._features
        mask_size, token, position = mask_length(features), self._token, 0
        while self.left and len(received) - position >= header:
            found, outcome, message_size, output_size = REPLY.unpack_from(received, position)
            if found != token or outcome & ~SPENT > CRASH or message_size > LONGEST_MESSAGE or output_size < -1:
                raise Died(WROTE_TO_PIPES)
            mask_end = position + header + mask_size
            message_end = mask_end + message_size
            output_end = message_end + max(output_size, 0)
            if len(received) < output_end:
                break
            mask = int.from_bytes(received[position + header : mask_end], "little")
            if mask.bit_length() > features:
                raise Died(WROTE_TO_PIPES)
            message = received[mask_end:message_end].decode("utf-8", "replace") if message_size else ""
            output = received[message_end:output_end].decode("utf-8", "replace") if output_size >= 0 else None
            executions.append(Execution(_OUTCOMES[outcome & ~SPENT], mask, message, output))
            position, token, self.left = output_end, token + 1, self.left - 1
            if outcome >= SPENT:
                self.spent, self.left = True, 0
        if self.left and not TOKEN.pack(token).startswith(received[position : position + TOKEN.size]):
            raise Died(WROTE_TO_PIPES)  # at once: the rest may never come
        self._token = token
        del received[:position]


def too_slow(timeout: float) -> str:
    """What to say of a text that had its second chance, too."""
    return f"no answer within {timeout:g} seconds, nor within {SECOND_CHANCE * timeout:g} when tried again"


def _request(texts: Sequence[str], start: int) -> Sequence[str]:
    """As many texts from there on as fit into one request, and at least one."""
    room, end = MOST_CHARACTERS, start
    while end < len(texts) and (room := room - len(texts[end]) - 1) >= 0:
        end += 1
    return texts[start : max(end, start + 1)]


def _read_answer(process: Process, token: int) -> dict[str, Any]:
    """Returns the answer to a greeting; raises `Died` for what cannot be one."""
    received = process.received
    while len(received) < FRAME.size:
        process.receive(STARTING)
    found, length = FRAME.unpack_from(received)
    if found != token:
        raise Died(WROTE_TO_PIPES)
    end = FRAME.size + length
    while len(received) < end:
        process.receive(STARTING)
    try:
        answer = json.loads(received[FRAME.size : end])
    except ValueError:
        raise Died(WROTE_TO_PIPES) from None
    if not (isinstance(answer, dict) and answer.keys() & {"features", "error"}):
        raise Died(WROTE_TO_PIPES)
    del received[:end]
    return answer
