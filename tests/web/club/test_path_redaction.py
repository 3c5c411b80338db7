"""Nobody reads on a page where the server keeps anything: files have names relative to their bot."""

import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.sites import BOT, ClubSite, club, league, play

import arena
from arena.errors import StoreError
from arena.league import membership
from arena.league.exported import export
from arena.league.redaction import PathRedactor
from arena.league.requests import ask_comparison
from arena.league.rules.events import Reason
from arena.league.submit import submit_bot
from arena.moments import now
from arena.web.club import static_site
from arena.web.club.own_files import LOG_BYTES
from arena.web.club.watch import UNREADABLE

TALKS = b"""
import json, sys, arena

print("I am", __file__, json.__file__, arena.__file__, sys.executable, file=sys.stderr)
"""
STUMBLES = b"""    def discard(self, view):
        if view.score != (0, 0):
            json.loads("{")
        return super().discard(view)
"""
FAULTY = TALKS + BOT.replace(b"    pass\n", STUMBLES)
BROKEN = TALKS + BOT.replace(b"    pass\n", b"    def discard(self, view):\n        json.loads('{')\n")
MATCHES = 4


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league in which both versions of ann's bot name files of the server in all that they write."""
    folder = tmp_path_factory.mktemp("friday & co")
    path = league(folder, rules="{target: 60, best_of: 1}")
    for author, text in (("ann", FAULTY), ("ann", FAULTY + b"# 2\n"), ("ben", BOT), ("ann", BROKEN)):
        (folder / "bot.py").write_bytes(text)
        submit_bot(path, str(folder / "bot.py"), author, f"{author}-bot", lambda _: None)
    play(path, MATCHES)
    return path


@pytest.fixture
def site(path: Path) -> Iterator[ClubSite]:
    with club(path) as made:
        yield ClubSite(made)


def fails(site: ClubSite) -> None:
    """Have a comparison, an upload and the reading of the league fail with messages that name files of the server."""
    context = site.club.context
    site.upload(site.ann, body=BROKEN)
    site.test_all()
    old, new = context.snapshot.field.of("ann-bot")
    reason = f"{site.path.resolve()}/bots/{old.digest}/bot.py: changed"
    site.jobs.end(ask_comparison(site.jobs, "ann", old, new).failing(reason))
    context.watch.stop()
    context.watch._thread.join()  # noqa: SLF001 - it would forget the problem
    context.watch.problem = Reason(UNREADABLE, f"{site.path}/arena.sqlite: is locked")


def targets(site: ClubSite) -> list[str]:
    fixtures = [one.fixture for one in site.club.context.snapshot.history.faults][:1]
    return [
        *("/", "/table.json", "/bots/ann-bot", "/bots/nobody", "/me", "/organiser", "/ready", "/me/matches.jsonl"),
        *("/me/logs/ann-bot@2", "/api/uploads", "/api/uploads/000001", "/me/uploads/000001", "/me/changes/ann-bot@1/ann-bot@2"),
        *(f"{page}{fixture}" for fixture in fixtures for page in ("/matches/", "/hands?fixture=")),
    ]


