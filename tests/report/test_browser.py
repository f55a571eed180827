"""The page in headless Chromium: filters, links, keys; no error, no request, and no input is run."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from bonsai.report.data import read_report
from bonsai.report.page import write_page
from bonsai.store import write_run
from report.made_runs import hostile_run, large_run, small_folder

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
expect.set_options(timeout=60_000)  # machines are shared and noisy
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"there is no Chromium to run: {str(error).splitlines()[0]}")
        yield found
        found.close()


class Opened:
    """A page, and everything that went wrong with it."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.troubles: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())

    def shown(self) -> list[str]:
        """The names of the tests that are shown."""
        return self.page.locator("article.test:not([hidden]) h3").all_text_contents()

    def require_quiet(self) -> None:
        assert self.troubles == []
        assert len(self.requests) == 1
        assert self.requests[0].startswith("file:")


@pytest.fixture
def small(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    out = small_folder(tmp_path)
    page = browser.new_page()
    opened = Opened(page, write_page(out, read_report(out, str(tmp_path / "subject"))))
    yield opened
    opened.require_quiet()
    page.close()


NUMBER, BRACKETS, NESTED = "0001-number.json", "0002-brackets.json", "0001-list-in-a-list.json"


def test_filters(small: Opened) -> None:
    page = small.page
    assert small.shown() == [NUMBER, BRACKETS, NESTED]
    page.get_by_text("invalid", exact=True).first.click()
    assert small.shown() == [NESTED]
    assert page.locator("#count").inner_text() == "1 of 3 tests"
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator("#count")).to_have_text("3 tests")
    page.select_option("#rule", "array")
    assert small.shown() == [BRACKETS, NESTED]
    page.fill("#text", "LIST IN a")
    assert small.shown() == [NESTED]
    page.fill("#text", "driver:")  # is on cards, but as a reason
    assert page.locator("article.test details", has_text="driver:").count() == 2
    assert small.shown() == []
    assert page.locator("#nothing").is_visible()
    page.locator("#clear").click()
    expect(page.locator("#count")).to_have_text("3 tests")


def test_filtering_by_feature(small: Opened) -> None:
    page = small.page
    page.fill("#branch", "driver:2:4:IF-FALSE")
    expect(page.locator("#count")).to_contain_text("2 of")
    assert small.shown() == [NUMBER, NESTED]
    page.fill("#branch", "driver:2")
    expect(page.locator("#count")).to_have_text("3 tests")


def test_a_covered_branch_leads_to_its_witness_and_back(small: Opened) -> None:
    page = small.page
    page.fill("#text", "list in a list")
    page.locator("details.module summary").first.click()
    page.locator("a.arm", has_text="if-true").click()
    expect(page.locator("#t1")).to_be_focused()
    assert small.shown() == [NUMBER, BRACKETS, NESTED]  # the filter would have hidden it
    assert page.locator("#t1 details").get_attribute("open") is not None
    page.locator("details.module").first.evaluate("module => module.open = false")
    page.locator("#t1 a", has_text="driver:2").click()
    expect(page.locator("details.module").first).to_have_attribute("open", "")
    assert page.url.endswith("#m0-2")


def test_an_open_card_spans_its_row(small: Opened) -> None:
    page = small.page
    page.locator("#t0 summary").click()
    gallery, card = (page.locator(one).bounding_box() for one in (".gallery", "#t0"))
    assert gallery
    assert card
    assert card["width"] == pytest.approx(gallery["width"], abs=1)


@pytest.mark.parametrize("section", ["tests", "source", "findings"])
def test_a_section_is_seen_below_the_header_after_a_jump(browser: Browser, tmp_path: Path, section: str) -> None:
    write_run(tmp_path / "out", large_run(300, 600))
    page = browser.new_page()
    opened = Opened(page, write_page(tmp_path / "out", read_report(tmp_path / "out")))
    page.locator(f"nav a[href='#{section}']").click()
    below = "one => one.getBoundingClientRect().top - document.querySelector('.top').getBoundingClientRect().bottom"
    heading = page.locator(f"#{section} h2")
    expect(heading).to_be_in_viewport()
    page.wait_for_timeout(300)  # it stays there
    assert heading.evaluate(below) >= 0
    opened.require_quiet()
    page.close()


def test_the_number_beside_a_branch_lists_its_tests(small: Opened) -> None:
    page = small.page
    page.locator("details.module summary").first.click()
    page.locator("a.times[data-branch='driver:2:4:if-false']").click()
    expect(page.locator("#count")).to_contain_text("2 of")
    assert small.shown() == [NUMBER, NESTED]


def test_the_keyboard_is_enough(small: Opened) -> None:
    page = small.page
    page.keyboard.press("/")
    page.keyboard.type("brackets")
    expect(page.locator("#count")).to_contain_text("1 of")
    page.keyboard.press("Escape")
    expect(page.locator("#count")).to_have_text("3 tests")
    page.evaluate("document.activeElement.blur()")
    for key, expected in (("j", "t0"), ("j", "t1"), ("k", "t0")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == expected
    page.keyboard.press("o")
    assert page.locator("#t0 details").get_attribute("open") is not None


def test_charts_are_drawn_and_the_page_fits_a_phone(browser: Browser, tmp_path: Path) -> None:
    out = small_folder(tmp_path)
    path = write_page(out, read_report(out, str(tmp_path / "subject")))
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page = browser.new_page(viewport={"width": 360, "height": 700}, color_scheme=scheme)
        opened = Opened(page, path)
        assert page.locator(".uplot canvas").count() == 3
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
        assert page.locator(".uplot canvas").count() == 3
        opened.require_quiet()
        page.close()


def test_a_hostile_corpus_is_inert(browser: Browser, tmp_path: Path) -> None:
    write_run(tmp_path / "out", hostile_run())
    page = browser.new_page()
    opened = Opened(page, write_page(tmp_path / "out", read_report(tmp_path / "out")))
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    page.fill("#text", "<script>")
    assert len(opened.shown()) >= 2
    page.fill("#branch", "onerror")
    page.wait_for_timeout(100)
    assert page.title() != "run"
    assert page.locator("h1").count() == 1
    assert page.locator("main img, main script, main template").count() == 0
    opened.require_quiet()
    page.close()


def test_of_a_large_run_everything_is_there_when_it_is_needed(browser: Browser, tmp_path: Path) -> None:
    write_run(tmp_path / "out", large_run(2000))
    path = write_page(tmp_path / "out", read_report(tmp_path / "out"))
    page = browser.new_page()
    opened = Opened(page, path)
    expect(page.locator("article.test")).to_have_count(2000)
    page.fill("#text", "no such name: a1998")
    expect(page.locator("#count")).to_contain_text("1 of")
    page.locator("details.module summary").first.click()
    page.locator("details.module a.arm").first.click()
    expect(page.locator("article.test:focus")).to_have_count(1)
    page.fill("#branch", "com.example.Type3.visit(Node):30:if-true")
    expect(page.locator("#count")).to_contain_text(" of 2000")
    opened.require_quiet()
    page.close()
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#t1777")
    expect(page.locator("#t1777")).to_be_focused()
    page.close()
