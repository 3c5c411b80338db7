"""Random requests, made from the paths, fields and headers that the server knows: each is answered, none by an error of arena.

``ARENA_FUZZ_REQUESTS`` sets how many are sent.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote, urlencode

import pytest
from asgi import CLOSED, asked
from clubs import BOT, ORIGIN, ClubSite, club, form_key, league
from leagues import joined

from arena.runs.leagues.uploads import UploadLimits
from arena.web.club import forms
from arena.web.club.context import ClubTerms
from arena.web.club.receiving import Patience

REQUESTS = int(os.environ.get("ARENA_FUZZ_REQUESTS", "600"))
EXPECTED = {CLOSED, 200, 201, 303, 307, 400, 401, 403, 404, 405, 408, 409, 413, 421, 429, 507}
TEXTS = (
    "",
    "ann-bot",
    "ann-bot@1",
    "ben-bot@1",
    "000001",
    "r1/ann-bot@1:ben-bot@1/0/0",
    "../../tokens.json",
    "<script>alert(1)</script>",
    "\u202e\u0000\r\nX: y",
    "x" * 3000,
    "-1",
    "٣",
    "%2e%2e%2f",
    "'; DROP TABLE event; --",
    "{{7*7}}",
    "\U0001f0cf",
)
FIELDS = ("file", "name", "version", "reason", "token", "form_key", "fixture", "other")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClubSite]:
    path = league(tmp_path, *joined("ann-bot", author="ann"), *joined("ben-bot", author="ben"))
    limits = UploadLimits(size=2000, an_hour=10_000, waiting=20, free=0)
    with club(path, ClubTerms(submit=True, limits=limits, patience=Patience(quiet=0.01))) as made:
        yield ClubSite(made)


class Requests:
    """Draws requests."""

    def __init__(self, site: ClubSite, chance: Random) -> None:
        self._chance = chance
        self._paths = [route.path for route in site.app.routes if "events" not in route.path]  # type: ignore[attr-defined] # all are routes
        cookie = site.sign_in(site.ann).cookie
        self._key = form_key(site.get("/me", cookie=cookie))
        self._signed = [
            {},
            *({"authorization": f"Bearer {text}"} for text in (site.ann, site.ben, site.organiser, "x")),
            {"cookie": cookie},
        ]

    def _text(self) -> str:
        chosen = self._chance.choice(TEXTS)
        return chosen if self._chance.random() < 0.8 else "".join(chr(self._chance.randrange(1, 0x2FF)) for _ in range(9))

    def path(self) -> str:
        """Return a path of a route, with its parameters filled in, or any other path."""
        path = self._chance.choice(self._paths) if self._chance.random() < 0.9 else f"/{self._text()}"
        for name in ("name", "one", "other", "version", "number", "fixture:path", "name:path"):
            path = path.replace(f"{{{name}}}", quote(self._text(), safe="/@:"))
        return path

    def target(self) -> str:
        """Return a path with some query."""
        return f"{self.path()}?{self._fields()}" if self._chance.random() < 0.6 else self.path()

    def _fields(self) -> str:
        return urlencode([(self._chance.choice(FIELDS), self._text()) for _ in range(self._chance.randrange(5))])

    def headers(self) -> dict[str, str]:
        """Return headers, of which most are those of a browser or program that is signed in."""
        found = dict(self._chance.choice(self._signed))
        if self._chance.random() < 0.8:
            found["origin"] = ORIGIN
        if self._chance.random() < 0.7:
            found["x-form-key"] = self._key
        if self._chance.random() < 0.1:
            found[self._chance.choice(("content-length", "content-type", "host", "cookie", "authorization", "accept-encoding"))] = (
                quote(self._text())
            )
        return found

    def body(self) -> list[bytes]:
        """Return the parts of a body: a form, a bot, or anything."""
        form = f"form_key={self._key}&{self._fields()}".encode()
        return self._chance.choice(([], [form], [BOT], [BOT, b"x" * 3000], [self._chance.randbytes(50)], [form[:20], form[20:]]))


def test_random_requests_are_all_answered_and_none_by_an_error(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(5)
    requests = Requests(site, chance)
    monkeypatch.setattr(forms, "PATIENCE", 0.01)
    monkeypatch.setattr(site.club.context.watch, "renew", lambda: None)  # what was changed need not be shown at once

    async def send_all() -> list[tuple[str, int]]:
        answers = []
        for _ in range(REQUESTS):
            method, target = chance.choice(("GET", "POST", "POST", "HEAD", "PUT")), requests.target()
            ends = chance.choice(("whole", "whole", "whole", "closed", "silent"))
            answer = await asked(site.app, method, target, requests.body(), ends=ends, **requests.headers())
            answers.append((f"{method} {target}", answer.status))
            assert b"Traceback" not in answer.body
            assert b"<script>alert" not in answer.body or answer.headers["content-type"].startswith("text/plain")
        return answers

    odd = [
        one for one in asyncio.run(send_all()) if one[1] not in EXPECTED and "/ready" not in one[0]
    ]  # nothing tests uploads here
    assert odd == []
