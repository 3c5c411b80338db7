"""Matches that authors ask for from pages and programs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.leagues.events import joined
from support.leagues.sites import ClubSite, club, entered, league, play

from arena.league import leagues
from arena.league.rules.events import Challenged


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClubSite]:
    bots = (("ann-bot", "ann"), ("ann-two", "ann"), ("ben-bot", "ben"))
    with club(league(tmp_path, *(event for name, author in bots for event in joined(name, author=author)))) as made:
        yield ClubSite(made)


def form(version: str = "ann-bot@1", opponent: str = "ben-bot@1") -> bytes:
    return f"version={version}&opponent={opponent}".encode()


def test_a_program_asks_for_a_rated_match_that_all_see(site: ClubSite) -> None:
    asked = site.send("/api/challenges", form(), site.ann)
    assert (asked.status, asked.document["place"], asked.document["waiting"]) == (201, 11, 1)
    [listed] = site.get("/api/challenges").document
    assert (listed["version"], listed["opponent"], listed["round"]) == ("ann-bot@1", "ben-bot@1", None)
    text = site.get("/challenges").text
    assert "Rated matches on request: 1 asked for, 0 played, 1 waiting." in text
    assert "waiting for a round</td>" in text
    with leagues.open_league(site.path) as opened:
        assert isinstance(leagues.events_of(opened.store)[10], Challenged)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (form(version="ben-bot@1"), 409, "ben-bot@1 is of ben; expected a bot of ann"),
        (
            form(opponent="ann-two"),
            409,
            "ann-bot@1 and ann-two@1 are both of ann; expected a bot of another author",
        ),
        (form(opponent="nobody"), 409, "no bot 'nobody' in this league; expected one of ann-bot, ann-two, ben-bot"),
    ],
)
def test_what_may_not_be_asked_for_is_refused_in_one_line(site: ClubSite, body: bytes, status: int, text: str) -> None:
    refused = site.send("/api/challenges", body, site.ann)
    assert (refused.status, refused.text.strip()) == (status, text)


def test_nobody_asks_without_a_token_and_an_author_is_offered_own_bots(site: ClubSite) -> None:
    assert site.send("/api/challenges", form()).status == 401
    assert "Practice match" not in site.get("/bots/ben-bot").text
    offered = site.get("/bots/ben-bot", site.ann).text
    assert "<option>ann-bot@1</option><option>ann-two@1</option>" in offered
    assert "Rated match" in offered
    assert "Rated match" not in site.get("/bots/ann-two", site.ann).text


@pytest.mark.process
def test_a_rated_match_that_was_played_names_its_winner_and_links_to_its_legs(tmp_path: Path) -> None:
    path = entered(tmp_path)
    with club(path) as made:
        site = ClubSite(made)
        assert site.send("/api/challenges", form(), site.ann).status == 201
    play(path, 40)
    with club(path) as made:
        site = ClubSite(made)
        [listed] = site.get("/api/challenges").document
        assert re.match(r"((ann|ben)-bot@1 won|drawn), \d+–\d+ in (matches|games)$", listed["outcome"])
        text = site.get("/challenges").text
        assert listed["outcome"] in text
        links = re.findall(r'href="(/matches/[^"]+)">leg', text)
        assert links == [f"/matches/{fixture}" for fixture in listed["fixtures"]]
        assert [site.get(link).status for link in links] == [200, 200]
