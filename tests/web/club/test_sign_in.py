"""Signing in to a league's server: sessions, their cookies and forms, and tokens that are wrong, revoked or expired."""

from datetime import timedelta
from pathlib import Path

import pytest
from support.leagues.sites import BOT, ORIGIN, ClubSite, club, form_key, league

from arena.league.tokens import SESSIONS, revoke
from arena.moments import later, now
from arena.web.club import callers
from arena.web.club.context import ClubTerms


def test_an_author_signs_in_sends_a_bot_by_page_and_signs_out(site: ClubSite) -> None:
    signed = site.sign_in(site.ann)
    assert (signed.status, signed.headers["location"]) == (303, "/me")
    for attribute in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert attribute in signed.headers["set-cookie"]
    page = site.get("/me", cookie=signed.cookie)
    assert "Submit a bot" in page.text
    options = {"cookie": signed.cookie, "origin": ORIGIN, "x_form_key": form_key(page)}
    assert site.send("/api/uploads?file=mine.py&name=Mine", BOT, **options).status == 201
    assert [(one.author, one.name) for one in site.stored] == [("ann", "Mine")]
    body = f"form_key={form_key(page)}".encode()
    assert site.send("/sign-out", body, cookie=signed.cookie, origin=ORIGIN).status == 303
    assert site.get("/me", cookie=signed.cookie).status == 303
    assert site.get("/api/uploads", cookie=signed.cookie).status == 401


@pytest.mark.process
def test_a_browser_stays_signed_in_over_a_restart_and_a_form_that_was_open_is_taken(tmp_path: Path) -> None:
    path = league(tmp_path)
    with club(path) as first:
        signed = ClubSite(first).sign_in(ClubSite(first).ann)
        key = form_key(ClubSite(first).get("/me", cookie=signed.cookie))
    assert (path / SESSIONS).stat().st_mode & 0o777 == 0o600
    assert signed.cookie.partition("=")[2] not in (path / SESSIONS).read_text()
    with club(path) as second:
        site = ClubSite(second)
        assert "Submit a bot" in site.get("/me", cookie=signed.cookie).text
        assert site.send("/sign-out", f"form_key={key}".encode(), cookie=signed.cookie, origin=ORIGIN).status == 303
    with club(path) as third:
        assert ClubSite(third).get("/me", cookie=signed.cookie).status == 303, "who has signed out stays so"


@pytest.mark.parametrize("stored", ["", "{}", '{"key":"AAAA","sessions":{}}', '{"key":3,"sessions":[]}'])
def test_sessions_that_cannot_be_read_cost_a_new_sign_in_alone(tmp_path: Path, stored: str) -> None:
    path = league(tmp_path)
    (path / SESSIONS).write_text(stored)
    with club(path) as made:
        site = ClubSite(made)
        signed = site.sign_in(site.ann)
        assert site.get("/me", cookie=signed.cookie).status == 200


def test_the_cookie_is_new_after_signing_in_so_that_nobody_can_prepare_it(site: ClubSite) -> None:
    before = site.get("/sign-in").cookie
    page = site.get("/sign-in", cookie=before)
    signed = site.send("/sign-in", f"form_key={form_key(page)}&token={site.ann}".encode(), origin=ORIGIN, cookie=before)
    assert signed.status == 303
    assert signed.cookie != before
    assert site.get("/me", cookie=before).status == 303


def test_behind_a_proxy_with_tls_the_cookie_is_secure_and_bound_to_the_host(tmp_path: Path) -> None:
    with club(league(tmp_path), ClubTerms(submit=True, public="https://club.example.org")) as made:
        site = ClubSite(made)
        page = site.get("/sign-in", host="club.example.org")
        assert page.headers["set-cookie"].startswith("__Host-arena=")
        assert "Secure" in page.headers["set-cookie"]
        form = f"form_key={form_key(page)}&token={site.ann}".encode()
        options = {"host": "club.example.org", "cookie": page.cookie}
        assert site.send("/sign-in", form, origin="http://club.example.org", **options).status == 403
        assert site.send("/sign-in", form, origin="https://club.example.org", **options).status == 303


