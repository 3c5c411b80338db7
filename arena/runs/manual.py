"""The pages of the manual: their names, and their places in an installation."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import arena
from arena import distribution
from arena.errors import InputError, PluginError
from arena.plugins import door
from arena.suggestions import did_you_mean

GROUPS = {  # of the core's pages: paths in the repository by name, in the order of the list
    "Begin": {
        "readme": "README.md",
        "commands": "arena/cli/README.md",
        "specs": "tournaments/README.md",
        "results": "results/README.md",
        "rules": "arena/gin/README.md",
    },
    "Write a bot": {
        "bots": "bots/README.md",
        "sdk": "arena/sdk/README.md",
        "protocol": "arena/protocol/README.md",
        "train": "arena/train/README.md",
        "guests": "bots/guests/README.md",
        "awk-counter": "bots/awk_counter/README.md",
        "c-counter": "bots/c_counter/README.md",
        "node-counter": "bots/node_counter/README.md",
        "rust-counter": "bots/rust_counter/README.md",
    },
    "Compare and understand": {
        "compare": "arena/compare/README.md",
        "review": "arena/review/README.md",
        "stats": "arena/stats/README.md",
        "data": "arena/results/DATA.md",
        "python": "arena/PYTHON.md",
    },
    "Leagues and servers": {
        "league": "arena/league/README.md",
        "hosting": "arena/web/HOSTING.md",
    },
    "How it works": {
        "sandbox": "arena/confinement/README.md",
        "tournament": "arena/tournament/README.md",
        "plugins": "arena/plugins/README.md",
        "performance": "arena/PERFORMANCE.md",
        "code": "arena/README.md",
        "decisions": "arena/DECISIONS.md",
        "changelog": "arena/CHANGELOG.md",
    },
}
OF_PLUGINS = "Pages of plugins"
PAGES = {name: path for group in GROUPS.values() for name, path in group.items()}
_COPIES = "pages"  # folder of the pages that are in no package, in a wheel: .packaging/arena_build.py writes it
NOT_PROSE = ("#", "|", "```", "!", "- ")  # how blocks begin that are no paragraphs
_SENTENCE = re.compile(r"(.*?)([.:?])(?= |$)")


@cache
def pages() -> dict[str, str]:
    """Return the place of each page by its name: in the repository; a whole path for a page of a plugin. Raises: PluginError."""
    added = door.pages(door.load())
    if taken := sorted(PAGES.keys() & added.keys()):
        why = f"found {taken[0]!r}, the name of a page of arena; expected another one"
        raise PluginError(f"hook arena_pages, {added[taken[0]]}: {why}")
    own = Path(arena.__path__[0])
    places = {name: f"arena/{path.relative_to(own)}" if own in path.parents else str(path) for name, path in added.items()}
    return {**PAGES, **places}


def page_name(text: str) -> str:
    """Return the name of a page from its name in any case, or its path in the repository. Raises: InputError, PluginError."""
    found = _named(text, PAGES) or _named(text, pages())  # arena's own are shown even if a plugin cannot be loaded
    if not found:
        raise InputError(f"no page {text!r}; {did_you_mean(text.lower(), pages())}arena docs lists them")
    return found


def _named(text: str, known: Mapping[str, str]) -> str:
    name = {path: page for page, path in known.items()}.get(text, text.lower())
    return name if name in known else ""


def markdown(name: str) -> str:
    """Return the written text of a page, to which ``arena.cli.built_pages`` may add. Raises: InputError, if the file is missing."""
    path = PAGES[name] if name in PAGES else pages()[name]
    first, _, inner = path.partition("/")
    own = Path(arena.__path__[0])
    if first == "arena":
        found = own / inner
    elif first == "bots":
        found = _bots() / inner
    else:
        copied = own / _COPIES / path
        found = copied if copied.exists() else own.parent / path
    try:
        return found.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why, what = getattr(error, "strerror", "it is not UTF-8"), "arena" if name in PAGES else "its plugin"
        raise InputError(f"{found}: the page cannot be read: {why}; install {what} again") from None


def title(name: str) -> str:
    """Return the title of a page; of a plugin's that cannot be read, why. Raises: InputError, for a page of arena."""
    try:
        return markdown(name).partition("\n")[0].removeprefix("# ")
    except InputError as error:
        if name in PAGES:
            raise
        return str(error)


def groups() -> dict[str, list[str]]:
    """Return the names of all pages by the heading under which they are listed. Raises: PluginError."""
    return {**{group: [*entries] for group, entries in GROUPS.items()}, OF_PLUGINS: [name for name in pages() if name not in PAGES]}


def first_sentence(name: str) -> str:
    """Return the first sentence of a page in Markdown; empty, if the page cannot be read or has none."""
    try:
        blocks = markdown(name).split("\n\n")[1:]
    except InputError:
        return ""
    written = next((" ".join(one.split()) for one in blocks if one.strip() and not one.strip().startswith(NOT_PROSE)), "")
    found = _SENTENCE.match(written)
    return f"{found[1]}{found[2].replace(':', '.')}" if found else written


def _bots() -> Path:
    found = distribution.folders("arena_bots")
    if not found:
        raise InputError("the package arena_bots is missing; install arena again")
    return found[0]
