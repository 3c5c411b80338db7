"""Random requests to an application in this process: each is answered, none by an error of arena.

``ARENA_FUZZ_REQUESTS`` sets how many are sent; ``studies/web_fuzzing.py`` sends them to a real server for as long as wanted.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from support.hostile.random_requests import RequestSource
from support.leagues.events import joined
from support.leagues.sites import ORIGIN, ClubSite, club, form_key, league
from support.servers.asgi import CLOSED, asked

from arena.league.uploads import UploadLimits
from arena.web.club import forms
from arena.web.club.context import ClubTerms
from arena.web.club.receiving import Patience

REQUESTS = int(os.environ.get("ARENA_FUZZ_REQUESTS", "600"))
EXPECTED = {CLOSED, 200, 201, 303, 307, 400, 401, 403, 404, 405, 408, 409, 413, 421, 429, 507}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClubSite]:
    path = league(tmp_path, *joined("ann-bot", author="ann"), *joined("ben-bot", author="ben"))
    limits = UploadLimits(size=2000, an_hour=10_000, waiting=20, free=0)
    with club(path, ClubTerms(submit=True, limits=limits, patience=Patience(quiet=0.01))) as made:
        yield ClubSite(made)


def requests(site: ClubSite, chance: Random) -> RequestSource:
    cookie = site.sign_in(site.ann).cookie
    bearers = [{"authorization": f"Bearer {text}"} for text in (site.ann, site.ben, site.organiser, "x")]
    endless = ("/events", "/me/events")
    endpoints = [one for one in site.endpoints if one.path not in endless]
    return RequestSource(endpoints, [{}, *bearers, {"cookie": cookie}], ORIGIN, form_key(site.get("/me", cookie=cookie)), chance)


@pytest.mark.process
def test_random_requests_are_all_answered_and_none_by_an_error(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(5)
    drawn = requests(site, chance)
    monkeypatch.setattr(forms, "FORM_PATIENCE", 0.01)
    monkeypatch.setattr(site.club.context.watch, "renew", lambda: None)  # what was changed need not be shown at once

    async def send_all() -> list[tuple[str, int]]:
        answers = []
        for _ in range(REQUESTS):
            one, ends = drawn.draw(), chance.choice(("whole", "whole", "whole", "closed", "silent"))
            answer = await asked(site.app, one.method, one.target, one.parts, ends=ends, **one.headers)
            answers.append((f"{one.method} {one.target}", answer.status))
            assert b"Traceback" not in answer.body
            assert b"<script>alert" not in answer.body or answer.headers["content-type"].startswith("text/plain")
        return answers

    found = asyncio.run(send_all())
    assert [one for one in found if one[1] not in EXPECTED and "/ready" not in one[0]] == []  # nothing tests uploads here
