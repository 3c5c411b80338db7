"""Short runs of two bots on disk, played by commands, and what is on record of them."""

from pathlib import Path

from support.commands.calls import arena
from support.matches.records import untimed

from arena.errors import StoreError
from arena.records import MatchRecord
from arena.store.store import Store

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    pass
"""


def league(folder: Path, *more: str, text: str = BOT) -> Path:
    """Write a spec for short matches of two bots on disk, whose folder tells their processes, and return its path."""
    folder.chmod(0o755)  # for root plays its bots as somebody else
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    path = folder / "league.yaml"
    lines = ["title: League", "bots: [{bot: 'one.py:Mine', name: one}, {bot: 'two.py:Mine', name: two}]", *more]
    if not any(line.startswith("rules:") for line in more):
        lines.append("rules: {target: 30, best_of: 1}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def finished_run(folder: Path, *lines: str) -> Path:
    """Play a league to its end, and return the folder of the run."""
    done = arena("run", league(folder, *lines), "--results", folder / "run", "--seed", "s")
    assert done.returncode == 0, done.stderr
    return folder / "run"


def matches_stored(results: Path) -> int:
    """Return how many matches of a run are on record; 0 before it has begun."""
    try:
        with Store(results / "arena.sqlite") as store:
            return store.count()
    except StoreError:
        return 0


def stored(results: Path) -> dict[str, MatchRecord]:
    """Return the records of a run by their fixtures, without the times, which differ from run to run."""
    with Store(results / "arena.sqlite") as store:
        return {record.fixture.id: untimed(record) for record in store.records()}
