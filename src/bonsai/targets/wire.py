"""The messages between the fuzzing loop and a target's process, and how they are packed into bytes.

Four pipes, whose descriptors are the process's last arguments, in this order:

- *requests*: first the greeting, a JSON frame whose content is the engine's affair; then one request per batch:
  a token, the number of texts and what is wanted (`REQUEST`), the texts' lengths in bytes (32 bits each), and the
  texts in UTF-8, where lone surrogates are encoded like other characters.
- *results*: first a JSON frame, `{"features": [...]}` or `{"error": message, "hint": hint}`; then one result per
  text, as soon as there is one: a token and `RESULT` (together `REPLY`), the feature mask, the message, the output.
  What was written before the process died can still be read.
- *bell*: one byte at the end of a batch, and whenever `UNANNOUNCED` bytes of results were written since the last.
  The loop sleeps until it rings: waking it for each result would cost more than the result. It is rung after a
  write of at most so many bytes, never before: who hears it finds something to read, and neither waits for ever.
  A process that ends because it has no memory left writes the token of the latest request there before.
- *life*: never written to. The process ends when the loop's end is closed.

The token of a greeting or a request is a random number. The answer to a greeting repeats it, and the result of the
i-th text of a request carries the request's token plus i, so that nothing else that is written into the pipe, by
mistake or twice, is taken for a result.

All numbers are little-endian. This module is loaded into Python targets: it imports nothing but `os` and `struct`.
"""

import os
import struct
from collections.abc import Sequence

TOKEN = struct.Struct("<Q")
FRAME = struct.Struct("<QI")  # token, length of the JSON text that follows
REQUEST = struct.Struct("<QIB")  # token, number of texts, what is wanted
RESULT = struct.Struct("<BIi")  # outcome, length of the message, length of the output or -1
REPLY = struct.Struct(f"<Q{RESULT.format[1:]}")  # token, and what is in a result
LENGTH = 4

FEATURES_WANTED, OUTPUT_WANTED = 0, 1
VALID, INVALID, UNPARSED, CRASH = range(4)
SPENT = 0x80  # added to an outcome: the process wants to be replaced before the next text

UNANNOUNCED = 8192  # small enough for any system's pipes
LONGEST_MESSAGE = 1 << 16  # bytes


def new_token() -> int:
    """Returns a random number that leaves room for counting on."""
    return int.from_bytes(os.urandom(7), "little")


def mask_length(features: int) -> int:
    """How many bytes a feature mask has; bit i of the little-endian number is feature i."""
    return (features + 7) // 8


def frame(token: int, text: bytes) -> bytes:
    """Returns a JSON text with its token and its length."""
    return FRAME.pack(token, len(text)) + text


def pack_request(token: int, texts: Sequence[str], wanted: int) -> bytes:
    """Returns the request for one batch."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = struct.pack(f"<{len(texts)}I", *map(len, encoded))
    return b"".join((REQUEST.pack(token, len(texts), wanted), lengths, *encoded))
