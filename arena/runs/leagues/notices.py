"""Passes a league's events and closed rounds on to plugins, each at least once, in their order.

Events come from several processes: the one that plays, and commands and pages that submit or suspend. The process that plays
passes all of them on. How many were passed on is kept in ``passed-on.json`` in the league's folder, so that what happened while
nothing was played is passed on later. A league whose plugins have none of the hooks has no such file; a plugin that is added later
begins with what happens from then on.
"""

import pluggy
from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from arena.league.events import AnyEvent, RoundClosed
from arena.league.history import History
from arena.league.rounds import round_of
from arena.league.table import LeagueTable, table
from arena.runs.leagues.folder import League

FILE = "passed-on.json"


class PassedOn(Struct, frozen=True):
    """How many events were passed on."""

    events: int


class Notices:
    """What plugins receive of a league."""

    def __init__(self, league: League, plugins: pluggy.PluginManager) -> None:
        self._league = league
        self._hook = plugins.hook
        self._rounds = bool(self._hook.arena_round.get_hookimpls())
        self._wanted = self._rounds or bool(self._hook.arena_event.get_hookimpls())
        self._done = _read(league)

    def pass_on(self, history: History) -> None:
        """Pass on what is new. Raises: StoreError; any exception of a plugin."""
        if not self._wanted:
            return
        if self._done is None or self._done > len(history.events):  # the database was rolled back
            self._done = len(history.events)
        new = history.events[self._done :]
        for event in new:
            self._pass_on(history, event)
        if new or not (self._league.folder.path / FILE).exists():
            self._league.folder.write(FILE, json.encode(PassedOn(self._done)).decode())

    def _pass_on(self, history: History, event: AnyEvent) -> None:
        assert self._done is not None
        self._done += 1
        title = self._league.spec.title
        self._hook.arena_event(league=title, number=self._done, event=event)
        if isinstance(event, RoundClosed) and self._rounds:
            before, after = self._after(history, event.round - 1), self._after(history, event.round)
            self._hook.arena_round(league=title, number=event.round, before=before, after=after)

    def _after(self, history: History, number: int) -> LeagueTable:
        """Return the table after a round, of the versions that are in the field now."""
        played = tuple(pair for pair in history.played if round_of(pair.deals) <= number)
        return table(replace(history, played=played), self._league.spec.rated)


def _read(league: League) -> int | None:
    try:
        return json.decode((league.folder.path / FILE).read_bytes(), type=PassedOn).events
    except (OSError, DecodeError):
        return None
