"""Which class reads a stored run, and what it may return."""

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.servers.runs_without_report import run_without_report

from arena.errors import PluginError, StoreError
from arena.plugins.manager import installed_kinds
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import KIND, kind_of, stored_run
from arena.store.folder import Folder
from arena.store.store import Facts, Store


class Careless(StoredRun, frozen=True):
    """Forgets to return the run."""

    @classmethod
    def read(cls, *_: object) -> None:  # type: ignore[override]
        return None


def test_a_reader_that_returns_no_run_is_named(tmp_path: Path) -> None:
    folder = Folder(run_without_report(tmp_path / "run"))
    with sqlite3.connect(folder.database) as database:
        database.execute("INSERT INTO run VALUES (?, 'careless')", [KIND])
    known = replace(installed_kinds(), stored={"careless": f"{__name__}:Careless"})
    with Store(folder.database) as store, pytest.raises(PluginError, match=r"Careless\.read: found NoneType; expected a StoredRun"):
        stored_run(folder, store, known)


@pytest.mark.parametrize(
    ("place", "error"), [("arena.nowhere:Class", PluginError), ("arena.text:shorten", PluginError), (None, StoreError)]
)
def test_a_kind_without_its_class_is_refused(place: str | None, error: type[Exception], tmp_path: Path) -> None:
    known = replace(installed_kinds(), stored={} if place is None else {"solo": place})
    with pytest.raises(error):
        kind_of(Folder(tmp_path), Facts(tmp_path, {KIND: "solo"}), known)
