"""The parts that decide the results of a target, each by a digest: by them, a changed target is noticed.

A part is named for people, such as `driver.py`, `module package.analysis` or `setting timeout`. Names are relative
to the subject's folder, and digests are of content: a target that was copied to another place has the same parts.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Any

Parts = dict[str, str]

# These mostly change together with other parts, and are named only if nothing else has changed.
FEATURES = "the list of features"
CLASS_PATH_ORDER = "the order of the class path"


def digest(content: str | bytes) -> str:
    """Returns a short digest of some content."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return sha256(data).hexdigest()[:16]


def setting_parts(settings: Any, without: Collection[str]) -> Parts:
    """Returns a part for every setting of a target but those that only say where files are."""
    values = {entry.name: getattr(settings, entry.name) for entry in fields(settings) if entry.name not in without}
    return {f"setting {name}": digest(json.dumps(value)) for name, value in values.items()}


def changed_parts(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Returns the names of the parts that differ, or are only on one side."""
    names = [*now, *(name for name in before if name not in now)]
    changed = [name for name in names if before.get(name) != now.get(name)]
    return [name for name in changed if name not in (FEATURES, CLASS_PATH_ORDER)] or changed
