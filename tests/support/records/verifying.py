"""What plays and verifies runs and leagues in this process."""

from pathlib import Path

from arena.plugins import manager
from arena.results.verify import Audit
from arena.runs.runner import Runner
from arena.store.folder import Folder


def runner() -> Runner:
    return Runner(manager.load(entry_points=False), "serial", 1)


def audited(folder: Path, *expected: str) -> tuple[str, Audit]:
    """Return the first difference that is found in a run or league, empty if there is none, and its audit."""
    audit = Audit(Folder(folder), runner())
    return audit.first_difference(expected, lambda _, __: None), audit


def first_difference(folder: Path) -> str:
    return audited(folder)[0]
