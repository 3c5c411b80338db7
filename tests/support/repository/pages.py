"""The fenced blocks of the pages."""

import re
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```(\w+)( elsewhere)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)  # elsewhere: tests/test_commands_of_pages.py


class Block(Struct, frozen=True):
    """A fenced block."""

    page: str  # from the root
    number: int  # in the page
    language: str
    text: str
    before: str  # the paragraph that leads to it
    elsewhere: bool  # whether it is marked as one that does not run in the tests

    @property
    def file(self) -> str | None:
        """Return the name under which the page says to save it."""
        named = re.findall(r"`([\w-]+\.(?:py|yaml|awk))`", self.before)
        return named[-1] if named else None


def is_here(path: str) -> bool:
    """Tell whether a path is to be found: all are, except in an extra that was deleted."""
    return not path.startswith("arena/extras/") or (ROOT / path).exists()


def pages() -> list[Path]:
    """Return every page of the repository."""
    folders = ("arena", "bots", "tests", "tournaments", ".github")
    below = (path for folder in folders for path in (ROOT / folder).rglob("*.md") if "golden" not in path.parts)
    return [ROOT / "README.md", ROOT / "results" / "README.md", *sorted(below)]


def blocks(language: str) -> list[Block]:
    """Return the blocks in a language, of all pages."""
    return [block for page in pages() for block in _blocks(page) if block.language == language]


def _blocks(page: Path) -> list[Block]:
    text, name = page.read_text(encoding="utf-8"), str(page.relative_to(ROOT))
    return [
        Block(name, number, found[1], found[3], text[: found.start()].rstrip().rpartition("\n\n")[2], bool(found[2]))
        for number, found in enumerate(BLOCK.finditer(text))
    ]
