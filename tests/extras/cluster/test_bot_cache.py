"""The copies of bots on a worker's machine: what is written, shared, locked and removed."""

import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from msgspec.structs import replace
from support.matches.sent_bots import equip, sent

from arena.errors import StoreError
from arena.extras.cluster.bot_cache import LIMIT_VARIABLE, BotCache, CopyGoneError
from arena.extras.cluster.files import Piece, digest, library_pieces, pieces, shipment_of
from arena.roster.entrant import Launch


def test_what_arrives_with_another_digest_is_thrown_away(program: Launch, cache: BotCache) -> None:
    one = shipment_of(program)
    cache.write("draft", [*pieces(program, one), Piece("more", "-", b"", begins=True)])
    with pytest.raises(StoreError, match="what arrived has the digest"):
        cache.complete("draft", one.digest)
    assert cache.lacks(one.digest)
    assert [path.name for path in cache.folder.iterdir()] == []


def test_a_copy_that_was_changed_is_sent_again(program: Launch, cache: BotCache) -> None:
    here = sent(program, cache)
    (Path(here.folder) / "run").write_text("#!/bin/sh\ncheat\n", encoding="ascii")
    again = BotCache(cache.folder)  # another process
    assert again.lacks(shipment_of(program).digest)
    assert sent(program, again) == here
    assert (Path(here.folder) / "run").read_text(encoding="ascii") == "#!/bin/sh\n"


def test_two_workers_may_receive_a_bot_at_once(program: Launch, cache: BotCache) -> None:
    one = shipment_of(program)
    for draft in ("mine", "yours"):
        cache.write(draft, pieces(program, one))
    for draft in ("mine", "yours"):
        cache.complete(draft, one.digest)
    assert sorted(path.name for path in cache.folder.iterdir()) == sorted([".lock", one.digest])


def test_copies_can_be_read_by_the_user_that_bots_run_as(program: Launch, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        here = sent(program, BotCache(tmp_path / "cache"))
    finally:
        os.umask(before)
    for path in (Path(here.folder), *Path(here.folder).rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o004
    bots_are_others = os.geteuid() == 0
    assert bool((tmp_path / "cache").stat().st_mode & 0o001) == bots_are_others


def test_a_full_disk_is_one_line_that_names_the_draft_and_keeps_nothing_of_it(cache: BotCache) -> None:
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"/\.new-draft: cannot be written: File too large"):
            cache.write("draft", [Piece("weights", "-", bytes(1000), begins=True)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert list(cache.folder.iterdir()) == []


@pytest.mark.parametrize("place", ["/etc/passwd", "../out", "a/../../out", ""])
def test_nothing_is_written_outside_of_the_folder(place: str, cache: BotCache) -> None:
    with pytest.raises(StoreError, match="expected a place inside the bot's folder"):
        cache.write("draft", [Piece(place, "-", b"", begins=True)])


def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(StoreError, match="expected a folder that belongs to this user"):
        BotCache(tmp_path / "open")


def test_a_cache_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"/file: cannot be made: File exists"):
        BotCache(tmp_path / "file")


def test_bots_with_the_same_libraries_share_one_copy(with_libraries: Launch, cache: BotCache, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run").write_text("#!/bin/sh\n", encoding="ascii")
    environment = (("PYTHONPATH", with_libraries.reads[0]),)
    command, folder = (str(tmp_path / "other" / "run"),), str(tmp_path / "other")
    other = replace(with_libraries, command=command, folder=folder, environment=environment)
    assert equip(with_libraries, cache).reads == equip(other, cache).reads
    assert len([copy for copy in cache.folder.iterdir() if len(copy.name) == 64]) == 3


@pytest.mark.parametrize("text", ["8 GiB", "-1", "", "1.5"])
def test_a_limit_that_is_not_a_valid_number_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, text)
    with pytest.raises(StoreError, match=f"ARENA_BOT_CACHE_MIB: found '{text}'; expected a number of mebibytes"):
        BotCache(tmp_path / "cache")


def test_a_copy_that_cannot_get_its_name_is_one_line(program: Launch, cache: BotCache) -> None:
    (cache.folder / ".lock").mkdir()
    with pytest.raises(StoreError, match=r"\.lock: cannot be written: Is a directory"):
        equip(program, cache)


def test_the_copies_that_were_not_used_for_longest_make_room(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    equip(with_libraries, small)
    assert not small.lacks(shipment_of(with_libraries).digest)
    [libraries] = shipment_of(with_libraries).environments
    assert small.lacks(libraries.digest)
    with pytest.raises(CopyGoneError), small.using([libraries.digest]):
        pass


def test_a_copy_that_is_played_with_stays(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    [libraries] = shipment_of(with_libraries).environments
    small.write("libraries", library_pieces(libraries))
    small.complete("libraries", libraries.digest)
    with BotCache(small.folder, limit=1).using([libraries.digest]):
        sent(with_libraries, small)
        assert not small.lacks(libraries.digest)
    assert small.lacks(shipment_of(with_libraries).digest) is False


PLAYING = """
import sys
from pathlib import Path
from arena.extras.cluster.bot_cache import BotCache
with BotCache(Path(sys.argv[1])).using([sys.argv[2]]):
    print("playing", flush=True)
    sys.stdin.read()
"""


@contextmanager
def playing(cache: BotCache, digest: str) -> Iterator[subprocess.Popen[str]]:
    """Give another worker's process that plays with a copy until it is killed."""
    line = [sys.executable, "-c", PLAYING, str(cache.folder), digest]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        assert worker.stdout.readline() == "playing\n"
        yield worker
        worker.kill()


def hidden(cache: BotCache) -> set[str]:
    """Return what is beside the copies."""
    return {place.name for place in cache.folder.iterdir() if place.name.startswith(".")} - {".lock"}


def test_what_a_killed_worker_played_with_makes_room_and_leaves_no_lock(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    [libraries] = shipment_of(with_libraries).environments
    small.write("libraries", library_pieces(libraries))
    small.complete("libraries", libraries.digest)
    with playing(small, libraries.digest) as worker, playing(small, libraries.digest):
        worker.kill()
        worker.wait()
        bot = shipment_of(with_libraries).digest
        sent(with_libraries, small)  # the other worker plays with the libraries still
        assert not small.lacks(libraries.digest)
    small.write("new", [Piece("some", "-", b"some", begins=True)])
    new = digest((path, path.name) for path in (small.folder / ".new-new").iterdir())
    small.complete("new", new)
    assert {place.name for place in small.folder.iterdir()} == {".lock", new}
    assert small.lacks(bot)


def test_a_lock_that_was_removed_while_somebody_waited_for_it_holds_nothing(
    program: Launch, cache: BotCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(program, cache)
    one = shipment_of(program).digest
    lock, flock = cache.folder / f".use-{one}", fcntl.flock

    def remove_before(file: IO[str], how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        lock.unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", remove_before)
    with cache.using([one]), lock.open("w") as file, pytest.raises(BlockingIOError):
        flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_draft_that_nobody_adds_to_any_more_is_removed(program: Launch, cache: BotCache) -> None:
    for draft in ("left", "growing"):
        cache.write(draft, [Piece("some", "-", b"some", begins=True)])
    os.utime(cache.folder / ".new-left", (0, 0))
    (cache.folder / ".old-left").mkdir()
    os.utime(cache.folder / ".old-left", (0, 0))
    sent(program, cache)
    assert hidden(cache) - {f".use-{shipment_of(program).digest}"} == {".new-growing"}
