"""A folder with a `bonsai.toml`, or the name of a bundled one, comes in; a `Subject` goes out."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from bonsai.answers import ErrorList, read_error_list
from bonsai.bounds import LARGEST, Bounds
from bonsai.errors import BonsaiError
from bonsai.grammar.analysis import unproductive_rules
from bonsai.grammar.lark_reader import read_lark
from bonsai.grammar.model import Grammar, Layout, fingerprint
from bonsai.grammar.pools import SPACINGS, Lexicon
from bonsai.grammar.without import unknown_names, without
from bonsai.tables import Table, read_toml
from bonsai.targets.engines import decisive_parts, start
from bonsai.targets.execution import Target
from bonsai.targets.parts import FEATURES, Parts, digest
from bonsai.targets.settings import PythonTarget, TargetSettings, read_target
from bonsai.version import bonsai_version

BUNDLED = Path(__file__).parent / "subjects"
CONFIGURATION = "bonsai.toml"


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A grammar for an input language and, if there is one, the program that reads it."""

    name: str
    folder: Path
    suffix: str
    grammar: Grammar
    bounds: Bounds
    target: TargetSettings | None
    errors: ErrorList | None = None  # how its outputs list errors, for grading

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the source of its program may be, if it is not installed."""
        return tuple(self.target.folders(self.folder)) if isinstance(self.target, PythonTarget) else (self.folder,)


def bundled_subjects() -> list[str]:
    """The names of the subjects that come with Bonsai."""
    return sorted(path.parent.name for path in BUNDLED.glob(f"*/{CONFIGURATION}"))


def load_subject(name_or_folder: str | Path) -> Subject:
    """A bundled subject by name, or the subject in a folder."""
    folder = Path(name_or_folder)
    if folder.name == CONFIGURATION:
        folder = folder.parent
    if name_or_folder in bundled_subjects() and not os.path.exists(folder / CONFIGURATION):
        folder = BUNDLED / name_or_folder
    if not os.path.exists(folder / CONFIGURATION):
        bundled = f"the bundled subjects are {', '.join(bundled_subjects())}"
        hint = f"{bundled}; a folder needs a {CONFIGURATION}, which bonsai init writes"
        for name in get_close_matches(str(name_or_folder), bundled_subjects(), n=1):
            hint = f"did you mean {name!r}? {hint}"
        if os.path.isfile(folder):
            raise BonsaiError(f"{folder} is a file, not the folder of a subject", "bonsai init makes one")
        if os.path.exists(folder):
            raise BonsaiError(f"{folder}: there is no {CONFIGURATION} in it", hint)
        raise BonsaiError(f"{name_or_folder}: no such subject", hint)
    return _read_subject(folder, read_toml(folder / CONFIGURATION))


def _read_subject(folder: Path, root: Table) -> Subject:
    about, target = root.table("subject"), root.table("target")
    name = about.string("name", folder.resolve().name)
    suffix = about.string("suffix", ".txt")
    if not is_suffix(suffix):
        raise about.error("suffix", f"{suffix!r} is no file suffix", 'write suffix = ".py", say')
    about.finish()
    bounds = _read_bounds(root.table("bounds"))
    settings = read_target(target) if "target" in root else None
    grammar = _read_grammar(folder, root.table("grammar"))
    errors = read_error_list(root.table("grading"))
    root.finish()
    return Subject(name, folder, suffix, grammar, bounds, settings, errors)


def is_suffix(text: str) -> bool:
    """Whether files can be named so."""
    return text.startswith(".") and "/" not in text


def _read_bounds(table: Table) -> Bounds:
    values = {}
    for key in ("idents", "items", "depth"):
        values[key] = table.integer(key, 3)
        if not 1 <= values[key] <= LARGEST:
            raise table.error(key, f"{key} is {values[key]}", f"a bound is a whole number from 1 to {LARGEST:,}")
    table.finish()
    return Bounds(**values)


def _read_grammar(folder: Path, table: Table) -> Grammar:
    path, start = folder / table.string("file"), table.string("start", "start")
    identifiers, terminals = _read_pools(table.table("identifiers")), _read_pools(table.table("terminals"))
    for name in identifiers:
        if name in terminals:
            raise table.table("terminals").error(
                name, f"{name} has a pool in identifiers and in terminals", "keep one of them"
            )
    layout, spacing = _read_layout(table), _read_spacing(table.table("spacing"))
    soft, left_out = table.strings("soft", ()), table.strings("without", ())
    table.finish()
    if not os.path.isfile(path):
        raise table.error("file", f"there is no file {path}", "the path is relative to the folder of this file")
    whole = read_lark(path, start, Lexicon(identifiers, terminals, layout, spacing, soft, _place_of(table)))
    for name in unknown_names(whole, left_out):
        hint = "name a rule, a terminal, or the text of a keyword"
        raise table.error("without", f"there is no {name!r} in the grammar to leave out", hint)
    grammar = without(whole, left_out) if left_out else whole
    if grammar is None or unproductive_rules(grammar):
        raise table.error("without", "nothing is left of the grammar", "leave out less")
    return grammar


def _place_of(grammar: Table) -> Callable[[str], str | None]:
    """Where the table speaks of a name in the grammar, be it a terminal, a text or the start rule."""

    def place(name: str) -> str | None:
        for section in (grammar.table(key) for key in ("identifiers", "terminals", "spacing")):
            if name in section:
                return section.place(name)
        if name in grammar.strings("soft", ()):
            return grammar.place("soft")
        layout = grammar.table("layout")
        for key in layout:
            if layout.string(key) == name:
                return layout.place(key)
        is_start = grammar.string("start", "start") == name
        return grammar.place("start" if "start" in grammar else None) if is_start else None

    return place


def _read_pools(table: Table) -> dict[str, tuple[str, ...]]:
    pools = {}
    for key in table:
        pools[key] = table.strings(key)
        if not pools[key]:
            raise table.error(key, f"the pool of {key} is empty", f'give it at least one value: {key} = ["a"]')
    return pools


def _read_layout(grammar: Table) -> Layout | None:
    table = grammar.table("layout")
    if "layout" not in grammar:
        return None
    newline = table.string("newline")
    if ("indent" in table) != ("dedent" in table):
        raise table.error(None, "indent and dedent go together", "name both, or neither")
    indent, dedent = table.string("indent", ""), table.string("dedent", "")
    table.finish()
    return Layout(newline, indent or None, dedent or None)


def _read_spacing(table: Table) -> dict[str, str]:
    spacing = {}
    for key in table:
        spacing[key] = table.string(key)
        if spacing[key] not in SPACINGS:
            raise table.error(key, f"{spacing[key]!r} is no spacing", f"the spacings are {', '.join(SPACINGS)}")
    return spacing


def start_target(subject: Subject, omit: frozenset[int] = frozenset()) -> Target:
    """The subject's program, ready to run; without probes for the features in `omit`."""
    if subject.target is None:
        own = f"add a [target] table to {subject.folder / CONFIGURATION}"
        bundled = f"it is there to sample only: bonsai sample {subject.name}"
        hint = bundled if subject.folder.parent == BUNDLED else own
        raise BonsaiError(f"the subject {subject.name} has no program to run", hint)
    return start(subject.target, subject.folder, omit)


