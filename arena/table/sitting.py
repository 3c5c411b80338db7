"""A person's match against a bot: what is played, and how it comes to be on record like any other."""

from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from arena.errors import InputError, SpecError
from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.players.base import PlayerFault, Reply
from arena.players.sandboxes.base import Limited
from arena.records import Fixture, MatchRecord
from arena.referee.job import play
from arena.roster.entrant import Entrant, Launch
from arena.roster.finder import find
from arena.table.moves import Move
from arena.tournament import plan as plans
from arena.tournament.plan import Plan
from arena.tournament.spec import DEFAULTS, Kinds, parse

PERSON = "person"  # how a spec enters whoever sits at the keyboard
NAME = "you"


class Wanted(Struct, frozen=True, kw_only=True):
    """What a person wants to play."""

    bot: str
    rules: str = "standard"
    target: int | None = None  # None: as the rules say
    best_of: int | None = None
    sandbox: str | None = None  # None: as tournaments have it
    seed: str | None = None


def planned(wanted: Wanted, kinds: Kinds) -> Plan:
    """Return the plan of one match between a person and a bot. Raises: InputError, RosterError."""
    try:
        spec = parse(_spec(wanted, kinds), kinds, "play")
    except SpecError as error:  # its lines are nobody's
        raise InputError(str(error).partition(": ")[2]) from None
    return plans.make(spec, wanted.seed, lambda bot, name: _person() if bot == PERSON else find(bot, name, Path()))


def _spec(wanted: Wanted, kinds: Kinds) -> str:
    options = {"target": wanted.target, "best_of": wanted.best_of}
    bot = find(wanted.bot)
    document: dict[str, Any] = {
        "title": f"Play {bot.name}",
        "bots": [{"bot": PERSON, "name": NAME}, {"bot": wanted.bot, **({"name": f"{NAME}-too"} if bot.name == NAME else {})}],
        "rules": {"name": wanted.rules, **{key: value for key, value in options.items() if value is not None}},
        "format": "single",
        "sandbox": {"name": wanted.sandbox or DEFAULTS["sandbox"]},
    }
    if any(issubclass(kind, Limited) and kind.__struct_config__.tag == document["sandbox"]["name"] for kind in kinds.sandboxes):
        document["sandbox"] |= {"threads": bot.launch.threads, "scratch_mb": bot.launch.scratch_mb}  # nobody else has to grant them
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def _person() -> Entrant:
    return Entrant(NAME, "0", "a person at this machine", "0" * 64, Launch(command=(), folder=""))


def fixture(plan: Plan) -> Fixture:
    """Return the one match that is played."""
    return next(iter(plan.spec.format.fixtures(plan.names, [])))


def played(plan: Plan, person: "Person") -> MatchRecord:
    """Play the match to its end; the bot sits behind its sandbox's walls, as ever. Raises: WorkerLost."""
    return play(plan.job(fixture(plan)), (person, None))


class Person:
    """A player who is asked by ``choose`` and told by ``hand_over`` and ``match_over``: subclasses say how."""

    def __init__(self) -> None:
        self.before: View | None = None  # the last turn
        self.left = False  # who leaves the table loses by faults

    def start(self) -> None:
        """Nothing to do."""

    def begin(self, seat: Seat, hands: int | None) -> None:  # noqa: ARG002 - a person is told all it needs with each turn
        """Stay away from the table, once it was left. Raises: PlayerFault."""
        self._stay()

    def ask(self, view: View) -> Reply:
        """Return the move that is chosen. Raises: PlayerFault, if the table is left."""
        self._stay()
        move = self.choose(view)
        self.before = view
        if move is None:
            self.left = True
            self._stay()
        assert move
        return Reply(move.action)

    def _stay(self) -> None:
        if self.left:
            raise PlayerFault("crash", "left the table")

    def choose(self, view: View) -> Move | None:
        """Return a legal move; None leaves the table."""
        raise NotImplementedError

    def hand_over(self, outcome: Outcome) -> None:
        """Learn how a hand ended."""
        raise NotImplementedError

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Learn how the match ended."""
        raise NotImplementedError

    def log(self) -> str:
        """Return nothing: a person says nothing on stderr."""
        return ""

    def close(self) -> None:
        """Nothing to do."""
