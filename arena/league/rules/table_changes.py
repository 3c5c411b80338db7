"""What has changed in the table of a league since an earlier one."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import dropwhile
from statistics import fmean

from arena.league.rules.events import (
    AnyEvent,
    RoundClosed,
)
from arena.league.rules.league_table import LeagueTable, TableRow
from arena.league.rules.ratings import Anchor
from arena.moments import Moment
from arena.reports.numbers import count


def anchors_in(found: LeagueTable, wanted: Iterable[Anchor]) -> tuple[str, ...]:
    """Return the versions in a table that are anchors, and not other bots."""
    return tuple(one.version for one in wanted if (row := found.row(one.version)) and one.is_bot(row.digest))


def trends(then: LeagueTable, now: LeagueTable, anchors: Collection[str]) -> Mapping[str, float]:
    """Return the change of rating of each active version since an earlier table, on one scale."""
    before, after = ({row.id: row.rating for row in one.rows if row.rating is not None} for one in (then, now))
    shift = scale_shift(before, after, anchors)
    return {name: after[name] - before[name] - shift for name in now.ranking if name in before}


def scale_shift(then: Mapping[str, float], now: Mapping[str, float], anchors: Collection[str]) -> float:
    """Return the shift of the scale of ratings: the mean change of the anchors, or without any, of all versions in both tables.

    The mean of a field is 0, so a strong newcomer lowers all other ratings, though their bots have not changed.
    """
    both = then.keys() & now.keys()
    return fmean(now[one] - then[one] for one in sorted(both & set(anchors) or both)) if both else 0.0


def changes(
    events: Iterable[AnyEvent], since: Moment, then: LeagueTable, now: LeagueTable, tell: Callable[[AnyEvent], str]
) -> list[str]:
    """Return the changes since a moment, one line each: first the events, then the rounds, then the ranks.

    ``tell`` is ``describe`` or ``describe_to_all``.
    """
    later = list(dropwhile(lambda event: event.at <= since, events))  # those that ``History.until`` leaves out
    rounds = sum(isinstance(event, RoundClosed) for event in later)
    played = sum(row.matches for row in now.rows) - sum(row.matches for row in then.rows)
    lines = [line for event in later if (line := tell(event))]
    if played:
        lines.append(f"{count(rounds, 'round')} closed, {count(played // 2, 'match', 'matches')} played")
    return lines + [line for row in now.rows if (line := _movement(then.row(row.id), row))]


def _movement(then: TableRow | None, now: TableRow) -> str:
    """Return the change of a version's rank; empty: none, or one of its ranks is missing."""
    if then is None or then.rank is None or now.rank is None or then.rank == now.rank:
        return ""
    return f"{now.id} {'rose' if now.rank < then.rank else 'fell'} from rank {then.rank} to {now.rank}"