@pytest.mark.process
def test_no_page_names_a_folder_of_the_server(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreError(f"{site.path}/arena.sqlite: cannot be written")

    fails(site)
    monkeypatch.setattr(membership, "change_own", refuse)
    answers = {
        f"{target} {bearer}": site.get(target, bearer) for bearer in ("", site.ann, site.organiser) for target in targets(site)
    }
    answers["retire"] = site.send("/me/retire", b"version=ann-bot%402", site.ann)
    places = (site.path.parent, Path(arena.__file__).parent, sys.prefix, sysconfig.get_path("stdlib"), Path.home())
    found = {
        (target, str(place))
        for target, answer in answers.items()
        for place in places
        if re.search(re.escape(str(place).replace("&", "&amp;")) + "|" + re.escape(str(place)), answer.text)
    }
    assert found == set()
    assert answers["retire"].text == "the server cannot do this at the moment; its log says why\n"
    assert f"{UNREADABLE}; arena.sqlite: is locked" in answers[f"/organiser {site.organiser}"].text
    assert "is locked" not in answers[f"/me {site.ann}"].text + answers["/ "].text + answers["/ready "].text
    assert all(int(one.headers["content-length"]) == len(one.body) for one in answers.values() if "content-length" in one.headers)


@pytest.mark.process
def test_a_stack_names_the_files_of_a_bot_as_its_author_knows_them(site: ClubSite) -> None:
    fails(site)
    for target in ("/bots/ann-bot", "/me/matches.jsonl", "/me/uploads/000001", "/api/uploads/000001"):
        text = site.get(target, site.ann).text.replace("&#34;", '"').replace('\\"', '"')
        assert re.search(r'File "(bot|mine)\.py", line \d+, in discard', text), target
    assert re.search(
        r"I am bot\.py lib/python[\d.]+/json/__init__\.py arena/__init__\.py ", site.get("/me/matches.jsonl", site.ann).text
    )
    assert "bot.py: changed" in site.get("/me/changes/ann-bot@1/ann-bot@2", site.ann).text


@pytest.mark.process
def test_an_export_and_its_database_name_no_folder_of_the_server(path: Path, tmp_path: Path) -> None:
    export(path, tmp_path / "out", now(), now(), static_site.write)
    places = [str(one).encode() for one in (path.parent, Path(arena.__file__).parent, sys.prefix, Path.home())]
    files = [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    assert [(one.name, place) for one in files for place in places if place in one.read_bytes()] == []
    assert b'File \\"bot.py\\"' in (tmp_path / "out" / "arena.sqlite").read_bytes()


@pytest.mark.process
def test_the_page_of_an_upload_has_the_command_that_shows_the_failure_again(site: ClubSite) -> None:
    fails(site)
    number = site.stored[-1].id
    site.jobs.change(replace(site.stored[-1], bot="mine.py:Mine"))  # as the process reports
    rules = "&#39;{name: tournament, target: 60, best_of: 1}&#39;"
    command = f"arena debug mine.py:Mine --against sparring --rules {rules} --hand 0 --seed audition"
    assert command in site.get(f"/me/uploads/{number}", site.ann).text
    site.jobs.change(replace(site.stored[-1], bot=None))
    assert f"arena debug BOT {command.partition(':Mine ')[2]}" in site.get(f"/me/uploads/{number}", site.ann).text


@pytest.mark.process
def test_a_log_that_is_cut_begins_with_a_whole_line(site: ClubSite) -> None:
    line = f"{site.path}/bots/0/bot.py\n"
    logs = site.path / "logs" / "bots"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "ann-bot@1.stderr").write_text(line * (LOG_BYTES // len(line) + 2))
    assert set(site.get("/me/logs/ann-bot@1", site.ann).text.splitlines()) == {"bot.py"}


@pytest.mark.process
def test_a_log_that_was_rotated_is_shown_before_the_new_one(site: ClubSite) -> None:
    logs = site.path / "logs" / "bots"
    logs.mkdir(parents=True, exist_ok=True)
    for name, text in (("ann-bot@1.stderr.1", "old"), ("ann-bot@1.stderr", "new"), ("ann-bot@1.17.stderr", "other")):
        (logs / name).write_text(f"{text}\n")
    assert site.get("/me/logs/ann-bot@1", site.ann).text.split() == ["old", "new", "other"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{league}/bots/5f-x/a/bot.py", "a/bot.py"),
        ("{league}/bots/.new-x/bot.yaml:3: no", "bot.yaml:3: no"),
        ("{league}/environments/5f/numpy/core.py", "numpy/core.py"),
        ("{league}/jobs/000017/body/mine.zip: no", "mine.zip: no"),
        ("{league}/arena.sqlite", "arena.sqlite"),
        ("{league}: is locked", "the league: is locked"),
        ("it may not read {league}.", "it may not read the league."),
        ("{league}-2/x", "{league}-2/x"),
        ("{league}.bak/x", "{league}.bak/x"),
        ("/usr/bin/env, /bots/ann-bot", "/usr/bin/env, /bots/ann-bot"),
    ],
)
def test_a_file_is_named_by_its_place_in_the_bot_or_else_in_the_league(text: str, shown: str) -> None:
    league = Path("/srv/frid<a>y & co")
    assert PathRedactor(league).redact(text.format(league=league).encode()) == shown.format(league=league).encode()


def test_the_folder_in_which_the_server_was_started_is_named_neither_whole_nor_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"no file 'bot.py' in {tmp_path / 'friday' / 'bots' / '5f'} or {tmp_path}; {tmp_path}/other"
    found = PathRedactor(tmp_path / "friday").redact(text.encode())
    assert found == b"no file 'bot.py' in bots/5f or a folder of the server; other"


def test_a_name_that_is_escaped_in_a_page_or_in_json_is_found_too() -> None:
    places = PathRedactor(Path('/srv/a "b" & c'))
    for text in (b"/srv/a &#34;b&#34; &amp; c/bots/1/bot.py", rb"/srv/a \"b\" & c/bots/1/bot.py"):
        assert places.redact(text) == b"bot.py"
