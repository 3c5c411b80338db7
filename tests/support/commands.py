"""Arena's commands as a user gives them: as processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from forked import source
from match_records import untimed
from msgspec import json

from arena.cli.app import function, own_commands
from arena.errors import StoreError
from arena.records import MatchRecord
from arena.store.store import Store

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    pass
"""


def command(*arguments: object, python: Path = Path(sys.executable)) -> list[str]:
    """Return the command line of an arena command, as ``python`` has it installed."""
    return [str(python), "-P", "-m", "arena", *map(str, arguments)]


def arena(
    *arguments: object, folder: Path | None = None, typed: str = "", first: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end; one that is given variables of the environment is started anew, any other is forked.

    ``first``: Python that its process runs before it, to be limited or broken.
    """
    known = {**os.environ, "COLUMNS": "80", **environment}
    if environment:
        assert not first
        return subprocess.run(command(*arguments), cwd=folder, input=typed, env=known, capture_output=True, text=True, check=False)
    line = [str(word) for word in arguments]
    ended = source().run(line, folder or Path.cwd(), known, typed, first)
    return subprocess.CompletedProcess(line, ended.code, ended.output, ended.error)


def only_small_files(most: int) -> str:
    """Return what makes a process write no file of more bytes, as if there were no room."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))"
    return f"import sys; sys.dont_write_bytecode = True; {limit}"  # a module cut short would fail in the next process


def document(*arguments: object, **options: Any) -> Any:
    """Return the one JSON document that a command prints."""
    done = arena(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.decode(done.stdout.encode())


def registered() -> list[str]:
    """Return every command of arena, those of groups with their group too."""
    own = own_commands()
    inside = [
        f"{name} {_called(one.name, one.callback)}"
        for name, described in own.items()
        for one in getattr(function(described), "registered_commands", ())
    ]
    return [*own, *inside]


def _called(given: str | None, function: object) -> str:
    return given or str(getattr(function, "__name__", "")).replace("_", "-")


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
