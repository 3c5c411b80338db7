"""Retires and reinstates bots of a league, at any moment, also while it is played."""

from pathlib import Path

from arena.errors import InputError
from arena.league.events import Reinstated, Retired
from arena.league.field import LeagueField, Version
from arena.runs.leagues import folder as leagues
from arena.runs.leagues.folder import add
from arena.runs.leagues.moments import now
from arena.runs.leagues.submit import check_limits


def retire(path: Path, bot: str, reason: str) -> Version:
    """Retire a bot from the next round on, and return its version. Raises: InputError, StoreError, SpecError."""
    with leagues.opened(path, write=True) as league, league.store.deciding():
        version = chosen(leagues.field(league.store), bot)
        if version.state == "retired":
            raise InputError(f"{version.id} is retired already, since {version.since}")
        add(league.store, Retired(at=now(), version=version.id, reason=reason))
        return leagues.field(league.store).version(version.id)


def reinstate(path: Path, bot: str) -> Version:
    """Have a retired or suspended bot play again from the next round on. Raises: InputError, StoreError, SpecError."""
    with leagues.opened(path, write=True) as league, league.store.deciding():
        field = leagues.field(league.store)
        version = chosen(field, bot)
        if version.state == "active":
            raise InputError(f"{version.id} is active already, since {version.since}")
        check_limits(list(field.active), version.author, league.spec.limits)
        add(league.store, Reinstated(at=now(), version=version.id))
        return leagues.field(league.store).version(version.id)


def chosen(field: LeagueField, bot: str) -> Version:
    """Return the version that is named in full, or the last version of the bot of that name. Raises: InputError."""
    for version in reversed(field.versions):
        if bot in (version.id, version.name):
            return version
    names = dict.fromkeys(version.name for version in field.versions)
    expected = f"expected one of {', '.join(names)}" if names else "no bot has joined yet"
    raise InputError(f"no bot {bot!r} in this league; {expected}")
