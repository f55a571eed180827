"""A corpus comes in; a zip of it goes out, as OSS-Fuzz and AFL++ take their seeds: one flat folder of files."""

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from bonsai.corpus_folder import CorpusFile

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same corpus gives the same bytes


def seed_zip(files: Sequence[CorpusFile]) -> bytes:
    """`valid/0001.py` becomes `valid-0001.py`."""
    content = BytesIO()
    with ZipFile(content, "w") as archive:
        for file in files:
            entry = ZipInfo(file.name.replace("/", "-"), LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.text.encode("utf-8", "surrogatepass"), ZIP_DEFLATED)
    return content.getvalue()