# --- tokens


@pytest.mark.process
@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer arena-wrong", "Basic YTpi", "bearer \xff", "", "Bearer " + "x" * 9000]
)
def test_a_wrong_token_is_refused_and_nothing_is_stored(site: ClubSite, header: str) -> None:
    answer = site.send("/api/uploads?file=mine.py", BOT, authorization=header)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert site.stored == []


@pytest.mark.parametrize("options", [{}, {"origin": ORIGIN}])
def test_who_sends_no_token_is_asked_for_one(site: ClubSite, options: dict[str, str]) -> None:
    answer = site.send("/api/uploads?file=mine.py", BOT, **options)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "token" in answer.text
    assert "origin" not in answer.text
    assert site.stored == []


def test_a_revoked_token_ends_its_sessions_at_once(site: ClubSite) -> None:
    cookie = site.sign_in(site.ann).cookie
    assert site.get("/me", cookie=cookie).status == 200
    revoke(site.path, "ann")
    assert site.get("/me", cookie=cookie).status == 303
    assert site.upload(site.ann).status == 401
    assert site.sign_in(site.ann).status == 401
    assert site.upload(site.ben).status == 201


def test_an_expired_token_is_refused(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = site.sign_in(site.ann).cookie
    tomorrow = later(now(), timedelta(days=2))
    monkeypatch.setattr(callers, "now", lambda: tomorrow)
    assert (site.upload(site.ann).status, site.get("/me", cookie=cookie).status, site.sign_in(site.ann).status) == (401, 303, 401)


def test_a_session_ends_by_itself(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "LIFETIME", -1)
    cookie = site.sign_in(site.ann).cookie
    assert site.get("/me", cookie=cookie).status == 303


def test_sessions_are_limited_and_the_oldest_ends(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "MOST_SESSIONS", 2)
    cookies = [site.sign_in(site.ann).cookie for _ in range(3)]
    assert [site.get("/me", cookie=cookie).status for cookie in cookies] == [303, 200, 200]


# --- other sites


def test_another_site_cannot_use_a_session(site: ClubSite) -> None:
    cookie = site.sign_in(site.ann).cookie
    key = form_key(site.get("/me", cookie=cookie))
    for options in (
        {"origin": "https://evil.example", "x_form_key": key},  # a page elsewhere
        {"origin": "null", "x_form_key": key},
        {"x_form_key": key},  # an old browser, without an origin
        {"origin": ORIGIN},  # without the key of our pages
        {"origin": ORIGIN, "x_form_key": "0" * 64},
    ):
        assert site.send("/api/uploads?file=mine.py", BOT, cookie=cookie, **options).status == 403
        assert site.send("/me/retire", b"version=ann-bot%401", cookie=cookie, **options).status == 403
    assert site.stored == []


def test_a_key_of_another_browser_does_not_fit(site: ClubSite) -> None:
    mine, other = site.sign_in(site.ann).cookie, site.sign_in(site.ben).cookie
    key = form_key(site.get("/me", cookie=other))
    assert site.send("/api/uploads?file=mine.py", BOT, cookie=mine, origin=ORIGIN, x_form_key=key).status == 403


def test_a_wrong_header_is_not_helped_by_a_cookie(site: ClubSite) -> None:
    cookie = site.sign_in(site.ann).cookie
    assert site.send("/api/uploads?file=mine.py", BOT, cookie=cookie, authorization="Bearer wrong").status == 401


def test_signing_in_needs_a_form_of_our_own(site: ClubSite) -> None:
    assert site.send("/sign-in", f"token={site.ann}".encode(), origin=ORIGIN).status == 403
    assert site.send("/sign-in", f"token={site.ann}".encode(), origin="https://evil.example").status == 403
