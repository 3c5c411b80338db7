"""Plays bots against each other in one process and without clocks, because only their policies are studied.

This is the only module that imports bots. Each policy executes the bot's module again, so that changing a constant of one policy
does not affect another.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.errors import RosterError
from arena.gin.actions import Action, write_actions
from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.records import Fixture, HandRecord, MatchRecord
from arena.roster.finder import find
from arena.sdk.bot import Bot

PAIRED = Rules(stock="two-ended")
SEED = "study"  # fixed, so that the same command plays the same hands


class TablePolicy(Struct, frozen=True):
    """A bot of the roster, optionally with another value for one constant of its module."""

    bot: str
    constant: str = ""
    value: float = 0.0

    @property
    def name(self) -> str:
        """Return the name shown in a table."""
        return f"{self.bot} {self.constant}={self.value:g}" if self.constant else self.bot

    def build(self, seed: str = SEED) -> Bot:
        """Return the bot. Raises: RosterError, if it does not use the SDK or has no such constant."""
        entrant = find(self.bot)
        where, _, name = entrant.launch.command[-1].rpartition(":")
        spec = importlib.util.find_spec(where)
        if not name or spec is None or spec.loader is None:
            raise RosterError(f"bot {self.bot!r} is not a class of the SDK")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if self.constant:
            if not hasattr(module, self.constant):
                raise RosterError(f"bot {self.bot!r} has no constant {self.constant!r}")
            setattr(module, self.constant, type(getattr(module, self.constant))(self.value))
        bot = getattr(module, name)(seed)
        assert isinstance(bot, Bot)
        return bot


def hands(bots: tuple[Bot, Bot], key: str, first: int, count: int, rules: Rules = PAIRED) -> Iterator[HandRecord]:
    """Yield ``count`` hands of the deals of a key, from number ``first``, with the two bots in seat 0 and 1."""
    for number in range(first, first + count):
        yield _hand(bots, Batch(rules, Deals(SEED, key), number + 1, played=number))


def leg(seats: tuple[str, str], key: str, played: list[HandRecord]) -> MatchRecord:
    """Return hands as the record of a batch."""
    fixture = Fixture(f"{key}/{seats[0]}", seats, key, len(played))
    return MatchRecord(fixture=fixture, winner=None, hands=tuple(played), games=())


def data_file(name: str) -> Path:
    """Return the path of a data file of arena.stats."""
    return Path(__file__).parents[1] / "stats" / name


def _hand(bots: tuple[Bot, Bot], batch: Batch) -> HandRecord:
    deal, standing, actions = batch.deal(), batch.standing, list[Action]()
    hand = Hand.start(deal, batch.rules)
    while hand.result is None:
        actions.append(bots[hand.seat].answer(see(hand, standing)))
        hand = hand.play(actions[-1])
    ended = hand.result
    return HandRecord(
        game=standing.game,
        hand=standing.hand,
        dealer=deal.dealer,
        actions=write_actions(tuple(actions)),
        ending=ended.ending,
        winner=ended.winner,
        points=ended.points,
        deadwood=ended.deadwood,
    )
