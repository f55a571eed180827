"""The frames between the fuzzing loop and a target's process: values come in, bytes go out, and back.

Four pipes, whose descriptors are the process's last arguments, in this order:

- *requests*: first the greeting, a JSON frame whose content is the engine's affair; then one request per batch:
  the number of texts and what is wanted (`REQUEST`), the texts' lengths in bytes (32 bits each), and the texts in
  UTF-8, where lone surrogates are encoded like other characters.
- *results*: first a JSON frame, `{"features": [...]}` or `{"error": message, "hint": hint}`; then one result per
  text, as soon as there is one: `RESULT`, the feature mask, the message, the output. What was written before the
  process died can still be read.
- *bell*: one byte at the end of a batch, and whenever `UNANNOUNCED` bytes of results were written since the last.
  The loop sleeps until it rings: waking it for each result would cost more than the result. It is rung after a
  write of at most so many bytes, never before: who hears it finds something to read, and neither waits for ever.
- *life*: never written to. The process ends when the loop's end is closed.

All numbers are little-endian. This module is loaded into Python targets: it imports nothing but `struct`.
"""

import struct
from collections.abc import Sequence

FRAME = struct.Struct("<I")  # length of the JSON text that follows
REQUEST = struct.Struct("<IB")  # number of texts, what is wanted
RESULT = struct.Struct("<BIi")  # outcome, length of the message, length of the output or -1
LENGTH = 4

FEATURES_WANTED, OUTPUT_WANTED = 0, 1
VALID, INVALID, UNPARSED, CRASH = range(4)
SPENT = 0x80  # added to an outcome: the process wants to be replaced before the next text

UNANNOUNCED = 8192  # small enough for any system's pipes
OUT_OF_MEMORY = 77  # the exit status of a process that cannot even say so


def mask_length(features: int) -> int:
    """How many bytes a feature mask has; bit i of the little-endian number is feature i."""
    return (features + 7) // 8


def frame(text: bytes) -> bytes:
    """A JSON text with its length."""
    return FRAME.pack(len(text)) + text


def pack_request(texts: Sequence[str], wanted: int) -> bytes:
    """One batch."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = struct.pack(f"<{len(texts)}I", *map(len, encoded))
    return b"".join((REQUEST.pack(len(texts), wanted), lengths, *encoded))
