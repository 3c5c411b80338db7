"""Reactions to what is played: they write to the log of the run, ``arena.log`` in its folder.

An exception in a hook stops the run; arguments that a hook does not need may be left out.
"""

import logging

from arena.league.rules.events import AnyEvent
from arena.league.rules.league_table import LeagueTable
from arena.plugins.hookspecs import hookimpl
from arena.records import MatchRecord

log = logging.getLogger(__name__)


@hookimpl
def arena_recorded(record: MatchRecord) -> None:
    """Log the faults of a match, as soon as it is stored."""
    for fault in record.faults:
        log.info("my-part: %s in %s: %s", record.fixture.seats[fault.seat], record.fixture.id, fault.kind)


@hookimpl
def arena_event(league: str, number: int, event: AnyEvent) -> None:
    """Log an event of a league."""
    log.info("my-part: %s, event %d: %s", league, number, type(event).__name__)


@hookimpl
def arena_round(league: str, number: int, before: LeagueTable, after: LeagueTable) -> None:
    """Log a new leader of a league."""
    if after.ranking[:1] != before.ranking[:1]:
        log.info("my-part: %s, round %d: %s leads", league, number, after.ranking[0])
