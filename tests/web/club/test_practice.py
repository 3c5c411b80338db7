"""Practice matches: played in the background, on no record of the league, and shown to their author alone."""

from pathlib import Path

import pytest
from clubs import ORIGIN, ClubSite, club, entered, form_key
from leagues import versions
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.league import jobs
from arena.league.jobs import MOST_A_DAY, PracticeMatches
from arena.league.rules.events import NO_REASON
from arena.league.special import names_of, practice_plan
from arena.league.uploads import TooManyRequestsError
from arena.store.folder import Folder
from arena.store.store import Store

ONE, OTHER = versions(2)


def matches(path: Path) -> PracticeMatches:
    return PracticeMatches(path, lambda: NO_REASON)


def test_an_author_has_two_that_are_not_over_and_a_number_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = matches(tmp_path)
    asked = [made.ask("ann", ONE, OTHER) for _ in range(2)]
    with pytest.raises(TooManyRequestsError, match="2 practice matches of ann are not over"):
        made.ask("ann", ONE, OTHER)
    assert made.ask("ben", ONE, OTHER).id == "000003"
    monkeypatch.setattr(jobs, "MOST_A_DAY", 2)
    for one in asked:
        made._set(one.id, replace(one, state="done"))  # noqa: SLF001 - as after its command
    with pytest.raises(TooManyRequestsError, match="ann has asked for 2 practice matches within a day"):
        made.ask("ann", ONE, OTHER)
    assert [one.id for one in matches(tmp_path).of("ann")] == ["000002", "000001"]
    assert (tmp_path / "practice").stat().st_mode & 0o77 == 0
    assert MOST_A_DAY == 10


def test_a_practice_match_never_gets_the_folder_of_one_whose_record_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "practice" / "000007" / "run").mkdir(parents=True)
    (tmp_path / "practice" / "000007" / "request.json").write_text("{")
    assert [matches(tmp_path).ask("ann", ONE, OTHER).id for _ in range(2)] == ["000008", "000009"]


def test_a_request_for_a_practice_match_that_cannot_be_stored_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "practice").write_text("a file in its place")
    with pytest.raises(StoreError, match="practice: cannot be written: File exists"):
        matches(tmp_path).ask("ann", ONE, OTHER)


def test_two_versions_of_one_bot_play_under_names_of_their_own() -> None:
    assert names_of("ann@1", "ben@2") == ("ann", "ben")
    assert names_of("ann@1", "ann@2") == ("ann-1", "ann-2")


@pytest.mark.process
def test_an_author_plays_a_practice_match_that_no_other_sees_and_the_league_does_not_record(tmp_path: Path) -> None:
    path = entered(tmp_path)
    with pytest.raises(InputError, match="found ann-bot@1 twice"):
        practice_plan(path, "ann-bot", "ann-bot@1")
    before = (path / "arena.sqlite").read_bytes()
    with club(path) as made:
        site, work = ClubSite(made), made.context.practice
        signed = site.sign_in(site.ann)
        page = site.get("/me", cookie=signed.cookie)
        assert "<option>ben-bot@1</option>" in page.text
        body = f"form_key={form_key(page)}&version=ann-bot@1&opponent=ben-bot@1".encode()
        asked = site.send("/me/practice", body, origin=ORIGIN, cookie=signed.cookie)
        assert (asked.status, site.get("/me/practice/000001", site.ann).status) == (303, 200)
        assert "It is waiting" in site.get("/me/practice/000001", site.ann).text
        assert site.get("/me/practice/000001/hands?fixture=x", site.ann).text == "match not found\n"
        assert (
            site.send("/me/practice", body.replace(b"=ann-bot@1", b"=ben-bot@1"), origin=ORIGIN, cookie=signed.cookie).status == 404
        )
        work.look()
        page = site.get("/me/practice/000001", site.ann)
        assert "points net in" in page.text
        fixture = page.text.partition('href="/me/practice/000001/matches/')[2].partition('"')[0]
        assert site.get(f"/me/practice/000001/hands?fixture={fixture}", site.ann).document["hands"]
        for address in ("", f"/matches/{fixture}", f"/hands?fixture={fixture}"):
            assert site.get(f"/me/practice/000001{address}", site.ann).status == 200
            assert site.get(f"/me/practice/000001{address}", site.ben).status == 404
            assert site.get(f"/me/practice/000001{address}").status == 401
        assert "practice" not in site.get("/").text.lower()
    with Store(Folder(path).database) as store:
        assert store.results() == []
    assert (path / "arena.sqlite").read_bytes() == before
