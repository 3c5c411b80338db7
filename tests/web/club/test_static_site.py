"""The static site of a league shows the same table, a page for each bot and the hands, and nothing secret."""

import re
from pathlib import Path

import pytest
from clubs import BOT, league, token
from msgspec import json

from arena.plugins import manager
from arena.runs.leagues.export import export
from arena.runs.leagues.moments import now
from arena.runs.leagues.observer import LeagueObserver
from arena.runs.leagues.run import StopRule, run
from arena.runs.leagues.submit import submit
from arena.runs.runner import Runner
from arena.web.club import static_site
from arena.web.club.views import table
from arena.web.club.watch import LeagueWatch


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    path = league(folder)
    for author in ("ann", "ben"):
        (folder / "bot.py").write_bytes(BOT + f"# of {author}\n".encode())
        assert submit(path, str(folder / "bot.py"), author, f"{author}-bot", lambda _: None).version
    run(path, Runner(manager.load(entry_points=False), "serial"), StopRule(matches=6), LeagueObserver(), None)
    return path


def test_the_site_has_the_same_table_bots_reports_and_replays_and_can_be_written_again(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    for _ in range(2):
        export(played, out, now(), now())
        assert static_site.write(out) == 2
    text = (out / "index.html").read_text()
    cells = re.findall(r"<td[^>]*>(?:<a[^>]*>)?([^<]*)", text)
    shown = table(LeagueWatch(played, lambda _: None).read_once())
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


def test_nothing_secret_is_in_the_site(played: Path, tmp_path: Path) -> None:
    text = token(played, "ann")
    export(played, tmp_path / "public", now(), now())
    static_site.write(tmp_path / "public")
    secret = (played / "season-1.secret").read_text().strip()
    for path in (tmp_path / "public").rglob("*"):
        assert path.name not in ("tokens.json", "uploads", "logs")
        if path.is_file():
            assert not any(one.encode() in path.read_bytes() for one in (text, secret))
