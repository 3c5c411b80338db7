"""The ways between the pages of a league: the same header on each, and no link that is refused to who sees it."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from support.leagues.sites import ClubSite, club, play, with_results

pytestmark = pytest.mark.process

ADDRESS = re.compile(r'<a [^>]*href="(/[^"#]*)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClubSite]:
    """Yield a league whose last round is open, with matches."""
    path = with_results(tmp_path_factory.mktemp("walked"))
    play(path, 1)
    with club(path) as made:
        yield ClubSite(made)


def pages(site: ClubSite, bearer: str) -> dict[str, str]:
    """Return each page to which links lead from the start page, by its address."""
    found, left = dict[str, str](), ["/"]
    while left:
        address = left.pop()
        answer = site.get(address, bearer, accept="text/html")
        assert answer.status == 200, address
        found[address] = answer.text if answer.headers["content-type"].startswith("text/html") else ""
        left += {unescape(one) for one in ADDRESS.findall(found[address])} - {*found, *left}
    return found


@pytest.mark.parametrize("reader", ["", "ann", "organiser"])
def test_a_reader_can_follow_every_link_that_a_page_shows_and_each_page_has_the_header(site: ClubSite, reader: str) -> None:
    found = pages(site, getattr(site, reader) if reader else "")
    assert {"/", "/heat", "/challenges", "/people", "/authors/ann", "/bots/ben-bot"} <= found.keys()
    assert any(address.startswith("/matches/") for address in found)
    for address, text in found.items():
        if text:
            assert text.count('<a class="brand" href="/">Friday league</a>') == 1, address
            assert text.count('role="search"') == 1, address
            assert ('aria-label="Where you are"' in text) == (address != "/"), address


def test_a_refusal_has_the_header_too(site: ClubSite) -> None:
    refused = site.get("/nowhere", accept="text/html").text
    assert ('class="brand"' in refused, 'role="search"' in refused) == (True, True)


def test_any_two_bots_are_compared_from_the_start_page_by_name_or_version(site: ClubSite) -> None:
    assert '<form action="/pairs"' in site.get("/").text
    for asked in ("one=ann-bot&other=ben-bot", "one=ann-bot%401&other=+ben-bot%401+"):
        answer = site.get(f"/pairs?{asked}")
        assert (answer.status, answer.headers["location"]) == (303, "/pairs/ann-bot%401/ben-bot%401")
    for asked, said in (("one=ann-bot&other=ann-bot@1", "twice"), ("one=an-bot&other=ben-bot", "'ann-bot@1'"), ("", "the ladder")):
        answer = site.get(f"/pairs?{asked}")
        assert (answer.status, said in answer.text) == (404, True)
