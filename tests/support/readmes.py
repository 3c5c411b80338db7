"""The fenced blocks of the READMEs."""

import re
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(Struct, frozen=True):
    """A fenced block."""

    page: str  # its README, from the root
    number: int  # in the page
    language: str
    text: str
    before: str  # the paragraph that leads to it

    @property
    def file(self) -> str | None:
        """Return the name under which the page says to save it."""
        named = re.findall(r"`([\w-]+\.(?:py|yaml|awk))`", self.before)
        return named[-1] if named else None


def pages() -> list[Path]:
    """Return every README of the repository."""
    hidden = (".", "results", "build")
    return sorted(path for path in ROOT.rglob("README.md") if not path.relative_to(ROOT).parts[0].startswith(hidden))


def blocks(language: str) -> list[Block]:
    """Return the blocks in a language, of all pages."""
    return [block for page in pages() for block in _blocks(page) if block.language == language]


def _blocks(page: Path) -> list[Block]:
    text, name = page.read_text(encoding="utf-8"), str(page.relative_to(ROOT))
    return [
        Block(name, number, found.group(1), found.group(2), text[: found.start()].rstrip().rpartition("\n\n")[2])
        for number, found in enumerate(BLOCK.finditer(text))
    ]
