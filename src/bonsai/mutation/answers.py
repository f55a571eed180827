"""What a target did with a text comes in; a digest goes out, the same exactly if nothing observable differs.

Observable are the outcome, the output and the message of an error; of a crash, only that it is one. This module is
loaded into the process of a target.
"""

from hashlib import blake2b

from bonsai.targets.wire import CRASH, RESULT, SPENT

OUTCOMES = ("valid", "invalid", "unparsed", "crash")  # by their numbers in `wire`


def digest(outcome: str, message: str, output: str | None) -> str:
    """The digest of an execution."""
    parts = (outcome,) if outcome == OUTCOMES[CRASH] else (outcome, message, output or "")
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def judged(result: bytes) -> tuple[str, str]:
    """The outcome and the digest of a result, as `wire` has it; whatever features are in it are skipped."""
    number, message_size, output_size = RESULT.unpack_from(result)
    end = len(result) - max(output_size, 0)
    message = result[end - message_size : end].decode("utf-8", "replace")
    output = result[end:].decode("utf-8", "replace") if output_size >= 0 else None
    outcome = OUTCOMES[number & ~SPENT]
    return outcome, digest(outcome, message, output)
