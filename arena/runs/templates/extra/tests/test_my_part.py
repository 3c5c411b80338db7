"""Tests of my-part: run them with ``python -m pytest``."""

from pathlib import Path

from my_part.command import my_part
from my_part.plugin import arena_pages
from my_part.run import MyPart

from arena.plugins.manager import installed_kinds
from arena.store.folder import Folder
from arena.store.store import Store
from arena.testing import check_page


def test_a_run_is_made_and_read(tmp_path: Path) -> None:
    my_part(tmp_path / "run")
    folder = Folder(tmp_path / "run")
    with Store(folder.database) as store:
        run = MyPart.read(folder, store, store.begun_facts(), installed_kinds())
        assert (run.names, run.finished, len(list(store.records()))) == (("one", "other"), True, 2)


def test_every_link_of_the_page_leads_somewhere() -> None:
    check_page(arena_pages()["my-part"])
