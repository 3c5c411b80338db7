"""Retires, suspends and reinstates bots of a league and ends its seasons, at any moment, also while it is played."""

from pathlib import Path
from typing import NamedTuple

from arena.errors import InputError
from arena.league.events import Event, Reinstated, Retired, SeasonClosed, SeasonStopped, Suspended, decode
from arena.league.field import LeagueField, Version
from arena.league.reasons import Reason
from arena.league.rounds import calendar
from arena.runs.leagues import folder as leagues
from arena.runs.leagues import intake
from arena.runs.leagues.folder import add
from arena.runs.leagues.moments import now
from arena.runs.leagues.submit import check_limits
from arena.runs.submissions.confined_reader import confined_reader

LONGEST_REASON = 1000  # characters


class EndedSeason(NamedTuple):
    """A season that was ended."""

    season: int
    open_round: int | None  # with which it ends; None: it has ended


def retire(path: Path, bot: str, reason: str, by: str = "") -> Version:
    """Retire a bot from the next round on, and return its version. Raises: InputError, StoreError, SpecError."""
    with leagues.opened(path, write=True) as league, league.store.deciding():
        version = chosen(leagues.field(league.store), bot)
        if version.state == "retired":
            raise InputError(f"{version.id} is retired already, since {version.since}")
        add(league.store, Retired(at=now(), version=version.id, reason=checked_reason(reason), by=by))
        return leagues.field(league.store).version(version.id)


def suspend(path: Path, bot: str, reason: str, by: str = "") -> Version:
    """Suspend an active bot from the next round on, and return its version. Raises: InputError, StoreError, SpecError."""
    if not reason.strip():
        raise InputError("found no reason; expected why the bot is suspended")
    with leagues.opened(path, write=True) as league, league.store.deciding():
        version = chosen(leagues.field(league.store), bot)
        if version.state != "active":
            raise InputError(f"{version.id} is {version.state} already, since {version.since}")
        add(league.store, Suspended(at=now(), version=version.id, reason=Reason(checked_reason(reason)), by=by))
        return leagues.field(league.store).version(version.id)


def reinstate(path: Path, bot: str, reason: str = "", by: str = "") -> Version:
    """Have a bot that does not play do so again from the next round on.

    Raises: InputError; RosterError, StoreError, if one that was withdrawn is still lost; SpecError.
    """
    with leagues.opened(path, write=True) as league, league.store.deciding():
        field = leagues.field(league.store)
        version = chosen(field, bot)
        if version.state == "active":
            raise InputError(f"{version.id} is active already, since {version.since}")
        if version.state == "withdrawn":
            with confined_reader(league.spec.sandbox) as reader:
                intake.entrant(version, path, reader)
        check_limits(list(field.active), version.author, league.spec.limits)
        add(league.store, Reinstated(at=now(), version=version.id, reason=checked_reason(reason), by=by))
        return leagues.field(league.store).version(version.id)


def end_season(path: Path, reason: str = "", by: str = "") -> EndedSeason:
    """End the season: now, or with the round that is open, whose end then closes it. The next one opens with the next round.

    All seeds of a season that is closed are revealed. Raises: InputError, if no season is open or its end is decided; StoreError,
    SpecError.
    """
    with leagues.opened(path, write=True) as league, league.store.deciding():
        dates = calendar(map(decode, league.store.events()))
        season, current = dates.season, dates.current
        if season is None:
            raise InputError("no season is open; the next one opens with the next round")
        if dates.stopped:
            raise InputError(f"season {season.season} ends with the round that is open, already")
        ended: list[Event] = [SeasonStopped(at=now(), season=season.season, reason=checked_reason(reason), by=by)]
        if current is None:
            ended.append(SeasonClosed(at=now(), season=season.season))
        add(league.store, *ended)
        return EndedSeason(season.season, current.round if current else None)


def checked_reason(reason: str) -> str:
    """Return a reason as it is stored. Raises: InputError, for one that is too long."""
    if len(reason) > LONGEST_REASON:
        raise InputError(f"the reason has {len(reason)} characters; expected at most {LONGEST_REASON}")
    return reason.strip()


def chosen(field: LeagueField, bot: str) -> Version:
    """Return the version that is named in full, or the last version of the bot of that name. Raises: InputError."""
    for version in reversed(field.versions):
        if bot in (version.id, version.name):
            return version
    versions = [version.id for version in field.versions if version.name == bot.partition("@")[0]]
    names = versions or list(dict.fromkeys(version.name for version in field.versions))
    expected = f"expected one of {', '.join(names)}" if names else "no bot has joined yet"
    raise InputError(f"no bot {bot!r} in this league; {expected}")
