"""Sections come in; one page goes out, as Markdown and as HTML that needs no other file."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bonsai.evaluation.tabulating import Table

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid #ddd; padding-top: 1rem; }
img { max-width: 100%; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; } th, td { padding: 0.3rem 0.7rem; text-align: left; }
th { border-bottom: 2px solid #999; } td { border-bottom: 1px solid #ddd; }
.paper { background: #f5f1e8; padding: 0.6rem 1rem; border-left: 4px solid #c58b3b; }
.beside { display: grid; grid-template-columns: minmax(0, 2fr) minmax(14rem, 1fr); gap: 1.5rem; }
@media (max-width: 50rem) { .beside { display: block; } }
@media (prefers-color-scheme: dark) {
  body { background: #1b1d1f; color: #ddd; } .paper { background: #2a2722; } img { background: white; } }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A figure or a table of ours, what the paper has in its place, and what is to be said of the two."""

    title: str
    sentences: Sequence[str] = ()
    figure: str = ""  # its name in the folder of figures
    table: Table | None = None
    paper: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A title, an introduction, and sections."""

    title: str
    introduction: Sequence[str]
    sections: Sequence[Section]


def to_markdown(page: Page) -> str:
    """The page as Markdown; figures are linked."""
    lines = [f"# {page.title}", "", *(f"{one}\n" for one in page.introduction)]
    for section in page.sections:
        lines += [f"## {section.title}", ""]
        if section.figure:
            lines += [f"![{section.title}](figures/{section.figure}.png)", ""]
        if section.table is not None:
            lines += [*_markdown_table(section.table), ""]
        if section.paper:
            lines += [f"> In the paper: {section.paper}", ""]
        lines += [f"- {sentence}" for sentence in section.sentences]
        lines += [""] if section.sentences else []
    return "\n".join(lines)


def _markdown_table(table: Table) -> list[str]:
    rows = [table.header, ["---"] * len(table.header), *table.rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]


def to_html(page: Page, figures: Path) -> str:
    """The page as HTML; figures are within."""
    parts = [
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(page.title)}</title>',
        '<meta name="viewport" content="width=device-width">',
        f"<style>{STYLE}</style>\n<h1>{escape(page.title)}</h1>",
        *(f"<p>{escape(one)}</p>" for one in page.introduction),
        *(_html_section(section, figures) for section in page.sections),
    ]
    return "\n".join([*parts, "</html>", ""])


def _html_section(section: Section, figures: Path) -> str:
    ours = ""
    if section.figure:
        picture = b64encode((figures / f"{section.figure}.png").read_bytes()).decode()
        ours += f'<img alt="{escape(section.title)}" src="data:image/png;base64,{picture}">'
    if section.table is not None:
        ours += f'<div class="scroll">{_html_table(section.table)}</div>'
    if section.paper:
        paper = f'<div class="paper"><strong>In the paper</strong><p>{escape(section.paper)}</p></div>'
        ours = f'<div class="beside"><div>{ours}</div>{paper}</div>'
    said = "".join(f"<li>{escape(sentence)}</li>" for sentence in section.sentences)
    return f"<h2>{escape(section.title)}</h2>\n{ours}\n" + (f"<ul>{said}</ul>" if said else "")


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
