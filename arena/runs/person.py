"""A match between a person and a bot, played and stored like any other."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.human.player import HumanPlayer
from arena.plugins import manager
from arena.records import MatchRecord
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


class MatchRequest(Struct, frozen=True, kw_only=True):
    """What a person wants to play."""

    bot: str
    rules: str = "standard"
    target: int | None = None  # None: as the rules say
    best_of: int | None = None
    sandbox: str | None = None  # None: the default of specs
    seed: str | None = None


def planned(request: MatchRequest) -> Plan:
    """Return the plan of one match between a person and a bot. Raises: InputError, RosterError."""
    bot = find(request.bot, name=None, folder=Path())
    if bot.name == NAME:
        bot = find(request.bot, name=f"{NAME}-too", folder=Path())
    options = {"target": request.target, "best_of": request.best_of}
    values: dict[str, Any] = {
        "title": f"Play {bot.name}",
        "rules": {"name": request.rules, **{key: value for key, value in options.items() if value is not None}},
        "format": "single",
        "sandbox": parts.sandbox(request.sandbox, [bot.launch]),
    }
    return plans.from_values(values, (ResolvedBot(PERSON, _person()), ResolvedBot(request.bot, bot)), request.seed)


def play_person(plan: Plan, folder: Folder, person: HumanPlayer, observer: Observer) -> None:
    """Play the match in this process, store it and write its reports. Raises: as ``arena.runs.play.play``."""

    def work(one: Job) -> MatchRecord:
        return job.play(one, (person, None))

    play(plan, folder, Runner(manager.load(), "serial", 1, work), observer, published)
    folder.mark_reported()


def _person() -> Entrant:
    return Entrant(NAME, "0", "a person at this machine", "0" * 64, Launch(command=(), folder=""))
