"""What is to be built, and how, comes in; the folder with it goes out, built once for all processes of a user."""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bonsai.errors import BonsaiError

DAY = 24 * 60 * 60
KEPT = 60 * DAY  # what was not wanted for so long is removed


def cache_folder() -> Path:
    """Where built things are kept; it can be removed at any time."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(root) if os.path.isabs(root) else Path.home() / ".cache") / "bonsai"


def built(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of that kind and key; if there is none, `build` fills an empty one, which then takes its place.

    Of several processes that want it at the same time, one builds and the others wait.
    """
    folder = cache_folder() / f"{kind}-{key}"
    if folder.is_dir():
        if _idle(folder) > DAY:
            with suppress(OSError):  # it may not be ours to touch
                os.utime(folder)
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent / f"{kind}.lock"):
            if not folder.is_dir():
                _build(folder, build)
                for old in folder.parent.glob(f"{kind}-*"):
                    if _idle(old) > KEPT:
                        forget(old)
    except OSError as error:
        raise BonsaiError(
            f"cannot write {error.filename or folder}: {error.strerror}",
            "set XDG_CACHE_HOME to a folder that can be written",
        ) from None
    return folder


def forget(folder: Path) -> None:
    """Remove what was built, so that it is built anew; another process may do the same."""
    with suppress(OSError), tempfile.TemporaryDirectory(dir=folder.parent, prefix=".forgotten-") as away:
        os.rename(folder, Path(away) / folder.name)


def _idle(folder: Path) -> float:
    """For how many seconds nobody has wanted it, give or take a day."""
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:
        return 0.0


def digest(*parts: str | bytes) -> str:
    """A key for the cache: the same for the same parts."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "little") + content)
    return total.hexdigest()[:24]


def digest_of(paths: Iterable[Path]) -> str:
    """A key for the content of files, and of folders with everything in them."""
    parts: list[str | bytes] = []
    for path in paths:
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in inside:
            parts += [str(file.relative_to(path)), file.read_bytes()]
    return digest(*parts)


def _build(folder: Path, build: Callable[[Path], None]) -> None:
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        build(temporary)
        temporary.chmod(0o755)
        os.rename(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
