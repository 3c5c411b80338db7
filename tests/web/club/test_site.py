"""The static site of a league: the same table, a page for each bot and the hands, nothing secret, and never half of it."""

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from msgspec import json
from support.commands.calls import arena, command
from support.leagues.sites import play, token, with_results
from support.processes.syscalls import Interruption, interrupted_everywhere, needs_ptrace
from support.processes.waiting import until
from support.records.reviewed_hands import reviewed_hand
from support.sizes import mostly_nightly, size

from arena.errors import StoreError
from arena.league.exported import export
from arena.league.show import league_report, text_table
from arena.moments import now
from arena.runs.review_cache import keep
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import static_site
from arena.web.club.watch import BUG_PAUSE, LeagueWatch

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_results(tmp_path_factory.mktemp("exported"))


def test_the_site_has_the_same_table_bots_reports_and_replays_and_can_be_written_again(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    for _ in range(2):
        export(played, out, now(), now(), static_site.write)
    text = (out / "index.html").read_text().replace("−", "-")  # a page has true minus signs
    cells = re.findall(r"<t[dh][^>]*(?:label|row)[^>]*>(?:<a[^>]*>)?([^<]*)", text)
    shown = text_table(league_report(played, None, now()))
    assert cells[: len(shown.headings)][:5] == list(shown.rows[0][:5])
    links = re.findall(r'href="([^"]*)"', text)
    assert {"bots/ann-bot.html", "bots/ben-bot.html", "report.html", "table.json", "arena.sqlite"} <= set(links)
    assert [link for link in links if not link.startswith("data:") and not (out / link).exists()] == []
    page = (out / "bots" / "ann-bot.html").read_text()
    assert "<polyline" in page
    assert 'href="ben-bot.html"' in page
    assert 'href="../index.html"' in page
    assert "<script" not in page
    assert {row["name"] for row in json.decode((out / "table.json").read_bytes())} == {"ann-bot", "ben-bot"}


def test_the_site_has_the_review_of_rounds_that_are_over(played: Path, tmp_path: Path) -> None:
    folder, out = Folder(played), tmp_path / "public"
    snapshot = LeagueWatch(played, lambda _: None).read_once()
    fixture = f"{snapshot.history.played[0].deals}/0"
    with Store(folder.database) as store:
        hands = [reviewed_hand(fixture, "ann-bot@1"), reviewed_hand("r999/ann-bot@1:ben-bot@1/0/0", "ben-bot@1")]
        keep(folder, store.fact("commitment"), "review", hands)
    export(played, out, now(), now(), static_site.write)
    page = (out / "bots" / "ann-bot.html").read_text()
    assert f'href="../report.html#/hand/{quote(fixture, safe="")}/0.0/3"' in page
    assert "Where points are lost" in (out / "report.html").read_text()
    assert "Where points are lost" not in (out / "bots" / "ben-bot.html").read_text()
    assert "r999" not in (out / "reviewed.json").read_text()


def test_nothing_secret_is_in_the_site(played: Path, tmp_path: Path) -> None:
    text = token(played, "ann")
    export(played, tmp_path / "public", now(), now(), static_site.write)
    secret = (played / "season-1.secret").read_text().strip()
    for path in (tmp_path / "public").rglob("*"):
        assert path.name not in ("tokens.json", "uploads", "logs")
        if path.is_file():
            assert not any(one.encode() in path.read_bytes() for one in (text, secret))


@pytest.fixture
def sites(played: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a league and a folder for its site, both in memory, where a process can be killed a hundred times in seconds."""
    with TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(shutil.copytree(played, Path(folder, "friday"))), Path(folder, "public")


def write(league: Path, out: Path, at: str) -> None:
    export(league, out, at, at, static_site.write)


def content(site: Path) -> dict[str, bytes]:
    """Return the files of a site, without the places of the database that count how often SQLite has tried to write it."""
    found = {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    database = found.get("arena.sqlite", b"")
    return found | {"arena.sqlite": database[:24] + database[28:92] + database[96:]}


def differing(site: Path, expected: dict[str, bytes]) -> list[str]:
    """Return the files that are not as expected."""
    there = content(site)
    return sorted(name for name in there.keys() | expected.keys() if there.get(name) != expected.get(name))


OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"  # the moments that the pages name


@needs_ptrace
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("how", mostly_nightly(Interruption, next(iter(Interruption))))
def test_an_export_that_is_interrupted_anywhere_leaves_a_whole_site_and_the_next_one_succeeds(
    sites: tuple[Path, Path], how: Interruption
) -> None:
    every_system_call_of(*sites, how, step=size(16, 1))


def every_system_call_of(league: Path, out: Path, how: Interruption, step: int) -> None:
    """Interrupt the export over an older one, at every ``step``-th system call."""
    write(league, out, NEW)
    new = content(out)
    write(league, out, OLD)
    old = content(out)

    def prepare() -> None:
        if content(out) != old:
            write(league, out, OLD)

    for stop in interrupted_everywhere(lambda: write(league, out, NEW), prepare, how, step):
        assert not (differing(out, old) and differing(out, new)), (stop, differing(out, new))
        assert stop.code != 0 or not differing(out, new)
        write(league, out, NEW)
        assert not differing(out, new), stop
        assert {path.name for path in out.parent.iterdir()} == {"friday", "public"}


IN_A_SMALL_WORLD = """
mount -t tmpfs -o size={size}k small {small} && cp -r {old} {small}/public || exit 99
{export}; echo "exit code $?"; cp -r {small} {copies}/full
mount -o remount,size=100m {small}
{export}; echo "exit code $?"; cp -r {small} {copies}/room
"""


@pytest.mark.process
def test_an_export_for_which_a_disk_has_no_room_leaves_the_earlier_site(played: Path, tmp_path: Path) -> None:
    if subprocess.run(["/usr/bin/unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace of its own can be had here")
    old, small, copies = (tmp_path / name for name in ("old", "small", "copies"))
    write(played, old, OLD)
    for folder in (small, copies):
        folder.mkdir()
    export_line = shlex.join(command("league", "export", played, small / "public"))
    size = sum(len(text) for text in content(old).values()) // 1024 + 300  # of which half a copy is left
    script = IN_A_SMALL_WORLD.format(size=size, small=small, old=old, export=export_line, copies=copies)
    done = subprocess.run(["/usr/bin/unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert [line for line in done.stdout.splitlines() if line.startswith("exit code")] == ["exit code 2", "exit code 0"], done
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arena: {small}/public")
    assert not differing(copies / "full" / "public", content(old))
    assert differing(copies / "room" / "public", content(old))
    assert {path.name for name in ("full", "room") for path in (copies / name).iterdir()} == {"public"}


@pytest.mark.slow
def test_an_export_that_is_killed_at_random_leaves_a_whole_site(played: Path, tmp_path: Path) -> None:
    chance, out = Random(14), tmp_path / "public"
    write(played, out, OLD)
    for _ in range(size(5, 20)):
        with subprocess.Popen(
            command("league", "export", played, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as one:
            time.sleep(chance.uniform(0.5, 3))
            one.kill()
        assert {path.name for path in out.rglob("*.html")} == {"index.html", "report.html", "ann-bot.html", "ben-bot.html"}
        assert arena("verify", out, "--expect", out / "index.html").returncode == 0
    write(played, out, NEW)
    assert {path.name for path in tmp_path.iterdir()} == {"public"}


def test_a_server_that_shows_an_export_shows_the_next_one_too(played: Path, tmp_path: Path) -> None:
    league, out = Path(shutil.copytree(played, tmp_path / "friday")), tmp_path / "public"
    write(league, out, OLD)
    watch = LeagueWatch(out, lambda _: None)
    watch.start()
    try:
        until(lambda: watch.snapshot is not None and watch.snapshot.matches == 6)
        play(league, 2)
        write(league, out, NEW)
        until(lambda: watch.snapshot is not None and watch.snapshot.matches == 8)
    finally:
        watch.stop()


def test_a_database_that_is_replaced_by_an_earlier_one_has_no_negative_pace(played: Path, tmp_path: Path) -> None:
    league, out = Path(shutil.copytree(played, tmp_path / "friday")), tmp_path / "public"
    write(league, out, OLD)
    earlier = Path(shutil.copytree(out, tmp_path / "earlier"))
    play(league, 2)
    write(league, out, NEW)
    watch = LeagueWatch(out, lambda _: None)
    watch.start()
    try:
        until(lambda: watch.snapshot is not None and watch.snapshot.matches == 8)
        (earlier / "arena.sqlite").replace(out / "arena.sqlite")
        until(lambda: watch.snapshot is not None and watch.snapshot.matches == 6)
        assert watch.snapshot is not None
        assert watch.snapshot.pace == 0
    finally:
        watch.stop()


def test_a_league_that_stays_unreadable_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries = []

    def unreadable(path: Path) -> None:
        tries.append(path)
        raise StoreError(f"{path}: is locked")

    monkeypatch.setattr("arena.league.leagues.open_league", unreadable)
    monkeypatch.setattr("arena.web.club.watch.PAUSE", 0.001)
    watch = LeagueWatch(tmp_path, lambda _: None)
    watch.start()
    until(lambda: len(tries) > 3)
    watch.stop()
    assert watch.problem.detail == f"{tmp_path}: is locked"
    assert len(caplog.records) == 1


def test_a_league_is_read_again_a_while_after_a_bug_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path) -> None:
        raise ZeroDivisionError(path)

    monkeypatch.setattr("arena.league.leagues.open_league", broken)
    assert LeagueWatch(tmp_path, lambda _: None).poll() == BUG_PAUSE
