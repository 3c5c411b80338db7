"""The pages of a league that was played: what everybody sees, what only an author sees, and what an organiser does."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec import json
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.routing import Route
from support.browser.table_page import weight
from support.leagues.admitting import admitting
from support.leagues.events import joined
from support.leagues.sites import BOT, ClubSite, club, league, play
from support.records.reviewed_hands import reviewed_hand
from support.servers.asgi import HOST, ask

from arena.cli import serve as cli
from arena.league import leagues
from arena.league.membership import suspend
from arena.league.rules.events import NO_REASON, Answered, AnyEvent, Suspended
from arena.league.rules.league_table import LeagueTable, PersonRow
from arena.league.submit import submit_bot
from arena.results.recorded import RecordedDecision, ask_again
from arena.runs.review_cache import keep
from arena.stats.second_leg_test import SecondLegs
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club.context import ClubTerms
from arena.web.club.public import PublicPages
from arena.web.club.site import open_club

FAILS = b"""    def discard(self, view):
        if view.score != (0, 0):
            raise ValueError('my secret')
        return super().discard(view)
"""
FAULTY = BOT.replace(b"    pass\n", FAILS)
MATCHES = 8
OPEN = "r999/ann-bot@1:ben-bot@1/0/0"  # of a round that is not over


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league of ann's and ben's bots, of which ben's fails now and then, after some rounds."""
    folder = tmp_path_factory.mktemp("played")
    path = league(folder, rules="{target: 60, best_of: 1}")
    for author, name, text in (("ann", "ann-bot", BOT), ("ben", "ben-bot", FAULTY)):
        (folder / "bot.py").write_bytes(text + f"# of {author}\n".encode())
        with admitting():
            outcome = submit_bot(path, str(folder / "bot.py"), author, name, lambda _: None)
        assert outcome.version, outcome.reason
    play(path, MATCHES)
    return path


@pytest.fixture
def site(played: Path) -> Iterator[ClubSite]:
    with club(played) as made:
        yield ClubSite(made)


@pytest.mark.process
def test_the_front_page_has_the_table_the_latest_matches_and_links_to_both(site: ClubSite) -> None:
    text = site.get("/").text
    assert f"{MATCHES} matches in" in text
    for part in (
        'href="/bots/ann-bot"',
        'href="/bots/ben-bot"',
        'href="/matches/r1/',
        "Latest matches",
        "95\N{NO-BREAK SPACE}% interval",
        "trend",
    ):
        assert part in text
    assert weight(text) < 300_000
    rows = site.get("/table.json").document
    assert {(row["name"], row["author"]) for row in rows} == {("ann-bot", "ann"), ("ben-bot", "ben")}


def test_the_page_of_a_bot_has_versions_endings_opponents_and_when_it_plays_next(site: ClubSite) -> None:
    text = site.get("/bots/ann-bot").text
    for part in (
        "ann-bot@1",
        "won by knocking",
        "/pairs/ann-bot%401/ben-bot%401",
        "Next match:",
        "ann-bot@1</span> has rank ",
        'href="/authors/ann"',
        "All versions together: no sign that it carries information from the first leg of a pair to the second (evidence ",
        "<polyline",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("path", "title"), [("/", "Friday league"), ("/bots/ann-bot", "ann-bot – Friday league"), ("/people", "People – Friday league")]
)
def test_the_title_of_a_page_says_which_it_is(site: ClubSite, path: str, title: str) -> None:
    assert f"<title>{title} – arena</title>" in site.get(path).text


def test_a_person_without_an_interval_stands_on_the_front_page(site: ClubSite) -> None:
    snapshot = site.club.context.snapshot
    once = PersonRow(person="cat", rating=1.5, low=None, high=None, points_a_hand=1.5, matches=1, hands=3)
    people = (once, replace(once, person="eve", low=0.5, high=2.5))
    shown = PublicPages(site.club.context).update(replace(snapshot, table=replace(snapshot.table, people=people))).decode()
    assert "a person: +1.50 <small>" in shown
    assert "a person: +1.50 (+0.50 to +2.50) <small>" in shown


