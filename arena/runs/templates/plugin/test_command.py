"""Tests of my-part: run them with ``python -m pytest``."""

from pathlib import Path

import pytest
from my_part import my_part

import arena
from arena.sdk import Bot


class Mine(Bot):
    """Plays as the SDK does by default."""


def test_it_prints_the_first_sentence_of_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = arena.play([Mine, Mine], pairs=1, rules="tournament", results=tmp_path / "run", quiet=True)
    my_part(run.path)
    assert capsys.readouterr().out == f"{run.summary}\n"


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(arena.ArenaError):
        my_part(tmp_path)
