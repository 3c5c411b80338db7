"""A comparison as a picture: SVG, a bar for each program, the lengths on a scale of powers of ten."""

from itertools import count
from math import log10
from xml.sax.saxutils import escape

from peers import Benchmark, Row

WIDTH, LABELS, DECADE = 800, 190, 150  # pixels: the picture, the names, a factor of ten
LINE, BAR = 26, 16  # pixels: from a row to the next, a bar
STYLE = "text{font:13px sans-serif;fill:#222}.title{font-weight:bold}.bar{fill:#9ab}.own{fill:#27c}"


def svg(comparisons: tuple[Benchmark, ...], heading: str) -> str:
    """Return the picture; arena's bars are blue."""
    lines = [_text(10, heading, ""), _text(10, "Bars on a logarithmic scale", "")]
    for comparison in comparisons:
        least = min(row.value for row in comparison.rows)
        lines += [_text(10, "", ""), _text(10, comparison.title, "title")]
        lines += [_row(row, least) for row in comparison.rows]
    body = "".join(f'<g transform="translate(0,{at})">{line}</g>' for at, line in zip(count(LINE, LINE), lines, strict=False))
    height = LINE * (len(lines) + 1)
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{body}</svg>\n'


def _row(row: Row, least: float) -> str:
    length = DECADE * (log10(row.value / least) + 0.2)
    kind = "own" if row.ratio == 1 else "bar"
    bar = f'<rect class="{kind}" x="{LABELS}" y="{4 - BAR}" width="{length:.0f}" height="{BAR}"/>'
    return _text(10, row.label, "") + bar + _text(LABELS + length + 8, f"{row.value:,.0f} {row.unit}{_ratio(row)}", "")


def _ratio(row: Row) -> str:
    return "" if row.ratio == 1 else f"; arena: {row.ratio:.2g} times as fast"


def _text(x: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}">{escape(text)}</text>'