@pytest.mark.process
def test_a_bot_of_a_league_answers_a_recorded_decision_as_it_did(played: Path) -> None:
    with Store(Folder(played).database) as store:
        record = next(iter(store.records()))
    lines: list[str] = []
    decision = RecordedDecision(fixture=record.fixture.id, hand="0.0", turn=1)
    assert all(ask_again(name, Folder(played), decision, None, raw=False, show=lines.extend) for name in record.fixture.seats)
    assert "in the match: " not in "\n".join(lines)


def test_an_authors_page_has_its_bots_and_the_matrix_leads_to_each_pairing(site: ClubSite) -> None:
    text = site.get("/authors/ann").text
    assert 'href="/bots/ann-bot"' in text
    assert "1 bot since " in text
    assert "ben-bot@1 joined" not in text
    assert site.get("/authors/nobody").status == 404
    matrix = site.get("/heat").text
    assert matrix.count("--heat: ") == 2
    assert 'href="/pairs/ann-bot%401/ben-bot%401"' in matrix
    assert "No bot has rank 31 yet" in site.get("/heat?from=31").text


def test_the_page_of_two_versions_has_their_total_and_links_to_each_match(site: ClubSite) -> None:
    one, other = site.get("/pairs/ann-bot@1/ben-bot@1").text, site.get("/pairs/ben-bot@1/ann-bot@1").text
    assert "ann-bot@1 has won" in one
    assert "ben-bot@1 has won" in other
    links = re.findall('href="(/matches/[^"]+)"', one)
    assert [site.get(quote(link)).status for link in links] == [200] * one.count("/matches/") == [200] * MATCHES
    for target in ("/pairs/ann-bot@1/ann-bot@1", "/pairs/ann-bot@1/nobody@1", "/pairs/a/b"):
        assert site.get(target).status == 404


def test_a_browser_is_shown_a_page_where_a_league_has_nothing(site: ClubSite) -> None:
    for target in ("/nowhere", "/bots/nobody", "/pairs/a/b"):
        found = site.get(target, accept="text/html")
        assert found.status == 404
        assert "<h1>Page not found</h1>" in found.text
        assert site.get(target).text.count("\n") == 1


def test_the_kinds_of_hand_of_a_version_add_up_to_its_hands_and_points_the_costliest_first(site: ClubSite) -> None:
    snapshot = site.club.context.snapshot
    for version in ("ann-bot@1", "ben-bot@1"):
        kinds, counts = snapshot.endings[version], snapshot.tally.of(version)
        assert (sum(one.hands for one in kinds), sum(one.points for one in kinds)) == (counts.hands, counts.net_points)
        assert [one.points for one in kinds] == sorted(one.points for one in kinds)
    assert "lost by a fault of its own" in {one.name for one in snapshot.endings["ben-bot@1"]}


def faulty_fixture(site: ClubSite) -> str:
    snapshot = site.club.context.watch.snapshot
    assert snapshot
    return snapshot.history.faults[0].fixture


def test_the_hands_of_a_match_are_shown_with_the_total_of_the_two(site: ClubSite) -> None:
    fixture = faulty_fixture(site)
    page = site.get(f"/matches/{fixture}").text
    assert "In total" in page
    assert 'src="/static/replay.js"' in page
    assert site.get(f"/hands?fixture={fixture}").document["seats"] in (["ann-bot@1", "ben-bot@1"], ["ben-bot@1", "ann-bot@1"])
    for wrong in ("r1/x:y/0/0", "../../league.yaml", "", "r999/ann-bot@1:ben-bot@1/0/0", fixture + "0"):
        answer = site.get(f"/hands?fixture={wrong}")
        assert (answer.status, answer.text) == (404, "match not found\n")


