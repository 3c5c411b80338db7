"""A league's server that takes submissions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.leagues.events import joined
from support.leagues.sites import ClubSite, club, league

from arena.league.uploads import UploadLimits
from arena.web.club.context import ClubTerms
from arena.web.club.receiving import Patience


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClubSite]:
    path = league(tmp_path, *joined("ann-bot", author="ann"), *joined("ben-bot", author="ben"))
    terms = ClubTerms(submit=True, limits=UploadLimits(size=5000, free=0), patience=Patience(quiet=0.2))
    with club(path, terms) as made:
        yield ClubSite(made)
