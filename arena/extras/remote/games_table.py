"""The table of a server's games."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from arena.extras.remote.record import author_of
from arena.records import Result
from arena.reports.numbers import signed
from arena.roster.entrant import Entered
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.margin import of_blocks
from arena.stats.statements import REMOTE

NOTE = (
    "Unconfined: these bots play from elsewhere, where no sandbox holds them; each may be a person, and each deal is played once."
    f" {REMOTE} The server's own bots run on the server, in its sandbox."
)


class BotScore(Struct, frozen=True):
    """The points a hand of a bot, luck-adjusted."""

    bot: str
    games: int
    hands: int
    points: float
    half: float | None  # half the width of the 95 % interval; None: one game, or few with one result


def scores(played: Sequence[Result]) -> list[BotScore]:
    """Return the score of every bot that has played, the best first. A game is one observation: its hands share two processes."""
    observed: dict[str, list[list[float]]] = defaultdict(list)  # by game and hand
    for result in played:
        adjusted = [hand.points - (hand.luck or 0.0) for hand in result.singles]
        observed[result.fixture.seats[0]].append(adjusted)
        observed[result.fixture.seats[1]].append([-one for one in adjusted])
    found = [_score(name, games) for name, games in observed.items() if any(games)]
    return sorted(found, key=lambda one: (-one.points, one.bot))


def _score(name: str, games: list[list[float]]) -> BotScore:
    hands, found = sum(map(len, games)), of_blocks(games)
    return BotScore(name, len(games), hands, sum(map(sum, games)) / hands, found.half if found else None)


def details(field: Sequence[Entered], played: Sequence[Result]) -> Details:
    """Return the table of unconfined games, and as the answer the unconfined bot that leads it."""
    found = scores(played)
    where = {one.name: "unconfined" if author_of(one) else "of the server" for one in field}
    points = {one.bot: round(one.points, 2) + 0.0 for one in found}  # the sum is never -0.0
    halves = {one.bot: round(one.half, 2) for one in found if one.half is not None}
    columns = [
        Column("class", {one.bot: where.get(one.bot, "") for one in found}),
        Column("points a hand", {one.bot: signed(one.points) for one in found}, points),
        Column("±", {one.bot: "" if one.half is None else f"{one.half:,.2f}" for one in found}, halves),
        Column("hands", {one.bot: f"{one.hands:,}" for one in found}, {one.bot: one.hands for one in found}),
        Column("games", {one.bot: f"{one.games:,}" for one in found}, {one.bot: one.games for one in found}),
    ]
    table = PlaceTable(title="Unconfined games", places=[[one.bot] for one in found], columns=columns, note=NOTE)
    unconfined = [one for one in found if where.get(one.bot) == "unconfined"]
    if not unconfined:
        return Details(tables=[table])
    first = unconfined[0]
    leads = "leads the unconfined bots" if len(unconfined) > 1 else "is the only unconfined bot"
    answer = f"{first.bot} {leads}: {signed(first.points, first.half)} points a hand, luck subtracted"
    why = "an unconfined bot plays from elsewhere, and may be a person"
    return Details(answer=answer, why=why, tables=[table])
