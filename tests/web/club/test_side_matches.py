"""The page of a cup beside the rounds: no hand before it is over, then all of them, and what faults say only to authors."""

from pathlib import Path

import pytest
from support.leagues.sites import ClubSite, club, entered, play

from arena.errors import OutOfTimeError, SpecError
from arena.league.side_matches import CupRequest, close, plan_cup, read_request
from arena.plugins import manager
from arena.records import MatchRecord
from arena.results.publish import write_reports
from arena.runs.open_run import OpenRun
from arena.runs.play import Observer
from arena.runs.play import play_run as played
from arena.runs.runner import Runner
from arena.runs.starts import RunStart

CUP = CupRequest("cup", "{title: Friday cup, format: {name: knockout, pairs: 1}}", "cup.yaml", 2)


class Stopping(Observer):
    """Stops before all was played."""

    def record(self, record: MatchRecord) -> None:
        raise OutOfTimeError


def play_event(path: Path, start: RunStart, observer: Observer) -> None:
    def conclude(run: OpenRun) -> None:
        if isinstance(observer, Stopping):
            return
        write_reports(run)
        close(path, CUP.run, run)

    played(start, Runner(manager.load(entry_points=False), "serial"), observer, conclude, None)


@pytest.mark.process
def test_an_event_has_a_page_with_its_bracket_and_hands_are_shown_when_it_is_over(tmp_path: Path) -> None:
    path = entered(tmp_path)
    play(path, 2)
    planned = plan_cup(path, CUP)
    play_event(path, planned, Stopping())
    with club(path) as made:
        site = ClubSite(made)
        page = site.get("/cups/cup").text
        assert ("1 match played; it is not over" in page, "/cups/cup/matches/" in page) == (True, False)
        assert 'href="/cups/cup">Friday cup</a>: the best 2, not over' in site.get("/").text
        fixture = "r1/ann-bot:ben-bot/0/0"
        assert site.get(f"/cups/cup/hands?fixture={fixture}").status == 403
        assert site.get("/cups/other").status == 404
        assert plan_cup(path, CUP).plan == planned.plan
        play_event(path, planned, Observer())
        made.context.watch.renew()
        page = site.get("/cups/cup").text
        assert "won: the final against" in page
        address = page.partition('href="/cups/cup/matches/')[2].partition('"')[0]
        assert site.get(f"/cups/cup/matches/{address}").status == 200
        assert site.get(f"/cups/cup/hands?fixture={address.replace('%3A', ':')}").document["hands"]
        assert "Friday cup</a>: won by" in site.get("/").text


def test_a_spec_that_is_too_long_for_an_event_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(f"{CUP.text}\n#{'x' * 10_000}\n")
    with pytest.raises(SpecError, match="characters; expected at most 10,000"):
        read_request(tmp_path / "cup.yaml", 2, None)
