"""The page: self-contained, and inert whatever is in it."""

import re
from html.parser import HTMLParser
from pathlib import Path

from bonsai.report.data import read_report
from bonsai.report.page import render, write_page
from bonsai.store import write_run
from report.made_runs import hostile_run, small_folder


class Reader(HTMLParser):
    """What a browser would make of a page, as far as it matters here."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.identifiers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.identifiers += [value or "" for name, value in attrs if name == "id"]


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_links_lead_somewhere_and_nothing_is_fetched(tmp_path: Path) -> None:
    reader = read(render(read_report(small_folder(tmp_path), str(tmp_path / "subject"))))
    links = [value or "" for name, value in reader.attributes if name == "href"]
    assert len(links) > 15
    assert {link[1:] for link in links} <= set(reader.identifiers)
    assert len(set(reader.identifiers)) == len(reader.identifiers)
    assert not any(name in ("src", "srcset", "action") or name.startswith("on") for name, _ in reader.attributes)
    assert "link" not in reader.tags


def test_a_hostile_corpus_adds_no_tags_that_a_harmless_one_has_not(tmp_path: Path) -> None:
    write_run(tmp_path / "hostile", hostile_run())
    harmless = read(render(read_report(small_folder(tmp_path), str(tmp_path / "subject"))))
    hostile = read(render(read_report(tmp_path / "hostile")))
    assert hostile.tags.count("script") == harmless.tags.count("script") == 6
    assert set(hostile.tags) <= set(harmless.tags)
    assert hostile.tags.count("h1") == 1
    assert not any(name.startswith("on") or name == "src" for name, _ in hostile.attributes)


def test_templates_in_inputs_are_text(tmp_path: Path) -> None:
    write_run(tmp_path / "hostile", hostile_run())
    assert "{{ 7 * 7 }}" in render(read_report(tmp_path / "hostile"))


def test_control_characters_are_visible(tmp_path: Path) -> None:
    write_run(tmp_path / "hostile", hostile_run())
    page = render(read_report(tmp_path / "hostile"))
    assert "␀␛[31m␍" in page
    assert "\x00" not in page
    assert "\r" not in page


def test_what_each_test_is_there_for_is_on_the_page(tmp_path: Path) -> None:
    page = render(read_report(small_folder(tmp_path), str(tmp_path / "subject")))
    assert "0001-number.json" in page
    assert "smallest for 2 features" in page
    assert re.search(r"driver:2</a>\s*<b class=\"arm\">if-false</b> <code>if text:</code>", page)
    assert "list in a list" in page
    assert "boom" in page
    assert "Look at <code>array</code>" in page


def test_writing_replaces_the_page_and_leaves_nothing_else(tmp_path: Path) -> None:
    out = small_folder(tmp_path)
    before = {path.name for path in out.iterdir()}
    for _ in range(2):
        assert write_page(out, read_report(out)) == out / "report.html"
    assert {path.name for path in out.iterdir()} - before == {"report.html"}
