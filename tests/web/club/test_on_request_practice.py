"""Practice matches: played in the background, on no record of the league, and shown to their author alone."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.events import versions
from support.leagues.sites import ORIGIN, ClubSite, club, entered, form_key

from arena.errors import InputError, StoreError
from arena.league.jobs import JobLimits, JobQueue, JobRunner, ServerJob, TooManyRequestsError, open_jobs
from arena.league.on_request import practice_plan
from arena.league.requests import PRACTICE, PracticeMatch
from arena.league.rules.side_matches import names_in_run
from arena.moments import now
from arena.store.folder import Folder
from arena.store.store import Store

ONE, OTHER = versions(2)


def ask(queue: JobQueue, author: str = "ann") -> PracticeMatch:
    return queue.ask(PracticeMatch(author=author, at=now(), mine=ONE.id, opponent=OTHER.id))


def test_an_author_has_two_that_are_not_over_and_a_number_a_day(tmp_path: Path) -> None:
    limits: dict[type[ServerJob], JobLimits] = {PracticeMatch: replace(PRACTICE, recent=3)}
    with open_jobs(tmp_path, limits) as queue:
        asked = [ask(queue) for _ in range(2)]
        with pytest.raises(TooManyRequestsError, match="2 practice matches of ann are not over"):
            ask(queue)
        assert ask(queue, "ben").id == "000003"
        for one in asked:
            queue.end(replace(one, state="done"))
        ask(queue)
        with pytest.raises(TooManyRequestsError, match="3 practice matches of ann were asked for within a day"):
            ask(queue)
    with open_jobs(tmp_path, limits) as queue:
        assert [one.id for one in queue.of(PracticeMatch, "ann")] == ["000004", "000002", "000001"]
    assert PRACTICE.recent == 10


def test_a_request_for_a_practice_match_that_cannot_be_stored_names_the_folder(tmp_path: Path) -> None:
    with open_jobs(tmp_path, {PracticeMatch: PRACTICE}) as queue:
        shutil.rmtree(tmp_path / "jobs")
        with pytest.raises(StoreError, match="jobs: cannot be written: No such file"):
            ask(queue)


def test_two_versions_of_one_bot_and_a_bot_with_the_name_of_a_person_play_under_names_of_their_own() -> None:
    assert names_in_run(["ann@1", "ben@2"]) == {"ann": "ann@1", "ben": "ben@2"}
    assert names_in_run(["ann@1", "ann@2"]) == {"ann-1": "ann@1", "ann-2": "ann@2"}
    assert names_in_run(["ann", "ann@2"]) == {"ann": "ann", "ann-2": "ann@2"}


@pytest.mark.process
def test_an_author_plays_a_practice_match_that_no_other_sees_and_the_league_does_not_record(tmp_path: Path) -> None:
    path = entered(tmp_path)
    with pytest.raises(InputError, match="found ann-bot@1 twice"):
        practice_plan(path, "ann-bot", "ann-bot@1")
    before = (path / "arena.sqlite").read_bytes()
    with club(path) as made:
        site = ClubSite(made)
        work = JobRunner("requests", site.jobs, (PracticeMatch,))
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
        work.poll()
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
