"""A run directory, or any folder of input files, comes in; its inputs go out."""

from dataclasses import dataclass
from pathlib import Path

from bonsai.captions import INDEX, INDEX_MARK
from bonsai.errors import BonsaiError
from bonsai.outputs import SUMMARY, OutputKind, read_manifest, require_finished


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One input: the name of its file within the corpus, and its text."""

    name: str
    text: str


def read_corpus(folder: Path, suffix: str) -> list[CorpusFile]:
    """The inputs of a run directory, or of a folder: its files with the suffix, at any depth, by name.

    Where no file has the suffix, all files count. Hidden files and folders are left out, and so is
    the index that a run has written.
    """
    root = corpus_root(folder)
    paths = sorted(path for path in root.rglob("*") if path.is_file() and not _hidden(path.relative_to(root)))
    paths = [path for path in paths if not (path == root / INDEX and _read(path).startswith(INDEX_MARK))]
    chosen = [path for path in paths if path.suffix == suffix] or paths
    if not chosen:
        raise BonsaiError(f"{root}: there are no files in it", f"its inputs would be files named *{suffix}")
    try:
        return [CorpusFile(str(path.relative_to(root)), _read(path)) for path in chosen]
    except OSError as error:
        raise BonsaiError(f"cannot read {error.filename}: {error.strerror}", "is the folder readable?") from None


def corpus_root(folder: Path) -> Path:
    """Returns the folder that the inputs are in: that of a run or of a reduction is its folder `corpus`.

    Raises an error if the folder does not exist, or if it holds a run that has no result yet.
    """
    if not folder.is_dir():
        problem = "is a file" if folder.is_file() else "does not exist"
        raise BonsaiError(f"{folder}: {problem}", "a corpus is a run directory or a folder of input files")
    require_finished(folder)
    manifest = read_manifest(folder)
    is_reduction = manifest is not None and manifest.kind is OutputKind.REDUCTION
    return folder / "corpus" if is_reduction or (folder / SUMMARY).is_file() else folder


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read(path: Path) -> str:
    """The text of a file, line ends as they are, what is no UTF-8 replaced; surrogates as `store` writes them."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace")
