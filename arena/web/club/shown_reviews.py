"""The reviews that a league's pages show: only of matches in closed rounds, because a review quotes cards."""

from pathlib import Path
from urllib.parse import quote

from arena.league.rules.field import Version
from arena.reports.review_section import ReviewSection, section_of
from arena.review.summary import ListedDecision, Review
from arena.runs.review_cache import read_kept
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import views
from arena.web.club.watch import LeagueSnapshot


def review_of(path: Path, snapshot: LeagueSnapshot) -> Review | None:
    """Return the review of the league in a folder, without the open round; None: there is none. Raises: StoreError."""
    folder = Folder(path)
    with Store(folder.database) as store:
        return read_kept(folder, store.fact("commitment"), lambda fixture: not views.is_open(snapshot, fixture))


def review_section(path: Path, snapshot: LeagueSnapshot, name: str) -> ReviewSection | None:
    """Return the review section of a bot's page; None: none of its last versions was reviewed. Raises: StoreError."""
    review = review_of(path, snapshot)
    mine = _of(review, snapshot.field.of(name)[-views.MOST_VERSIONS :]) if review else None
    return section_of(mine) if mine and mine.bots else None


def _of(review: Review, versions: tuple[Version, ...]) -> Review:
    ids = {version.id for version in versions}
    bots = {bot: found for bot, found in review.bots.items() if bot in ids}
    return Review(bots=bots, decisions=tuple(one for one in review.decisions if one.bot in ids))


def match_link(one: ListedDecision) -> str:
    """Return the address of a hand on the league's server, at the moment of the decision."""
    return f"/matches/{quote(one.fixture)}#{one.hand}/{one.turn - 1}"