def test_the_page_of_a_bot_has_the_review_of_its_matches_in_rounds_that_are_over(site: ClubSite, played: Path) -> None:
    fixture, folder = faulty_fixture(site), Folder(played)
    assert "Where points are lost" not in site.get("/bots/ann-bot").text
    with Store(folder.database) as store:
        keep(folder, store.fact("commitment"), "review", [reviewed_hand(fixture, "ann-bot@1"), reviewed_hand(OPEN, "ben-bot@1")])
    text = site.get("/bots/ann-bot").text
    assert "Where points are lost" in text
    assert f'href="/matches/{quote(fixture)}#0.0/2"' in text
    assert 'throw <span class="suit">K♦</span>' in text
    assert "Where points are lost" not in site.get("/bots/ben-bot").text
    assert [one["mark"] for one in site.get(f"/hands?fixture={fixture}").document["review"]] == ["blunder"]


def test_what_a_fault_says_only_its_author_and_an_organiser_see(site: ClubSite) -> None:
    fixture = faulty_fixture(site)
    for target in ("/bots/ben-bot", f"/hands?fixture={fixture}", "/me/matches.jsonl", "/", f"/matches/{fixture}", "/me"):
        assert "my secret" not in site.get(target, site.ann).text
        assert "my secret" not in site.get(target).text
    assert "my secret" in site.get("/bots/ben-bot", site.ben).text
    assert "my secret" in site.get("/bots/ben-bot", site.organiser).text
    assert "my secret" in site.get(f"/hands?fixture={fixture}", site.ben).text
    assert "my secret" in site.get("/me/matches.jsonl", site.ben).text
    assert "× crash" in site.get("/bots/ben-bot").text


def test_an_author_downloads_their_matches(site: ClubSite) -> None:
    answer = site.get("/me/matches.jsonl", site.ann)
    assert len([json.decode(line) for line in answer.body.splitlines()]) == MATCHES
    assert answer.headers["content-disposition"] == 'attachment; filename="matches-ann.jsonl"'
    assert site.get("/me/matches.jsonl", site.organiser).body == b""


def test_the_page_of_an_author_says_how_sure_a_rank_is_when_it_plays_and_who_costs_points(site: ClubSite) -> None:
    text = site.get("/me", site.ben).text
    for part in (
        "<p>Rank ",
        "Next match:",
        "Opponents that cost you points",
        "the kind that costs most points first",
        "/me/logs/ben-bot%401",
    ):
        assert part in text
    assert "ann-bot@1 is active" not in text


@pytest.mark.process
def test_an_author_retires_and_reinstates_a_bot_but_not_a_suspended_one(played: Path, tmp_path: Path) -> None:
    path = copied(played, tmp_path)
    with club(path) as made:
        site = ClubSite(made)
        assert site.send("/me/retire", b"version=ann-bot%401", site.ann).status == 303
        assert site.send("/me/retire", b"version=ann-bot%401", site.ann).status == 409
        assert site.send("/me/reinstate", b"version=ann-bot%401", site.ann).status == 303
        assert site.send("/organiser/suspend", b"version=ann-bot%401&reason=a+copy", site.organiser).status == 303
    with club(path) as made:
        site = ClubSite(made)
        assert site.send("/me/reinstate", b"version=ann-bot%401", site.ann).status == 403
        assert site.send("/organiser/reinstate", b"version=ann-bot%401&reason=it+is+not", site.organiser).status == 303


@pytest.mark.process
def test_an_author_cannot_reinstate_a_version_whose_suspension_the_pages_have_not_read_or_retire_it_first(
    played: Path, tmp_path: Path
) -> None:
    path = copied(played, tmp_path)
    with club(path) as made:
        site = ClubSite(made)
        suspend(path, "ann-bot@1", "a copy")  # as another process
        acts = ("reinstate", "retire", "reinstate")
        assert [site.send(f"/me/{act}", b"version=ann-bot%401", site.ann).status for act in acts] == [403] * 3


