"""Groups of programs come in as JSON; for each group, coverage.py's exits of the ChocoPy analysis go out.

For each file and line that has several exits: how many of them the group takes.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

import coverage

from bonsai.subjects.chocopy import analysis
from bonsai.subjects.chocopy.driver import check

FOLDER = Path(analysis.__file__).parent


def measure(texts: list[str]) -> dict[str, dict[int, int]]:
    """The exits that a group of programs takes."""
    measured = coverage.Coverage(data_file=None, branch=True, include=[f"{FOLDER}/*"], config_file=False)
    with measured.collect():
        for text in texts:
            with suppress(Exception):
                check(text)
    files = {Path(name).stem: name for name in measured.get_data().measured_files()}
    stats = {stem: measured.branch_stats(name) for stem, name in files.items()}
    return {stem: {line: taken for line, (_, taken) in lines.items()} for stem, lines in stats.items()}


if __name__ == "__main__":
    print(json.dumps([measure(group) for group in json.load(sys.stdin)]))
