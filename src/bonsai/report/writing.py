"""A run directory whose run is over comes in; its `report.html` goes out."""

from collections.abc import Callable
from pathlib import Path


def write_report(folder: Path, complain: Callable[[str, str], None]) -> None:
    """The run itself is safe: whatever goes wrong here is said, with what to do, and no more."""
    try:
        from bonsai.report.data import read_report
        from bonsai.report.page import write_page  # Jinja and Pygments are slow to import

        write_page(folder, read_report(folder))
    except Exception as error:
        complain(
            f"the report could not be written: {error}",
            f"the corpus is there all the same; try bonsai report {folder}",
        )
