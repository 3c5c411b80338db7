"""The logs of an author's bots."""

import pytest
from support.leagues.sites import ClubSite


@pytest.mark.parametrize("version", ["../../tokens.json", "ann-bot@1/../arena", "..", "ann-bot@1.stderr", "*"])
def test_a_log_is_that_of_a_version_and_no_other_file(site: ClubSite, version: str) -> None:
    assert site.get(f"/me/logs/{version}", site.ann).status == 404


def test_an_author_reads_their_own_log(site: ClubSite) -> None:
    logs = site.path / "logs" / "bots"
    logs.mkdir(parents=True)
    assert site.get("/me/logs/ann-bot@1", site.ann).text == "ann-bot@1 has written nothing\n"
    (logs / "ann-bot@1.stderr").write_text("<b>mine</b>\x1b[31m\n")
    (logs / "ben-bot@1.stderr").write_text("not mine\n")
    answer = site.get("/me/logs/ann-bot@1", site.ann)
    assert answer.text == "<b>mine</b>\\x1b[31m\n"
    assert answer.headers["content-type"].startswith("text/plain")
