"""A match between a person and a bot, or between two people, played and stored like any other."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.errors import InputError
from arena.human.player import HumanPlayer
from arena.human.stopped_match import UnfinishedMatch, remove_unfinished
from arena.plugins import manager
from arena.records import HandRecord, MatchRecord
from arena.referee import job
from arena.referee.job import Job
from arena.results.publish import write_reports
from arena.roster.entrant import NAME_PATTERN, PERSON, person_entrant
from arena.roster.finder import find
from arena.runs import named_parts, planning
from arena.runs.chosen import ResolvedBot
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.text import printable
from arena.tournament.plan import Plan

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
    names: tuple[str, ...] = ()  # of the people; empty: "you", or host and guest


def match_plan(request: MatchRequest) -> Plan:
    """Return the plan of one match between a person and a bot, or two people. Raises: InputError, RosterError."""
    field = _field(request)
    bots = [one.entrant.launch for one in field if one.entrant.launch.command]
    options: dict[str, Any] = {"target": request.target, "best_of": request.best_of}
    values: dict[str, Any] = {
        "title": f"Play {field[1].name}",
        "rules": named_parts.ruleset(request.rules, {}, **{key: value for key, value in options.items() if value is not None}),
        "format": "single",
        "sandbox": named_parts.sandbox(request.sandbox, bots),
    }
    return planning.from_values(values, field, request.seed)


def _field(request: MatchRequest) -> tuple[ResolvedBot, ResolvedBot]:
    """Return who plays: a person and a bot, or two people. Raises: InputError, RosterError."""
    people = _checked_names(request)
    if request.bot is None:
        return _person(people[0]), _person(people[1])
    bot = find(request.bot, name=None, folder=Path())
    if bot.name == people[0]:
        bot = find(request.bot, name=f"{bot.name}-too", folder=Path())
    return _person(people[0]), ResolvedBot(request.bot, bot)


def _checked_names(request: MatchRequest) -> tuple[str, ...]:
    """Return the names of the people. Raises: InputError: a wrong number, equal names, or one that no bot could have."""
    usual = TWO if request.bot is None else (NAME,)
    names = request.names or usual
    if len(names) != len(usual) or len(set(names)) < len(names):
        expected = "one for each of two people, and they differ" if request.bot is None else "one, your own"
        raise InputError(f"--name: found {' and '.join(names)}; expected {expected}")
    for name in names:
        if not re.match(NAME_PATTERN, name):
            raise InputError(
                f"--name: found {printable(name)!r}; expected at most 50 letters, digits, _ . or -, a letter or digit first"
            )
    return names


def ignore_hands(_: Job) -> Callable[[HandRecord], None]:
    """Return a function that ignores each hand of a match."""
    return lambda _: None


def play_person(
    start: RunStart,
    people: Sequence[HumanPlayer],
    observer: Observer,
    on_begin: Callable[[Job], Callable[[HandRecord], None]] = ignore_hands,
) -> None:
    """Play the match of one person or two in this process, or the rest of one that was stopped; store it and write its reports.

    ``on_begin`` returns a function that receives each hand that is over, also those from before the match was stopped. Raises: as
    ``arena.runs.play.play_run``.
    """
    first, second = (*people, None)[:2]

    def work(one: Job) -> MatchRecord:
        unfinished, on_hand = UnfinishedMatch(start.folder, one.seed), on_begin(one)
        so_far = unfinished.read()
        for hand in so_far.hands:
            on_hand(hand)
        return job.play(one, (first, second), tell=on_hand, so_far=so_far, keep=unfinished.keep)

    play_run(start, Runner(manager.load(), executor="serial", workers=1, work=work), observer, write_reports)
    start.folder.mark_reported()
    remove_unfinished(start.folder)


def _person(name: str) -> ResolvedBot:
    return ResolvedBot(PERSON, person_entrant(name))
