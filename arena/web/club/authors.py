"""The bots of each author."""

from collections import Counter
from math import inf

from msgspec import Struct

from arena.league.rules.field import Version
from arena.web.club.ladder import Ladder, LadderRow
from arena.web.club.watch import LeagueSnapshot


class AuthorsBot(Struct, frozen=True, kw_only=True):
    """A bot of an author: its last version, and how many there were."""

    version: Version
    ladder_row: LadderRow | None  # None: it is not in the table
    versions: int


def authors_bots(snapshot: LeagueSnapshot, shown: Ladder, author: str) -> list[AuthorsBot]:
    """Return the bots of an author, the best first."""
    rows = {one.row.id: one for one in shown.rows}
    last = {version.name: version for version in snapshot.field.versions if version.author == author}
    numbers = Counter(version.name for version in snapshot.field.versions)
    bots = [AuthorsBot(version=one, ladder_row=rows.get(one.id), versions=numbers[name]) for name, one in last.items()]
    ranks = {one.row.id: one.row.rank for one in shown.rows if one.row.rank is not None}
    return sorted(bots, key=lambda one: ranks.get(one.version.id, inf))
