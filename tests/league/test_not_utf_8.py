"""A file that is not UTF-8 is treated as one that is not JSON."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import DamagedError, StoreError
from arena.human.stopped_match import UnfinishedMatch
from arena.league import course, jobs
from arena.league.leagues import read_small
from arena.league.uploads import Upload
from arena.runs.review_cache import SHOWN_FILE, kept_hands
from arena.store.folder import Folder


@pytest.mark.parametrize(
    ("file", "content", "read"),
    [
        ("job.json", b'{"author":"\xff"}', lambda folder: jobs.read_job(folder / "job.json", (Upload,))),
        (course.STORED, b'{"\xff":{}}', course.stored_outcomes),
        (Folder(Path()).unfinished_match.name, b'{"run":"\xff"}', lambda folder: UnfinishedMatch(Folder(folder), "1").read()),
    ],
)
def test_a_file_that_is_needed_is_named_in_one_line(
    file: str, content: bytes, read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / file).write_bytes(content)
    with pytest.raises((StoreError, DamagedError), match=f"{file}: "):
        read(tmp_path)


def test_a_file_that_can_be_written_again_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / SHOWN_FILE).write_bytes(b'{"commitment":"\xff"}')
    assert kept_hands(Folder(tmp_path), "") == ()
    (tmp_path / "small.json").write_bytes(b'"\xff"')
    assert read_small(tmp_path / "small.json", str) is None
