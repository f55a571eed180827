"""Who owns a folder: where Bonsai may write, what it may replace there, and what it never touches.

Every folder that Bonsai writes holds a manifest: what kind of output it is, and the name and the hash of each file
that Bonsai wrote. What the manifest does not name, or what was changed since, belongs to the user and is never
removed. All commands write through `Output`, which also keeps other processes out (docs/decisions/013-outputs.md).
"""

from bonsai.outputs.files import add_files, require_free_file, write_file
from bonsai.outputs.manifest import (
    DATABASE,
    MANIFEST,
    SUMMARY,
    Manifest,
    OutputKind,
    read_manifest,
    require_finished,
    require_unchanged,
)
from bonsai.outputs.output import Output
from bonsai.outputs.permission import Existing, require_allowed, require_free, writing

__all__ = [
    "DATABASE",
    "MANIFEST",
    "SUMMARY",
    "Existing",
    "Manifest",
    "Output",
    "OutputKind",
    "add_files",
    "read_manifest",
    "require_allowed",
    "require_finished",
    "require_free",
    "require_free_file",
    "require_unchanged",
    "write_file",
    "writing",
]
