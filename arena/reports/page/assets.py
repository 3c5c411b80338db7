"""The scripts, styles and templates in this folder.

Names, titles and faults come from anybody. Templates escape all text, JSON in a page cannot end its ``<script>``, and the content
security policy lets only the scripts of this folder run.
"""

import re
from base64 import b64encode
from functools import cache, partial
from gzip import compress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from arena.gin.cards import RED, with_signs
from arena.reports.describe import ended_words, margin_words
from arena.reports.fixture_names import fixture_words, meeting_words
from arena.reports.numbers import LARGE_FIELD, count, ends, hand_words, signed, typeset, won_and_lost
from arena.reports.priced_turns import action_words, best_words, price
from arena.stats import statements
from arena.stats.statements import Statement
from arena.suggestions import capital
from arena.text import json_text, printable

FOLDER = Path(__file__).parent
LIBRARIES = ("vendor/d3.min.js", "vendor/plot.umd.min.js")
REPLAY_SCRIPTS = (
    *LIBRARIES,
    "numbers.js",
    "dom.js",
    "estimates.js",
    "game.js",
    "motion.js",
    "moves.js",
    "curves.js",
    "board.js",
    "retry.js",
    "replay.js",
)
REPORT_SCRIPTS = (*REPLAY_SCRIPTS, "charts.js", "report.js")  # a page of a large field has matrix.js before the last
ROWS_AT_FIRST = 20  # of a table with a row for each bot of a large field; the others are packed until they are asked for
COMMENT_OR_INDENTATION = re.compile(r"^[ \t]*(//.*|/\*.*?\*/|/\*\*\n([ \t]*\*.*\n)+)\n?|^[ \t]+", re.MULTILINE)
WITH_HYPHEN = re.compile(r"\S*-\S+")
SPACED_SIGN = re.compile(r"\s*([{};])\s*")  # of a style, which needs no space there; none of our strings has such a sign


@cache
def text(name: str) -> str:
    """Return the text of a file in this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def compact(name: str) -> str:
    """Return the text of a script or style without indentation and most comments on lines of their own; a library as it is."""
    short = text(name) if name in LIBRARIES else COMMENT_OR_INDENTATION.sub("", text(name))
    return SPACED_SIGN.sub(r"\1", short) if name.endswith(".css") else short


@cache
def environment() -> jinja2.Environment:
    """Return the environment of the templates, which escapes all values."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        finalize=visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cards"] = cards
    environment.filters["action_words"] = action_words
    environment.filters["best_words"] = best_words
    environment.filters["price"] = price
    environment.filters["step"] = step
    environment.filters["hand"] = partial(hand_words, alone=False)
    environment.filters["amount"] = count
    environment.filters["signed"] = signed
    environment.filters["thousands"] = "{:,}".format
    environment.filters["capital"] = capital
    environment.filters["ended"] = ended_words
    environment.filters["fixture_words"] = fixture_words
    environment.filters["meeting_words"] = meeting_words
    environment.filters["margin"] = margin_words
    environment.filters["won_and_lost"] = won_and_lost
    environment.filters["verbatim"] = verbatim
    environment.filters["whole_words"] = whole_words
    environment.filters["json_block"] = json_block
    environment.filters["pack"] = pack
    environment.filters["split_rows"] = split_rows
    environment.globals["ends"] = ends
    environment.globals["rows_at_first"] = ROWS_AT_FIRST
    environment.globals["statements"] = statements
    environment.globals["pack_sources"] = pack_sources
    environment.globals["source"] = lambda name: Markup(compact(name))  # noqa: S704 - files of this folder, not from a user
    return environment


def visible(value: object) -> object:
    """Return text with invisible characters escaped and numbers typeset; other values and our own markup are not changed."""
    return typeset(printable(str(value))) if isinstance(value, (str, Statement)) and not isinstance(value, Markup) else value


def verbatim(text: object) -> Markup:
    """Return text to be copied or compared, escaped: a command, a spec, a message."""
    return escape(printable(str(text)))


def whole_words(text: object) -> Markup:
    """Return text in which no line breaks at a hyphen, as in the names of bots and options, unless the word alone is too long."""
    return Markup(WITH_HYPHEN.sub(r'<span class="word">\g<0></span>', str(escape(visible(text)))))  # noqa: S704 - it is escaped


def cards(text: str) -> Markup:
    """Return words with the signs of their cards, those of red suits red."""
    red = RED.sub(r'<span class="suit">\g<0></span>', str(escape(with_signs(printable(text)))))
    return Markup(red)  # noqa: S704 - escaped, but for the spans


def step(name: object) -> str:
    """Return text escaped for one part of a path or of a fragment, ``#/match/STEP``."""
    return quote(str(name), safe="")


def json_block(value: object) -> Markup:
    """Return a value as JSON that cannot end a ``<script>`` or open a comment."""
    safe = json_text(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - it has no angle bracket


def pack(value: object) -> Markup:
    """Return a value as JSON, compressed and in base64, for ``unpack.js``; the same value gives the same text."""
    return Markup(b64encode(compress(json_text(value).encode(), mtime=0)).decode())  # noqa: S704 - letters, digits, +, / and =


def split_rows(rows: Markup) -> tuple[Markup, list[str]]:
    """Return the rows of a table that a page shows at first, and the others, which it packs; each ends with its tag."""
    each = [f"{row}</tr>\n" for row in rows.split("</tr>")[:-1]]
    if len(each) <= LARGE_FIELD:
        return rows, []
    return Markup("".join(each[:ROWS_AT_FIRST])), each[ROWS_AT_FIRST:]  # noqa: S704 - all text in rows is escaped


@cache
def pack_sources(names: tuple[str, ...]) -> Markup:
    """Return scripts of this folder, packed: the same for every report."""
    return pack([compact(name) for name in names])


def policy(scripts: tuple[str, ...]) -> str:
    """Return the content security policy of a page that embeds these scripts: only they run, and nothing is fetched."""
    hashes = " ".join(f"'sha256-{_digest(name)}'" for name in ("unpack.js", *scripts))
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def _digest(script: str) -> str:
    return b64encode(sha256(compact(script).encode()).digest()).decode()
