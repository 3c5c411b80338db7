"""The inbox of a league: names, limits, full disks and kills, in this process."""

import errno
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from support.leagues.sites import BOT, jobs_of
from support.leagues.sites import send as send_with

from arena.errors import InputError, StoreError
from arena.league import jobs, uploads
from arena.league.jobs import DRAFT, GIVEN_UP, MOST_LOST, RECORD, JobQueue, JobRunner, TooManyRequestsError
from arena.league.leagues import BODY, JOBS
from arena.league.uploads import Upload, UploadDraft
from arena.moments import Moment


class Usage(NamedTuple):
    """What ``shutil.disk_usage`` returns."""

    total: int
    used: int
    free: int


LIMITS = uploads.UploadLimits(size=1000, an_hour=4, waiting=3, free=0)
send = partial(send_with, limits=LIMITS)


def receiving(queue: JobQueue) -> AbstractContextManager[UploadDraft]:
    return uploads.receiving(queue, LIMITS, "ann", "mine.py", None)


def next_upload(queue: JobQueue, postponed: Mapping[str, int] = MappingProxyType({})) -> Upload:
    found = queue.next((Upload,), postponed)
    assert isinstance(found, Upload)
    return found


def begin(queue: JobQueue) -> Upload:
    """Begin the next audition, as the runner does."""
    return queue.change(replace(next_upload(queue), state="running"))


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("mine.py", "mine.py"),
        ("../../etc/cron.d/mine.py", "mine.py"),
        ("..\\..\\mine.py", "mine.py"),
        ("/etc/passwd.py", "passwd.py"),
        ("my bot (1).py", "my-bot-1-.py"),
        (".hidden.py", "hidden.py"),
        ("--author=eve.py", "author-eve.py"),
        ("a\0b\n.py", "a-b-.py"),
        ("<script>alert(1)</script>.py", "script-.py"),
        ("x" * 300 + ".tar.gz", "x" * 93 + ".tar.gz"),
        ("x-" * 90 + "yy.py", "x-" * 47 + "yy.py"),  # the last 100 begin with a dash
        ("mine-1.0-py3-none-any.whl", "mine-1.0-py3-none-any.whl"),
        ("m\u202eyp.enim.py", "m-yp.enim.py"),
    ],
)
def test_a_file_is_stored_under_the_last_part_of_its_name_without_unusual_characters(
    sent: str, stored: str, tmp_path: Path
) -> None:
    assert uploads.clean(sent) == stored
    with jobs_of(tmp_path, LIMITS) as inbox:
        upload = send(inbox, file=sent)
        assert Path(upload.source(tmp_path)).read_bytes() == BOT
        assert Path(upload.source(tmp_path)).parents[2] == tmp_path / JOBS


@pytest.mark.parametrize("sent", ["", "..", "../", "/", ".py", "mine", "....", "\0", "\u202e"])
def test_a_file_without_a_name_and_an_ending_is_refused(sent: str) -> None:
    with pytest.raises(InputError, match="expected a name with an ending"):
        uploads.clean(sent)


def test_uploads_are_numbered_in_the_order_in_which_they_came_and_survive_a_restart(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        sent = [send(inbox, author=author) for author in ("ann", "ben")]
        assert [upload.id for upload in sent] == ["000001", "000002"]
    with jobs_of(tmp_path, LIMITS) as inbox:
        assert inbox.waiting(Upload) == sent
        assert [upload.author for upload in inbox.of(Upload, "ben")] == ["ben"]
        assert send(inbox).id == "000003"


def test_only_the_owner_of_the_folder_reads_what_was_sent(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS):
        assert (tmp_path / JOBS).stat().st_mode & 0o777 == 0o700


def left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / JOBS).iterdir() if path.name != "arena.lock")


def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        with (
            pytest.raises(uploads.UploadTooLargeError, match="larger than 1000 bytes"),
            receiving(inbox) as draft,
        ):
            draft.write(b"x" * 999)
            draft.write(b"xx")
        assert left(tmp_path) == []
        assert inbox.all(Upload) == []


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox, pytest.raises(InputError, match="the file is empty"):
        send(inbox, content=b"")


