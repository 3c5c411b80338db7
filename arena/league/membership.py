"""Retires, suspends, reinstates and withdraws bots of a league and ends its seasons, at any moment, also while it is played."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from arena.errors import InputError
from arena.league import leagues
from arena.league.intake import copies
from arena.league.leagues import add
from arena.league.rules.events import Event, Reason, Reinstated, Retired, SeasonClosed, SeasonStopped, Suspended, Withdrawn
from arena.league.rules.field import LeagueField, Version
from arena.league.rules.rounds import calendar
from arena.moments import now
from arena.runs.confined_reading import confined_reader

LONGEST_REASON = 1000  # characters


class EndedSeason(Struct, frozen=True):
    """A season that was ended."""

    season: int
    open_round: int | None  # the season ends with this round; None: it has ended


class SuspendedError(InputError):
    """A version is suspended, and its author cannot change that."""


def retire(path: Path, bot: str, reason: str, by: str = "") -> Version:
    """Retire a bot from the next round on, and return its version. Raises: InputError, StoreError, SpecError."""
    checked = checked_reason(reason)
    return _change(path, bot, lambda version: Retired(at=now(), version=version.id, reason=checked, by=by))


def suspend(path: Path, bot: str, reason: str, by: str = "") -> Version:
    """Suspend an active bot from the next round on, and return its version. Raises: InputError, StoreError, SpecError."""
    if not reason.strip():
        raise InputError("found no reason; expected why the bot is suspended")
    checked = Reason(checked_reason(reason))
    return _change(path, bot, lambda version: Suspended(at=now(), version=version.id, reason=checked, by=by))


def reinstate(path: Path, bot: str, reason: str = "", by: str = "") -> Version:
    """Reinstate a suspended, retired or withdrawn bot from the next round on, or the season that it waits for; return its version.

    Raises: InputError; RosterError, StoreError, if the copy of a withdrawn bot is still lost; SpecError.
    """
    checked = checked_reason(reason)
    return _change(path, bot, lambda version: Reinstated(at=now(), version=version.id, reason=checked, by=by))


def withdraw(path: Path, bot: str, reason: str = "") -> Version:
    """Withdraw a bot whose copy, libraries or state are lost, and return its version. Raises: InputError, StoreError, SpecError."""
    checked = checked_reason(reason)
    return _change(path, bot, lambda version: Withdrawn(at=now(), version=version.id, reason=checked))


def change_own(path: Path, bot: str, author: str, kind: type[Retired | Reinstated]) -> Version:
    """Retire or reinstate a bot for its author, from the next round on, and return its version.

    Raises: SuspendedError, for a suspended bot, which its author could otherwise retire and then reinstate; as :func:`reinstate`.
    """

    def event_of(version: Version) -> Retired | Reinstated:
        if version.state == "suspended":
            raise SuspendedError(f"{version.id} is suspended: submit a corrected version, or ask the organiser")
        return kind(at=now(), version=version.id, reason="by its author", by=author)

    return _change(path, bot, event_of)


def _change(path: Path, bot: str, event_of: Callable[[Version], Retired | Suspended | Reinstated | Withdrawn]) -> Version:
    """Store an event about a bot, if it is possible, and return its version after it."""
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        field = leagues.field(league.store)
        version = find_version(field, bot)
        event = event_of(version)
        after = field.apply(event, league.spec.limits)
        if isinstance(event, Reinstated) and version.state == "withdrawn":
            with confined_reader(league.spec.sandbox) as reader:
                copies.entrant(version, path, reader)  # raises, if the copy is still lost
        add(league.store, event)
        return after.version(version.id)


def end_season(path: Path, reason: str = "", by: str = "") -> EndedSeason:
    """End the season: at once, or when the open round is closed. The next season opens with the next round.

    Raises: InputError, if no season is open or its end is decided already; StoreError, SpecError.
    """
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        dates = calendar(leagues.events_of(league.store))
        season, current = dates.season, dates.current
        if season is None:
            raise InputError("no season is open; the next one opens with the next round")
        if dates.stopped:
            raise InputError(f"season {season.season} already ends with the open round")
        ended: list[Event] = [SeasonStopped(at=now(), season=season.season, reason=checked_reason(reason), by=by)]
        if current is None:
            ended.append(SeasonClosed(at=now(), season=season.season))
        add(league.store, *ended)
        return EndedSeason(season.season, current.round if current else None)


def checked_reason(reason: str) -> str:
    """Return a reason without surrounding spaces. Raises: InputError, if it is too long."""
    if len(reason) > LONGEST_REASON:
        raise InputError(f"the reason has {len(reason)} characters; expected at most {LONGEST_REASON}")
    return reason.strip()


def find_version(field: LeagueField, bot: str) -> Version:
    """Return the version with the id ``bot``, or the last version of the bot of that name. Raises: InputError."""
    for version in reversed(field.versions):
        if bot in (version.id, version.name):
            return version
    versions = [version.id for version in field.versions if version.name == bot.partition("@")[0]]
    names = versions or list(dict.fromkeys(version.name for version in field.versions))
    expected = f"expected one of {', '.join(names)}" if names else "no bot has joined yet"
    raise InputError(f"no bot {bot!r} in this league; {expected}")
