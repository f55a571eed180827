"""A grammar file comes in; errors about it go out, each with its place in the file, or in the settings.

Lark's own complaints are put into one line, with the line of the name that they are about and a hint.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lark.exceptions import LarkError, UnexpectedInput

from bonsai.errors import BonsaiError

_SYNTAX_HINT = "see the Lark grammar reference for the format"
# What Lark says, the names in it that have a place, and what to do about it.
_COMPLAINTS = (
    (r"'(\w+)' is used but not defined \(in \w+ (\w+)", "define it, or correct the spelling"),
    (r"used but not defined: (\w+)", "define it, or correct the spelling"),
    (r"Terminals {'(\w+)'.* to ignore but were not defined", "define it, or correct the spelling"),
    (r"'(\w+)' defined more than once", "keep one definition, or use %override or %extend"),
    (r"Cannot override a nonexisting \w+ (\w+)", "define it without %override"),
    (r"Can(?:no|')t extend \w+ (\w+)", "define it first, in the same form"),
    (r"Recursion in terminal '(\w+)'", "make it a rule: the names of rules are in lower case"),
    (r"Rules aren't allowed inside terminals \(.* in (\w+)\)", "use terminals alone, or make it a rule"),
    (r"template arguments used for (?:\w+) .*\(in \w+ (\w+)\)", "use it with as many as it is defined with"),
    (r"\(in \w+ (\w+)\)$", _SYNTAX_HINT),
    (r"['\"`](\w+)['\"`]", _SYNTAX_HINT),
)
_COMMENT_OR_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/|//[^\n]*|#[^\n]*')


@dataclass(frozen=True, slots=True)
class Source:
    """A grammar file, and where the settings (`bonsai.toml`) speak of a name in it, if they do."""

    path: Path
    text: str
    setting: Callable[[str], str | None]

    def error(self, message: str, hint: str, *names: str) -> BonsaiError:
        """An error in the file, at the first of these names that stands there; or in a file that it imports."""
        for name in names:
            imported = self._imported(name)
            if imported is not None:
                file, bare = imported
                others = [other.removeprefix(name.removesuffix(bare)) for other in names]
                return file.error(message.replace(name.removesuffix(bare), ""), hint, *others)
        lines = (self.line_of(name) for name in names)
        line = next((line for line in lines if line), None)
        return BonsaiError(f"{self.path}{f':{line}' if line else ''}: {message}", hint)

    def setting_error(self, message: str, hint: str, name: str) -> BonsaiError:
        """An error in what the settings say about a name."""
        place = self.setting(name)
        return BonsaiError(f"{place}: {message}", hint) if place else self.error(message, hint, name)

    def line_of(self, name: str) -> int | None:
        """The line on which a rule or terminal is defined, otherwise imported, otherwise mentioned."""
        if name.startswith("__IGNORE_"):  # as Lark names the patterns that are ignored, counting from 0
            return self._lines(r"^[ \t]*%ignore\b")[int(name.removeprefix("__IGNORE_"))]
        bare, module = re.escape(name.split("{")[0]), re.escape(name.split("__")[0])
        searches = [
            rf"^[ \t]*(?:%\w+[ \t]+)?[?!]*{bare}\b[^:\n]*:",
            rf"^[ \t]*%import\b.*\b{bare}\b",
            rf"(?<!\w){bare}\b",
            rf"^[ \t]*%import[ \t]+\.?{module}\b",
        ]
        found = (self._lines(search) for search in searches if bare)
        # Of two definitions the second is the one too many.
        return next((lines[-1 if i == 0 else 0] for i, lines in enumerate(found) if lines), None)

    def _imported(self, name: str) -> "tuple[Source, str] | None":
        """The file that a name comes from, and its name there: Lark calls y of the file x.lark x__y."""
        parts = name.split("__")
        for end in range(1, len(parts)):
            path = self.path.parent / f"{'/'.join(parts[:end])}.lark"
            if parts[0] and path.is_file():
                return Source(path, path.read_text("utf-8", "replace"), self.setting), "__".join(parts[end:])
        return None

    def line_of_import(self, file: str) -> int | None:
        """The line that imports a file."""
        dotted = re.escape(file.removesuffix(".lark").replace("/", "."))
        return next(iter(self._lines(rf"^[ \t]*%import[ \t]+\.?{dotted}\b")), None)

    def _lines(self, search: str) -> list[int]:
        text = _COMMENT_OR_LITERAL.sub(lambda match: " " * len(match[0]), self.text)
        return [text.count("\n", 0, match.end()) + 1 for match in re.finditer(search, text, re.MULTILINE)]


@contextmanager
def complaints(source: Source, imported: Iterable[object] = ()) -> Iterator[None]:
    """Turn what Lark has against a grammar into one line. `imported`: the files that it has imported so far."""
    try:
        yield
    except UnexpectedInput as error:
        place = f"{_last(source, imported)}:{error.line}"
        raise BonsaiError(f"{place}: syntax error in the grammar, column {error.column}", _SYNTAX_HINT) from None
    except OSError as error:
        raise BonsaiError(
            f"{_place_of_import(source, imported, str(error.filename))}: cannot import {error.filename}: "
            f"{error.strerror}",
            "an %import that begins with a dot is relative to the grammar file; others are Lark's own",
        ) from None
    except (LarkError, ValueError, AssertionError, RecursionError) as error:
        message = message_of(error)
        position = re.fullmatch(r"(.*?),? at line (\d+) column (\d+).*", message)
        if position:
            place = f"{_last(source, imported)}:{position[2]}"
            raise BonsaiError(f"{place}: {position[1]}, column {position[3]}", _SYNTAX_HINT) from None
        raise _explained(source, message) from None


def message_of(error: Exception) -> str:
    """What Lark says, in one line."""
    if isinstance(error, RecursionError):
        return "imports lead back to where they began, or groups are nested too deeply"
    if len(error.args) == 2:  # as Lark reports a literal that Python cannot evaluate
        return f"bad escape in the literal {error.args[0]!r}"
    message = " ".join(str(error).split("\n\n")[0].split()) or "Lark cannot read this grammar"
    return re.sub(r"^\w+ ('\w+') used but", r"\1 is used but", message)  # Lark calls everything there a rule


def _explained(source: Source, message: str) -> BonsaiError:
    for complaint, hint in _COMPLAINTS:
        found = re.search(complaint, message)
        if found:
            return source.error(message, hint, *found.groups())
    return source.error(message, _SYNTAX_HINT)


def _last(source: Source, imported: Iterable[object]) -> object:
    """The file that was being read: Lark reads a file as soon as it is imported."""
    return [source.path, *imported][-1]


def _place_of_import(source: Source, imported: Iterable[object], file: str) -> str:
    importing = [Path(path) for path in imported if isinstance(path, str)]  # others are Lark's own
    for reader in (source, *(Source(path, path.read_text("utf-8"), source.setting) for path in importing)):
        line = reader.line_of_import(file)
        if line:
            return f"{reader.path}:{line}"
    return str(source.path)
