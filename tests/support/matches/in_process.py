"""Matches for tests, played in this process by functions."""

from collections.abc import Callable
from typing import Any

from arena.gin.actions import Action
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.base import InlinePlayer, Player
from arena.players.sandboxes import NoSandbox
from arena.records import Fixture, MatchRecord
from arena.referee.job import Job, contest
from arena.referee.referee import Referee
from arena.roster.entrant import Launch
from arena.sdk import Bot
from arena_bots.greedy import Greedy
from arena_bots.random_kind import RandomKind

Answer = Callable[[View], Action]

SEED = "a seed for tests"
PLAN = '{"bots": ["a", "b"], "format": {"name": "round-robin"}, "method": 1}'  # of a run that stores it
SHORT = Rules(target=50, best_of=1)
AMPLE = TimeLimits()
NOBODY = Launch(command=("none",), folder="/")  # of a seat whose bot is not started


def fixture(name: str = "a-b/0/0", hands: int | None = None) -> Fixture:
    """Return a fixture between ``a`` and ``b``."""
    return Fixture(name, ("a", "b"), name.rpartition("/")[0], hands)


def job_of(
    fixture: Fixture,
    launches: tuple[Launch, Launch] = (NOBODY, NOBODY),
    rules: Rules = SHORT,
    time: TimeLimits = AMPLE,
    seed: str = SEED,
) -> Job:
    """Return the job of a fixture without a sandbox."""
    return Job(
        fixture=fixture,
        launches=launches,
        rules=rules,
        sandbox=NoSandbox(),
        time=time,
        lines=LineLimits(),
        faults=FaultCosts(),
        seed=seed,
    )


def greedy(seed: str = "") -> Answer:
    """Return a bot that plays well enough to end a hand."""
    bot: Bot = Greedy(seed)
    return bot.answer


def by_chance(seed: str = "") -> Answer:
    """Return a bot that does whatever is legal, and so often knocks."""
    bot: Bot = RandomKind(seed)
    return bot.answer


def plain(seed: str = "") -> Answer:
    """Return a bot that answers as the SDK does by default."""
    return Bot(seed).answer


def seated(player: Answer | Player) -> Player:
    """Return a player for a function; a player is one already."""
    return player if not callable(player) else InlinePlayer(player)


def match(
    zero: Answer | Player | None = None,
    one: Answer | Player | None = None,
    *,
    rules: Rules = SHORT,
    hands: int | None = None,
    costs: FaultCosts | None = None,
    **names: Any,
) -> MatchRecord:
    """Return the record of a fixture, by default between two that play by greed."""
    played = fixture(hands=hands, **names)
    players = (seated(zero or greedy("0")), seated(one or greedy("1")))
    return Referee(played, rules, contest(played, rules, SEED), players, costs or FaultCosts()).play()


def once(instead: Callable[[View], Action | None], otherwise: Answer | None = None, *, always: bool = False) -> Answer:
    """Return a function that gives ``instead``'s answer the first time that it has one, and else plays on."""
    done = False
    plays = otherwise or greedy("once")

    def answer(view: View) -> Action:
        nonlocal done
        odd = None if done else instead(view)
        if odd is None:
            return plays(view)
        done = not always
        return odd

    return answer
