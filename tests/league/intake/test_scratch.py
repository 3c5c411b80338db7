"""Folders for what is not complete yet, which several submissions at once make and clear away."""

import os
import shutil
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.league.intake.scratch import PREFIX, move_into_place, scratch


def test_what_a_killed_submission_left_is_removed_after_a_day(tmp_path: Path) -> None:
    old, recent = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}recent"
    old.mkdir()
    recent.mkdir()
    os.utime(old, (0, 0))
    with scratch(tmp_path) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {recent.name, folder.name}
    assert list(tmp_path.iterdir()) == [recent]


def test_a_folder_that_another_submission_removes_meanwhile_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / f"{PREFIX}gone"
    gone.mkdir()
    listed = Path.glob

    def glob(path: Path, pattern: str) -> list[Path]:
        found = list(listed(path, pattern))
        shutil.rmtree(gone)
        return found

    monkeypatch.setattr(Path, "glob", glob)
    with scratch(tmp_path) as folder:
        assert folder.is_dir()


def test_a_folder_is_moved_to_its_place_unless_it_is_there(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(name)
        move_into_place(tmp_path / name, tmp_path / "place")
    assert (tmp_path / "place" / "bot.py").read_text() == "one"
    with pytest.raises(StoreError, match="away/place: cannot be written"):
        move_into_place(tmp_path / "two", tmp_path / "away" / "place")
