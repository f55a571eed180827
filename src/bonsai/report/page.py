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
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

from bonsai.outputs import Output, OutputKind
from bonsai.report.data import Report
from bonsai.report.sources import Module
from bonsai.wording import counted

HERE = Path(__file__).parent
LONGEST_TEXT = 6000
REASONS = 24  # shown of one test
# Of a large run, only the first tests are there at once; the rest, and the source, are unpacked when needed.
CARDS, FIRST, CHUNK, LINES = 400, 90, 60, 4000
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
    environment.globals["code"] = _Highlighter(_lexer(report.suffix))
    environment.globals["reasons_shown"] = REASONS
    environment.globals["counted"] = counted
    cards = _cards(environment, report)
    first = len(cards) if len(cards) <= CARDS else FIRST
    bodies = _bodies(environment, report.modules)
    inline = sum(len(module.lines) for module in report.modules) <= LINES
    return environment.get_template("page.html").render(
        report=report,
        scripts=[Markup(one) for one in scripts],
        styles=[Markup(one) for one in styles],
        policy=_policy(scripts),
        cards=cards[:first],
        more=_packed_texts(["".join(cards[at : at + CHUNK]) for at in range(first, len(cards), CHUNK)]),
        bodies=bodies if inline else [""] * len(bodies),
        packed=[""] * len(bodies) if inline else [_packed_texts([one]) for one in bodies],
        charts=_charts(report),
        names=_packed_texts(report.hit_names),
        hits=_packed(_rows(report.hits, len(report.tests))),
    )


def _cards(environment: Environment, report: Report) -> list[Markup]:
    template = environment.get_template("card.html")
    return [Markup(template.render(test=test, number=number)) for number, test in enumerate(report.tests)]


def _bodies(environment: Environment, modules: Sequence[Module]) -> list[Markup]:
    template = environment.get_template("module.html")
    highlighters = {suffix: _Highlighter(_lexer(suffix)) for suffix in (".py", ".java", ".txt")}
    found = []
    for number, module in enumerate(modules):
        lines = _lines(module, highlighters[module.suffix if module.readable else ".txt"])
        found.append(Markup(template.render(module=module, number=number, lines=lines)))
    return found


def _visible(value: object) -> object:
    return value.translate(_VISIBLE) if isinstance(value, str) and not isinstance(value, Markup) else value


def write_page(folder: Path, report: Report) -> Path:
    """Writes `report.html` into a run directory and returns its path."""
    content = render(report).encode("utf-8", "backslashreplace")
    with Output.reopen(folder, OutputKind.RUN) as output:
        output.write("report.html", content)
    return folder / "report.html"


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

    def __call__(self, text: str, cut: int | None = LONGEST_TEXT) -> Markup:
        if cut is not None and len(text) > cut:
            text = f"{text[:cut]} …"
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


def _lines(module: Module, code: _Highlighter) -> list[Markup]:
    """The lines of a module, highlighted together: a string may span several."""
    lines = code("\n".join(line.text for line in module.lines), cut=None).split("\n")
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


def _packed_texts(texts: Sequence[str]) -> str:
    return _packed(json.dumps(texts).encode())


def _packed(content: bytes) -> str:
    return b64encode(compress(content, 9)).decode()
