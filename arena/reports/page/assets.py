"""Scripts, styles and templates as they stand in this folder."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from msgspec.json import encode

FOLDER = Path(__file__).parent
LIBRARIES = ("vendor/d3.min.js", "vendor/plot.umd.min.js")
REPORT_SCRIPTS = (*LIBRARIES, "dom.js", "game.js", "replay.js", "charts.js", "report.js")


@cache
def text(name: str) -> str:
    """Return the text of a file in this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def environment() -> jinja2.Environment:
    """Return the templates' environment: whatever is put into a page is escaped, for names and faults may say anything."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["step"] = step
    made.filters["json_block"] = json_block
    made.globals["source"] = lambda name: Markup(text(name))  # noqa: S704 - files of this folder, not of a user
    return made


def step(name: object) -> str:
    """Return a text as one step of a fragment, ``#/match/STEP``."""
    return quote(str(name), safe="")


def json_block(value: object) -> Markup:
    """Return a value as JSON that ends no ``<script>`` and opens no comment, whatever the texts in it say."""
    safe = encode(value).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026").decode()
    return Markup(safe.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704 - no angle bracket is left


def policy(scripts: tuple[str, ...]) -> str:
    """Return the content security policy of a page that has these scripts in it: they alone run, and nothing is fetched."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(text(name).encode()).digest()).decode()}'" for name in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
