"""A text such as `2s` or `10m` comes in; seconds go out."""

import re

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float | None:
    """The seconds of a duration that is longer than none; None if the text is no such thing."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    return float(match[1]) * _UNITS[match[2]] or None if match else None
