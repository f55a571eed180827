"""Texts come in; executions go out, whatever the target does: a process that breaks is replaced."""

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from bonsai.errors import BonsaiError, TargetLost
from bonsai.targets.execution import Execution, Outcome, Wanted
from bonsai.targets.process import Died, Hung, Process, Program, complaint
from bonsai.targets.wire import (
    FEATURES_WANTED,
    FRAME,
    OUTPUT_WANTED,
    RESULT,
    SPENT,
    frame,
    mask_length,
    pack_request,
)

STARTING = 120.0  # seconds for a target to be ready: imports can be slow
# A request fits into a pipe: sending it never waits for the process, which may wait for its results to be read. A
# text counts one more than its length, and a character has at most four bytes; a longer text goes alone.
MOST_CHARACTERS = 12_000
SECOND_CHANCE = 5  # how many times the limit a text gets that is run again, in a fresh process
_OUTCOMES = (Outcome.VALID, Outcome.INVALID, Outcome.UNPARSED, Outcome.CRASH)  # by their numbers in `wire`
_WANTED = {Wanted.FEATURES: FEATURES_WANTED, Wanted.OUTPUT: OUTPUT_WANTED}


class IsolatedTarget:
    """A `Target` of any engine: its program speaks the protocol of `wire`.

    A time-out, a death, and what ends a process otherwise count only if they recur in a fresh process: the texts
    before, which may have left something behind, are not a text's own doing.
    Not for use by several threads at once.
    """

    def __init__(self, program: Program, timeout: float) -> None:
        self._program = program
        self._timeout = timeout
        self._process: Process | None = None
        self._features: tuple[str, ...] | None = None
        self._served = 0  # texts that the process has answered
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
            except Died as death:
                crash = Execution(Outcome.CRASH, message=str(death))
                executions.append(self._alone(texts[len(executions)], wanted) if self._served else crash)
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

    def _alone(self, text: str, wanted: Wanted) -> Execution:
        """Run a text as the first of a process."""
        limit = SECOND_CHANCE * self._timeout
        executions: list[Execution] = []
        try:
            self._run([text], wanted, limit, executions)
        except Hung:
            return Execution(Outcome.TIMEOUT, message=too_slow(self._timeout))
        except Died as death:
            return Execution(Outcome.CRASH, message=str(death))
        return executions[0]

    def _run(self, texts: Sequence[str], wanted: Wanted, limit: float, executions: list[Execution]) -> bool:
        """Add the executions of the texts, up to one that the process did not survive or wants to be its last.

        Returns whether there was one that it wants to be its last.
        """
        process = self._running()
        end = len(executions) + len(texts)
        try:
            process.send(pack_request(texts, _WANTED[wanted]), limit)
            while len(executions) < end:
                process.receive(limit)
                if self._take(process.received, executions):
                    self.close()
                    return True
            return False
        except Died:
            message = process.last_words()
            self.close()
            raise Died(message) from None
        except BaseException:  # an interruption as well: the results still to come belong to no later request
            self.close()
            raise

    def _take(self, received: bytearray, executions: list[Execution]) -> bool:
        """Move complete results; returns whether the process wants to be replaced."""
        mask_size = mask_length(len(self.features))
        header, position, spent = RESULT.size, 0, False
        while not spent and len(received) - position >= header:  # what a spent process says later is worth nothing
            outcome, message_size, output_size = RESULT.unpack_from(received, position)
            mask_end = position + header + mask_size
            message_end = mask_end + message_size
            output_end = message_end + max(output_size, 0)
            if len(received) < output_end:
                break
            features = int.from_bytes(received[position + header : mask_end], "little")
            message = received[mask_end:message_end].decode("utf-8", "replace") if message_size else ""
            output = received[message_end:output_end].decode("utf-8", "replace") if output_size >= 0 else None
            spent = outcome >= SPENT
            executions.append(Execution(_OUTCOMES[outcome & ~SPENT], features, message, output))
            self._served += 1
            position = output_end
        del received[:position]
        return spent

    # Starting

    def _running(self) -> Process:
        """The process, started or restarted if need be."""
        if self._process is not None and self._process.has_died():
            self.close()  # between two batches, so no text is to blame
        if self._process is None:
            self._process, self._served = Process(self._program), 0
            try:
                features = tuple(self._greet(self._process))
                if self._features is not None and features != self._features:
                    raise BonsaiError("the target has changed since it was started", "start again")
            except BaseException as error:
                self.close()
                if isinstance(error, BonsaiError) and self._features is not None:
                    raise TargetLost(error.message, error.hint) from None
                raise
            self._features = features
        return self._process

    def _greet(self, process: Process) -> Sequence[str]:
        try:
            process.send(frame(self._program.greeting), STARTING)
            answer = _read_frame(process)
        except Hung:
            message = f"the target was not ready within {STARTING:g} seconds"
            raise BonsaiError(message, self._program.hint) from None
        except Died:
            words = [process.last_words(), complaint(self._program, STARTING)]
            message = f"the target ended while it was started: {': '.join(filter(None, words))}"
            raise BonsaiError(message, self._program.hint) from None
        if "error" in answer:
            raise BonsaiError(answer["error"], answer["hint"])
        features: list[str] = answer["features"]
        return features


def too_slow(timeout: float) -> str:
    """What to say of a text that had its second chance, too."""
    return f"no answer within {timeout:g} seconds, nor within {SECOND_CHANCE * timeout:g} when tried again"


def _request(texts: Sequence[str], start: int) -> Sequence[str]:
    """As many texts from there on as fit into one request, and at least one."""
    room, end = MOST_CHARACTERS, start
    while end < len(texts) and (room := room - len(texts[end]) - 1) >= 0:
        end += 1
    return texts[start : max(end, start + 1)]


def _read_frame(process: Process) -> Any:
    received = process.received
    size = FRAME.size
    while len(received) < size or len(received) < size + FRAME.unpack_from(received)[0]:
        process.receive(STARTING)
    end = size + FRAME.unpack_from(received)[0]
    answer = json.loads(received[size:end])
    del received[:end]
    return answer
