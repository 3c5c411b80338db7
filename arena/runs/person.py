"""A match between a person and a bot, or between two people, played and stored like any other."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.human.player import HumanPlayer
from arena.plugins import manager
from arena.records import HandRecord, MatchRecord
from arena.referee import job
from arena.referee.job import Job
from arena.roster.entrant import Entrant, Launch
from arena.roster.finder import find
from arena.runs import parts, plans
from arena.runs.observer import Observer
from arena.runs.play import play
from arena.runs.publish import published
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner
from arena.store.folder import Folder
from arena.tournament.plan import Plan

PERSON = "person"  # how a spec enters the person
NAME = "you"
TWO = ("host", "guest")  # the names of two people at one table


class MatchRequest(Struct, frozen=True, kw_only=True):
    """What a person wants to play."""

    bot: str | None  # None: another person
    rules: str = "standard"
    target: int | None = None  # None: as the rules say
    best_of: int | None = None
    sandbox: str | None = None  # None: the default of specs
    seed: str | None = None


def planned(request: MatchRequest) -> Plan:
    """Return the plan of one match between a person and a bot, or two people. Raises: InputError, RosterError."""
    field = _people() if request.bot is None else _with_bot(request.bot)
    bots = [one.entrant.launch for one in field if one.entrant.launch.command]
    options = {"target": request.target, "best_of": request.best_of}
    values: dict[str, Any] = {
        "title": f"Play {field[1].name}",
        "rules": {"name": request.rules, **{key: value for key, value in options.items() if value is not None}},
        "format": "single",
        "sandbox": parts.sandbox(request.sandbox, bots),
    }
    return plans.from_values(values, field, request.seed)


def _with_bot(asked: str) -> tuple[ResolvedBot, ResolvedBot]:
    bot = find(asked, name=None, folder=Path())
    if bot.name == NAME:
        bot = find(asked, name=f"{NAME}-too", folder=Path())
    return _person(NAME), ResolvedBot(asked, bot)


def _people() -> tuple[ResolvedBot, ResolvedBot]:
    host, guest = map(_person, TWO)
    return host, guest


def tell_nobody(_: Job) -> Callable[[HandRecord], None]:
    """Return what ignores each hand of a match."""
    return lambda _: None


def play_person(
    plan: Plan,
    folder: Folder,
    people: Sequence[HumanPlayer],
    observer: Observer,
    begun: Callable[[Job], Callable[[HandRecord], None]] = tell_nobody,
) -> None:
    """Play the match of one person or two in this process, store it and write its reports.

    ``begun`` returns what receives each hand that is over. Raises: as ``arena.runs.play.play``.
    """
    first, second = (*people, None)[:2]

    def work(one: Job) -> MatchRecord:
        return job.play(one, (first, second), begun(one))

    play(plan, folder, Runner(manager.load(), "serial", 1, work), observer, published)
    folder.mark_reported()


def _person(name: str) -> ResolvedBot:
    return ResolvedBot(PERSON, Entrant(name, "0", "a person at this machine", "0" * 64, Launch(command=(), folder="")))