def test_an_author_may_have_so_few_uploads_in_the_queue_that_others_have_their_turn(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        for _ in range(3):
            send(inbox)
        with pytest.raises(TooManyRequestsError, match="3 uploads of ann are not over"):
            send(inbox)
        assert send(inbox, author="ben").id == "000004"


def test_uploads_that_are_being_sent_count_too(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        drafts = [receiving(inbox) for _ in range(4)]
        for draft in drafts[:3]:
            draft.__enter__()
        with pytest.raises(TooManyRequestsError):
            drafts[3].__enter__()
        for draft in drafts[:3]:
            draft.__exit__(None, None, None)
        assert send(inbox)
        assert left(tmp_path) == ["000001"]


def test_an_author_may_send_only_a_few_within_an_hour_also_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        for _ in range(4):
            inbox.end(send(inbox))
    with jobs_of(tmp_path, LIMITS) as inbox:
        with pytest.raises(TooManyRequestsError, match="4 uploads of ann were asked for within an hour"):
            send(inbox)
        monkeypatch.setattr(jobs, "now", lambda: Moment("2999-01-01T00:00:00Z"))
        assert send(inbox).id == "000005"


def test_as_many_uploads_are_remembered_as_an_author_may_send_within_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT", 3)
    with jobs_of(tmp_path, uploads.UploadLimits(an_hour=5, free=0)) as inbox:
        for _ in range(5):
            inbox.end(send(inbox))
        with pytest.raises(TooManyRequestsError, match="5 uploads of ann"):
            send(inbox)


def test_nothing_is_received_when_the_disk_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = uploads.UploadLimits(size=1000, free=5000)
    with jobs_of(tmp_path, limits) as inbox:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10_000, 4_500, 5_500))
        with pytest.raises(uploads.DiskFullError, match="the disk of the league is full"):
            send(inbox, limits=limits)


def test_nothing_is_received_when_the_league_stores_as_much_as_it_may(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "big").write_bytes(b"x" * 5000)
    limits = uploads.UploadLimits(size=1000, stored=5500, free=0)
    with jobs_of(tmp_path, limits) as inbox, pytest.raises(uploads.DiskFullError, match="as many bots"):
        send(inbox, limits=limits)


class FullFile:
    """A file on a disk that is full."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, _: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        self.file.close()


def test_a_disk_that_becomes_full_leaves_nothing(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        with pytest.raises(uploads.DiskFullError), receiving(inbox) as draft:
            draft._body = FullFile(draft._body)  # type: ignore[assignment] # noqa: SLF001 - as a full disk answers
            draft.write(BOT)
        assert left(tmp_path) == []


def test_a_number_is_given_only_to_what_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("job.json: cannot be written: No space left on device")

    with jobs_of(tmp_path, LIMITS) as inbox:
        monkeypatch.setattr(jobs, "_write", full)
        with pytest.raises(StoreError, match="No space left"):
            send(inbox)
        assert (left(tmp_path), inbox.all(Upload)) == ([], [])


def test_what_was_killed_before_it_had_a_number_is_removed_at_the_next_start(tmp_path: Path) -> None:
    half = tmp_path / JOBS / f"{DRAFT}abc" / BODY
    half.mkdir(parents=True)
    (half / "mine.py").write_bytes(BOT)
    with jobs_of(tmp_path, LIMITS) as inbox:
        assert (left(tmp_path), inbox.all(Upload)) == ([], [])


def test_what_was_killed_during_its_audition_is_tested_again_but_not_without_end(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        send(inbox)
    for lost in range(MOST_LOST):
        with jobs_of(tmp_path, LIMITS) as inbox:
            upload = next_upload(inbox)
            assert (upload.state, upload.lost) == ("waiting", lost)
            begin(inbox)
    changed: list[jobs.ServerJob] = []
    with jobs_of(tmp_path, LIMITS) as inbox:
        JobRunner("auditions", inbox, (Upload,), changed=changed.append).poll()
        assert (inbox.next((Upload,), {}), inbox.all(Upload)) == (None, changed)
        (ended,) = changed
        assert (ended.state, ended.reason) == ("refused", GIVEN_UP)


def test_an_audition_counts_as_lost_once_and_one_that_was_never_begun_does_not(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        send(inbox)
        begin(inbox)
    for _ in range(2 * MOST_LOST):
        with jobs_of(tmp_path, LIMITS) as inbox:  # killed before it is begun again
            assert (next_upload(inbox).state, next_upload(inbox).lost) == ("waiting", 1)


def test_an_upload_whose_test_could_not_be_begun_comes_after_the_others(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        first, second = send(inbox), send(inbox, author="ben")
        assert inbox.next((Upload,), {}) == first
        assert inbox.next((Upload,), {first.id: 1}) == second
        assert inbox.next((Upload,), {first.id: 1, second.id: 1}) == first


def test_after_the_verdict_the_file_is_removed_and_the_last_verdicts_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT", 3)
    with jobs_of(tmp_path, uploads.UploadLimits(an_hour=3, free=0)) as inbox:
        for day in range(5):
            monkeypatch.setattr(jobs, "now", lambda day=day: Moment(f"2999-01-0{day + 1}T00:00:00Z"))
            inbox.end(send(inbox))
        assert [upload.id for upload in inbox.of(Upload, "ann")][-1] == "000003"
        assert len(left(tmp_path)) == 3
        assert not list((tmp_path / JOBS).rglob("mine.py"))


def test_a_damaged_upload_is_one_line(tmp_path: Path) -> None:
    with jobs_of(tmp_path, LIMITS) as inbox:
        send(inbox)
    (tmp_path / JOBS / "000001" / RECORD).write_text("{")
    with pytest.raises(StoreError, match=r"job\.json: cannot be read"), jobs_of(tmp_path, LIMITS):
        pass
