"""The data of a report comes in; one HTML page goes out that needs nothing else.

Whatever comes from inputs or messages is escaped: by Jinja, or by Pygments where it is highlighted. As a second
line of defence the page has a policy that allows its own scripts alone, by their hashes, and no network.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from zlib import compress

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import PythonLexer, TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

from bonsai.report.data import Report
from bonsai.report.sources import Module

HERE = Path(__file__).parent
LONGEST_TEXT = 6000
REASONS = 24  # shown of one test
STYLES = {"light": "default", "dark": "github-dark"}
# What a browser does not show, or would change.
_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}


def render(report: Report) -> str:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_visible,
    )
    scripts = [_asset("vendor/uPlot.iife.min.js"), _asset("templates/page.js")]
    styles = [_asset("vendor/uPlot.min.css"), _asset("templates/page.css"), _pygments_styles()]
    code = _Highlighter(_lexer(report.suffix))
    return environment.get_template("page.html").render(
        report=report,
        scripts=[Markup(one) for one in scripts],
        styles=[Markup(one) for one in styles],
        policy=_policy(scripts),
        code=lambda text: code(text[:LONGEST_TEXT] + (" …" if len(text) > LONGEST_TEXT else "")),
        sources=[_source(module) for module in report.modules],
        charts=_charts(report),
        names=_packed(json.dumps(report.hit_names).encode()),
        hits=_packed(_rows(report.hits, len(report.tests))),
        reasons_shown=REASONS,
    )


def _visible(value: object) -> object:
    return value.translate(_VISIBLE) if isinstance(value, str) and not isinstance(value, Markup) else value


def write_page(folder: Path, report: Report) -> Path:
    """Write `report.html` into a run directory."""
    path = folder / "report.html"
    made = folder / ".report.html.part"
    try:
        made.write_text(render(report), encoding="utf-8", errors="backslashreplace")
        made.rename(path)
    finally:
        made.unlink(missing_ok=True)
    return path


def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    hashes = " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts)
    rest = "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {hashes}; {rest}"


class _Highlighter:
    """Text as escaped HTML with spans for the colours; each line is whole."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer
        self._formatter: HtmlFormatter[str] = HtmlFormatter(nowrap=True)

    def __call__(self, text: str) -> Markup:
        return Markup(highlight(text.translate(_VISIBLE), self._lexer, self._formatter))


def _lexer(suffix: str) -> Lexer:
    try:
        lexer: Lexer = get_lexer_for_filename(f"test{suffix}", stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    return lexer


def _pygments_styles() -> str:
    light, dark = (HtmlFormatter(style=style).get_style_defs(".code") for style in STYLES.values())
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _source(module: Module) -> list[Markup]:
    """The lines of a module, highlighted together: a string may span several."""
    code = _Highlighter(PythonLexer(stripnl=False) if module.readable else TextLexer(stripnl=False))
    lines = code("\n".join(line.text for line in module.lines)).split("\n")
    return [Markup(line) for line in lines[: len(module.lines)]]


def _charts(report: Report) -> dict[str, object]:
    growth = report.growth
    return {
        "total": report.total,
        "executions": [point.executions for point in growth],
        "covered": [point.covered for point in growth],
        "valid": [point.covered_by_valid for point in growth],
        "mean": [round(point.mean_size, 2) for point in growth],
        "grid": [round(size, 3) for size in report.grid],
        "sizes": [one.density for one in report.sizes],
    }


def _rows(masks: Sequence[int], width: int) -> bytes:
    """A row of bytes for each mask."""
    return b"".join(mask.to_bytes((width + 7) // 8, "little") for mask in masks)


def _packed(content: bytes) -> str:
    return b64encode(compress(content, 9)).decode()