@pytest.mark.process
def test_what_an_organiser_does_is_an_event_with_name_and_reason_and_the_chain_is_whole(played: Path, tmp_path: Path) -> None:
    path = copied(played, tmp_path)
    with club(path) as made:
        site = ClubSite(made)
        assert site.send("/organiser/suspend", b"version=ben-bot%401&reason=", site.organiser).status == 400
        assert site.send("/organiser/suspend", b"version=nobody%401&reason=x", site.organiser).status == 409
        assert site.send("/organiser/suspend", b"version=ben-bot%401&reason=%3Cb%3Eslow", site.organiser).status == 303
        assert site.send("/organiser/end-season", b"reason=holidays", site.organiser).status == 303
        assert site.send("/organiser/end-season", b"reason=again", site.organiser).status == 409
    with club(path) as made:
        site = ClubSite(made)
        text = site.get("/organiser", site.organiser).text
        assert "ben-bot@1 was suspended by olga: &lt;b&gt;slow" in text
        assert "season 1 was ended by olga: holidays" in text
        assert "No season is open" in text
        assert "ben-bot@1 was suspended by olga: &lt;b&gt;slow" in site.get("/").text
    with leagues.open_league(path) as found:
        acts = [event for event in leagues.history(found.folder, found.store).events if isinstance(event, Suspended)]
        assert [(event.by, event.reason.public) for event in acts] == [("olga", "<b>slow")]
        assert list(found.store.problems()) == []
        assert all(unchanged for _, unchanged in found.store.check_records())


def test_a_refusal_is_a_page_for_a_browser_with_the_way_back_and_a_line_for_a_program(site: ClubSite) -> None:
    page, line = site.get("/me/logs/x", accept="text/html"), site.get("/me/logs/x")
    assert (page.status, line.status, line.text.count("\n")) == (401, 401, 1)
    assert page.headers["www-authenticate"] == line.headers["www-authenticate"] == "Bearer"
    assert 'href="/"' in page.text
    refused = site.send("/organiser/suspend", b"version=nobody%401&reason=x", site.organiser, accept="text/html")
    assert refused.status == 409
    assert 'href="/organiser"' in refused.text


def test_an_organiser_sees_which_bots_play_alike(tmp_path: Path) -> None:
    events: list[AnyEvent] = [event for name in ("ann", "ben") for event in joined(f"{name}-bot", author=name)]
    known = {"at": "2026-01-01T00:00:00Z", "positions": "0" * 64}
    answers = [Answered(version=f"{name}-bot@1", answers=" ".join(["take"] * 60), **known) for name in ("ann", "ben")]
    with club(league(tmp_path, *events, *answers, likeness="{share: 0.99}")) as made:
        site = ClubSite(made)
        text = site.get("/organiser", site.organiser).text
        ladder = site.get("/").text
    assert "Bots that play alike" in text
    assert "ann-bot@1 and ben-bot@1 decide alike in 60 of 60 positions" in text
    assert "plays like ann-bot@1, 100" in ladder


