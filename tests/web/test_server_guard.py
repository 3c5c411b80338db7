"""Requests that ``arena serve`` refuses, and the headers of its responses."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import json
from support.servers.serving import ask, serving

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def site(finished: Path) -> Iterator[str]:
    with serving(finished.parent) as address:
        for _ in range(200):
            if b"/runs/run/" in ask(address, "/").body:
                break
        yield address


def test_a_request_with_another_host_is_refused(site: str) -> None:
    assert ask(site, "/", Host="evil.example").status == 421
    assert ask(site, "/", Host=site.removeprefix("http://").rstrip("/").replace("127.0.0.1", "localhost")).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_get_and_head_are_allowed(site: str, method: str) -> None:
    assert ask(site, "/runs/run/", method, Origin=site.rstrip("/")).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../pyproject.toml",
        "/static/templates/report.html",
        "/static/assets.py",
        "/runs/../",
        "/runs/..%2f..%2fone.py",
        "/runs/%2e%2e/results.json",
        "/runs/run/spec.yaml",
        "/runs/run/arena.log",
        "/runs/run/../../one.py",
        "/runs/unknown/",
        "/runs/run/match.json?fixture=../../one.py",
        "/runs/run/match.json",
    ],
)
def test_other_files_are_not_served(site: str, path: str) -> None:
    assert ask(site, path).status == 404


def test_a_browser_is_shown_a_page_where_there_is_nothing(site: str) -> None:
    for path in ("/nowhere", "/runs/unknown/", "/static/none.js"):
        found = ask(site, path, Accept="text/html,*/*;q=0.8")
        assert (found.status, found.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert b"<h1>Page not found</h1>" in found.body
        assert b'<a href="/">start page</a>' in found.body
    assert ask(site, "/nowhere").body == b"there is nothing at this address\n"
    assert ask(site, "/runs/unknown/").body == b"run not found\n"


def test_a_link_that_leads_out_of_the_folder_is_not_listed(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").symlink_to(finished, target_is_directory=True)
    with serving(tmp_path) as address:
        assert b"/runs/outside/" not in ask(address, "/").body
        assert ask(address, "/runs/outside/").status == 404


def test_every_response_has_the_security_headers(site: str) -> None:
    for path in ("/", "/runs/run/", "/nowhere", "/static/dom.js"):
        headers = ask(site, path).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        assert "access-control-allow-origin" not in headers


def test_a_finished_run_can_be_downloaded(site: str, finished: Path, tmp_path: Path) -> None:
    assert json.decode(ask(site, "/runs/run/results.json").body)["matches"] == 18
    assert ask(site, "/runs/run/standings.csv").body == (finished / "standings.csv").read_bytes()
    copy = tmp_path / "arena.sqlite"
    copy.write_bytes(ask(site, "/runs/run/arena.sqlite").body)
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT count(*) FROM match").fetchone() == (18,)


def test_serving_a_folder_changes_nothing_in_it(finished: Path) -> None:
    before = {path.name: path.read_bytes() for path in finished.iterdir() if "sqlite-" not in path.name}
    with serving(finished) as address:
        for path in ("/", "/runs/run/", "/runs/run/matches.json", "/runs/run/arena.sqlite"):
            ask(address, path)
    assert {path.name: path.read_bytes() for path in finished.iterdir() if "sqlite-" not in path.name} == before
