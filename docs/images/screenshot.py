"""A run directory and the name of a picture come in; the picture of its report goes out, as the README shows it.

The page is as `bonsai grow` wrote it, but for the sections between the lattice and the tests, which are left out;
and a filter is set.

Example: python docs/images/screenshot.py out docs/images/report.png
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1180, 1575
LEFT_OUT = ".lead, .asked, .figures div:nth-child(n+5), #growth > p, #growth details, .charts, #sizes, .keys"
FILTER = "class_def"


def main(folder: Path, picture: Path) -> None:
    """Open the report, and take the picture."""
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto((folder / "report.html").resolve().as_uri())
        page.add_style_tag(content=f"{LEFT_OUT} {{ display: none }}")
        page.locator("#rule").select_option(FILTER)
        page.wait_for_function("document.querySelector('#count').textContent.includes(' of ')")
        page.evaluate("window.scrollTo(0, 0)")
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
