"""How long the report of a large run takes: to make, to open in headless Chromium, and to filter.

    python benchmarks/report.py [--tests N] [--features N]

The run is made up: tests of a few lines, each exercising an eighth of the features of a JVM target. Times are in
seconds, those of the browser the median of five; a report of three tests is opened, too: machines differ. The
last line is one JSON object.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic

from playwright.sync_api import Browser, expect, sync_playwright

from bonsai.report.data import read_report
from bonsai.report.page import write_page
from bonsai.store import write_run

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from report.made_runs import large_run

TIMES = 5


def opened(browser: Browser, page_path: Path) -> tuple[float, float]:
    """Seconds until the page is loaded and drawn, and until it is filtered."""
    page = browser.new_page()
    started = monotonic()
    page.goto(page_path.as_uri())
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    shown = monotonic()
    page.get_by_text("invalid", exact=True).first.click()
    expect(page.locator("#count")).to_contain_text("of")
    filtered = monotonic()
    page.close()
    return shown - started, filtered - shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--features", type=int, default=10_000)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        out = Path(folder) / "out"
        write_run(out, large_run(options.tests, options.features))
        started = monotonic()
        path = write_page(out, read_report(out))
        made = monotonic() - started
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        measured = [opened(browser, path) for _ in range(TIMES)]
        write_run(Path(folder) / "blank", large_run(3, 30))
        blank = write_page(Path(folder) / "blank", read_report(Path(folder) / "blank"))
        without = median(opened(browser, blank)[0] for _ in range(TIMES))
        browser.close()
        size = path.stat().st_size
    shown, filtered = (median(column) for column in zip(*measured, strict=True))
    print(f"{options.tests} tests, {options.features} features: {size / 2**20:.1f} MiB")
    figures = {"made": made, "opened": shown, "opened with few tests": without, "filtered": filtered}
    for name, seconds in figures.items():
        print(f"{name:20} {seconds:6.2f} s")
    print(json.dumps({"bytes": size, **figures}))


if __name__ == "__main__":
    main()