def folder_of(subject: Subject) -> str:
    """What to write in a run's record, so that `load_subject` finds the subject again."""
    return subject.folder.name if subject.folder.parent == BUNDLED else str(subject.folder.resolve())


def recorded_subject(folder: str) -> Subject:
    """Returns the subject of a run, from what `folder_of` wrote. Raises an error if it is not there any more."""
    path = BUNDLED / folder  # which is the folder itself, unless it is the name of a bundled subject
    if not os.path.exists(path / CONFIGURATION):
        message = f"the run cannot be resumed: its subject is no longer in {path}"
        raise BonsaiError(message, "put it back there, or start a new run in another folder")
    return load_subject(path)


def target_parts(subject: Subject, features: Sequence[str]) -> Parts:
    """Returns a digest of each part that decides what the subject's program does with an input."""
    parts = {"setting suffix": digest(subject.suffix), FEATURES: digest("\n".join(features))}
    return parts | decisive_parts(subject.target, subject.folder) if subject.target else parts


def identity(subject: Subject, features: Sequence[str]) -> dict[str, object]:
    """Returns what a run is of: keys of `run.json`. Where a hash differs, results do not go together."""
    return {
        "version": bonsai_version(),
        "subject": subject.name,
        "folder": folder_of(subject),
        "grammar_hash": fingerprint(subject.grammar),
        "target_hash": digest(json.dumps(target_parts(subject, features), sort_keys=True)),
        "engine": subject.target.engine if subject.target else None,
    }
