"""What changed between two versions of an author's bot."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.events import joined
from support.leagues.sites import ClubSite, club, league

from arena.league.requests import find_comparison
from arena.runs.differences import KINDS, Difference, DifferentPosition

POSITION = DifferentPosition(
    kind="discard", seed="diff-0", hand=3, turn=4, seat=0, view="<i>a turn", old="7h", new="8h", replay="arena debug"
)


def compare(site: ClubSite, old: str, new: str, bearer: str) -> int:
    return site.send("/me/changes", f"old={old}&new={new}".replace("@", "%40").encode(), bearer).status


@pytest.mark.process
def test_an_author_asks_what_changed_between_own_versions_and_no_others(tmp_path: Path) -> None:
    two = [*joined("ann-bot", author="ann"), *joined("ann-bot", 2, author="ann")]
    with club(league(tmp_path, *two, *joined("ben-bot", author="ben"))) as made:
        site = ClubSite(made)
        assert "/me/changes/ann-bot%401/ann-bot%402" in site.get("/me", site.ann).text
        page = "/me/changes/ann-bot@1/ann-bot@2"
        assert "Compare them" in site.get(page, site.ann).text
        assert compare(site, "ann-bot@1", "ann-bot@2", site.ann) == 303
        assert "They are being compared" in site.get(page, site.ann).text
        assert compare(site, "ann-bot@1", "ann-bot@1", site.ann) == 400
        for old, new in (("ann-bot@1", "ben-bot@1"), ("ben-bot@1", "ann-bot@1"), ("../../x", "ann-bot@1"), ("", "")):
            assert compare(site, old, new, site.ann) == 404
        assert [site.get(page, bearer).status for bearer in (site.ben, site.organiser, "x")] == [404, 404, 401]
        assert compare(site, "ann-bot@2", "ann-bot@1", site.ann) == 303
        found = find_comparison(site.jobs, *made.context.snapshot.field.of("ann-bot"))
        assert found
        difference = Difference(decisions=70, differ=1, kinds={**dict.fromkeys(KINDS, 0), POSITION.kind: 1}, positions=(POSITION,))
        site.jobs.end(replace(found, state="done", difference=difference, warnings=("new: <b>late",)))
        text = site.get(page, site.ann).text
        assert "1 of 70 decisions differ" in text
        assert "&lt;i&gt;a turn" in text
        assert "new: &lt;b&gt;late" in text
        rules = "&#39;{name: tournament, target: 10, best_of: 1}&#39;"
        assert f"arena debug BOT --against BOT --rules {rules} --hand 3 --seat 0 --seed diff-0" in text
