"""Passes a league's events and closed rounds on to plugins, each at least once, in their order.

Events come from several processes: the one that plays, and commands and pages that submit or suspend. The process that plays
passes all of them on. Their number is kept in ``passed-on.json`` in the league's folder, so that events that were stored while
nothing was played are passed on later. The file is written while a plugin has one of the hooks; without it, the first plugin
receives only later events.
"""

import pluggy
from msgspec import Struct, json

from arena.league.leagues import OpenLeague, read_small
from arena.league.rules.events import AnyEvent, RoundClosed
from arena.league.rules.history import History
from arena.league.rules.table_making import make_table

FILE = "passed-on.json"


class PassedOn(Struct, frozen=True):
    """How many events were passed on."""

    events: int


class Notices:
    """Calls the plugins' hooks for new events and closed rounds."""

    def __init__(self, league: OpenLeague, plugins: pluggy.PluginManager) -> None:
        self._league = league
        self._hook = plugins.hook
        self._rounds = bool(self._hook.arena_round.get_hookimpls())
        self._wanted = self._rounds or bool(self._hook.arena_event.get_hookimpls())
        stored = read_small(league.folder.path / FILE, PassedOn)
        self._done = stored.events if stored else None  # number of events that were passed on; None: not known

    def pass_on(self, history: History) -> None:
        """Pass on what is new. Raises: StoreError; any exception of a plugin."""
        if not self._wanted:
            return
        known = self._done
        if self._done is None or self._done > len(history.events):  # the database was rolled back
            self._done = len(history.events)
        for event in history.events[self._done :]:
            self._pass_on(history, event)
        if self._done != known:
            self._league.folder.write(FILE, json.encode(PassedOn(self._done)).decode())

    def _pass_on(self, history: History, event: AnyEvent) -> None:
        assert self._done is not None
        self._done += 1
        title = self._league.spec.title
        self._hook.arena_event(league=title, number=self._done, event=event)
        if isinstance(event, RoundClosed) and self._rounds:
            terms = self._league.spec.rating_terms
            # in both tables the versions have the state that they have now
            before, after = (make_table(history.with_rounds(number), terms) for number in (event.round - 1, event.round))
            self._hook.arena_round(league=title, number=event.round, before=before, after=after)