def test_an_organiser_sees_what_bots_gain_in_legs_that_they_play_second(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    text = site.get("/organiser", site.organiser).text
    assert "<summary>No sign that a bot carries information from the first leg of a pair to the second (most evidence: " in text
    assert 'class="warn"' not in text
    flagged = SecondLegs(pairs=900, hands=9000, gain=3.0, evidence=4321.0)
    monkeypatch.setattr(LeagueTable, "second_legs", {"ann-bot": flagged})
    text = site.get("/organiser", site.organiser).text
    assert '<p class="warn">ann-bot plays better in legs played second: evidence 4,321 of 1,000; the legs may share' in text
    noticed = "a sign that it carries information from the first leg of a pair to the second (evidence 4,321 of 1,000 needed; +3.00"
    assert noticed in site.get("/bots/ann-bot").text


@pytest.mark.process
def test_a_season_that_was_ended_is_followed_by_the_next(played: Path, tmp_path: Path) -> None:
    path = copied(played, tmp_path)
    with club(path) as made:
        ClubSite(made).send("/organiser/end-season", b"reason=holidays", ClubSite(made).organiser)
    play(path, 2)
    with leagues.open_league(path) as found:
        assert leagues.history(found.folder, found.store).calendar().seasons == 2


@pytest.mark.process
def test_hands_of_an_open_round_are_shown_to_nobody(played: Path, tmp_path: Path) -> None:
    path = copied(played, tmp_path)
    play(path, 1)
    with club(path) as made:
        site = ClubSite(made)
        snapshot = made.context.snapshot
        current = snapshot.calendar.current
        assert current
        fixture = snapshot.latest[0].fixture.id
        assert fixture.startswith(f"r{current.round}/")
        for bearer in ("", site.ann, site.organiser):
            assert site.get(f"/hands?fixture={fixture}", bearer).status == 403
            assert site.get(f"/matches/{fixture}", bearer).status == 403
        assert f'"{fixture}"' not in site.get("/me/matches.jsonl", site.ann).text
        assert "round is open" in site.get("/pairs/ann-bot@1/ben-bot@1").text


def test_the_pages_of_a_league_are_served_also_without_submissions_and_play(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[set[str]] = []

    def run(_: int, __: Path, made: Callable[[frozenset[str]], Starlette], *___: object, **____: object) -> None:
        served.append({one.path for one in made(frozenset()).routes if isinstance(one, Route)})

    monkeypatch.setattr(cli, "run_server", run)
    for folder in (played, tmp_path):
        cli.serve(folder)
    league_paths, run_paths = served
    assert {"/", "/bots/{name}", "/pairs/{one}/{other}", "/matches/{fixture:path}"} <= league_paths
    assert not {"/me", "/sign-in", "/organiser", "/api/uploads"} & league_paths
    assert "/runs/{run}/" in run_paths


def test_a_server_that_only_shows_a_league_does_not_ask_for_a_sandbox_or_write_to_its_folder(played: Path, tmp_path: Path) -> None:
    path = copied(played, tmp_path)
    before = {one.name for one in path.iterdir()}
    with open_club(path, ClubTerms()) as made:
        assert made.context.why_not_now() == NO_REASON
        assert ask(made.app([HOST]), "GET", "/health").status == 200
    assert {one.name for one in path.iterdir()} - before <= {"arena.sqlite-shm", "arena.sqlite-wal"}


def test_a_link_to_a_public_league_is_shown_with_its_answer_and_a_picture_of_it(played: Path) -> None:
    origin = "https://club.example.org"
    with club(played, ClubTerms(public=origin)) as made:
        app = made.app([HOST])
        front = ask(app, "GET", "/").text
        assert f'<meta property="og:image" content="{origin}/answer.png">' in front
        assert " leads" in front.partition('property="og:title" content="')[2].partition('"')[0]
        assert ask(app, "GET", "/answer.png").body.startswith(b"\x89PNG")
    with club(played) as made:
        assert "og:image" not in ask(made.app([HOST]), "GET", "/").text


def test_without_submissions_there_is_nothing_to_sign_in_to(played: Path) -> None:
    with club(played, ClubTerms()) as made:
        app = made.app([HOST])
        for target, status in {"/": 200, "/bots/ann-bot": 200, "/me": 404, "/organiser": 404, "/sign-in": 404}.items():
            assert ask(app, "GET", target).status == status
        assert ask(app, "POST", "/api/uploads").status == 405
        assert "set-cookie" not in ask(app, "GET", "/").headers


def copied(played: Path, folder: Path) -> Path:
    return Path(shutil.copytree(played, folder / "copy"))
