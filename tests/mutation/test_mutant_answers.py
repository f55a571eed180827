"""What mutants answer is compared by digests."""

import pytest

from bonsai.mutation.answers import digest, judged
from bonsai.targets.wire import INVALID, RESULT, VALID


@pytest.mark.parametrize("features", [b"", b"\x05", b"\x00\xff\x01"])
def test_features_are_no_part_of_an_answer(features: bytes) -> None:
    said = RESULT.pack(INVALID, 3, 2) + features + b"no!" + b"{}"
    assert judged(said) == ("invalid", digest("invalid", "no!", "{}"))
    quiet = RESULT.pack(VALID, 0, -1) + features
    assert judged(quiet) == ("valid", digest("valid", "", None))
