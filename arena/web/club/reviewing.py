"""What a league's pages show of its reviews: of matches in rounds that are over, because a review quotes cards."""

from pathlib import Path
from urllib.parse import quote

from arena.league.field import Version
from arena.reports.reviewed import ReviewSection, ShownDecision
from arena.review.summary import Review
from arena.runs.reviews.kept import kept
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import views
from arena.web.club.watch import LeagueSnapshot


def review_of(path: Path, snapshot: LeagueSnapshot) -> Review | None:
    """Return the review of the league in a folder; None: nothing that may be shown was reviewed. Raises: StoreError."""
    folder = Folder(path)
    with Store(folder.database) as store:
        return kept(folder, store.fact("commitment"), lambda fixture: not views.is_open(snapshot, fixture))


def section(path: Path, snapshot: LeagueSnapshot, name: str) -> ReviewSection | None:
    """Return what the page of a bot shows; None: none of its last versions was reviewed. Raises: StoreError."""
    review = review_of(path, snapshot)
    mine = _of(review, snapshot.field.of(name)[-views.MOST_VERSIONS :]) if review else None
    return ReviewSection(mine) if mine and mine.bots else None


def _of(review: Review, versions: tuple[Version, ...]) -> Review:
    ids = {version.id for version in versions}
    bots = {bot: found for bot, found in review.bots.items() if bot in ids}
    return Review(bots=bots, decisions=tuple(one for one in review.decisions if one.bot in ids))


def match_link(one: ShownDecision) -> str:
    """Return the address that shows a hand on the league's server, when the decision is to be made."""
    return f"/matches/{quote(one.fixture)}#{one.hand}/{one.turn - 1}"
