"""Every message of the conversation, typed, with cards in their notation.

Two questions want an answer, ``hello`` and ``turn``; four tellings do not, ``match``, ``hand_over``, ``match_over`` and
``bye``. Where a field is a pair, the bot that reads it comes first.
"""

from typing import Annotated

from msgspec import Meta, Struct

from arena.gin.actions import Kind
from arena.gin.hand import Phase
from arena.gin.rules import Rules
from arena.gin.score import Ending

VERSION = 1  # of the protocol; a change of any message changes it

_CARD = {"pattern": "^[A23456789TJQK][cdhs]$"}  # in the schema only: notation turns names into cards, and finds each that is none
Name = Annotated[str, Meta(description="a card: rank and suit, as 7h", extra_json_schema=_CARD)]
Names = tuple[Name, ...]
Version = Annotated[int, Meta(ge=1, le=1000)]
LaidOff = tuple[Name, Annotated[int, Meta(ge=0, le=9, description="number of the knocker's meld, from 0")]]


class Limits(Struct, frozen=True):
    """What an answer may cost before it is a fault."""

    turn_cpu: float  # seconds of the bot's own processor time for one answer
    match_cpu: float  # seconds of it for the whole fixture
    line_bytes: int  # length of one line


class Agreed(Rules, frozen=True, kw_only=True, tag=False, tag_field=None, forbid_unknown_fields=False):
    """The rules in force, every number of them: a bot need not know the ruleset that they come from."""

    name: str = "tournament"  # of the ruleset; here a field, since there is no class to tell it


class Hello(Struct, frozen=True, tag_field="type", tag="hello"):
    """The first question; the answer is ``ready``."""

    protocol: Version
    rules: Agreed
    limits: Limits
    seed: str  # for the bot's own chance; it tells nothing of the deals


class MatchBegins(Struct, frozen=True, tag_field="type", tag="match"):
    """A match begins, or goes on with a bot that was started anew."""

    seat: int  # 0 or 1
    hands: int | None  # None: a match; else a batch of so many single hands


class KnockerLaid(Struct, frozen=True):
    """What the opponent laid, for the turn that answers a knock."""

    melds: tuple[Names, ...]
    deadwood: int
    lay_offs: bool  # whether anything may be laid off


class Turn(Struct, frozen=True, tag_field="type", tag="turn", kw_only=True):
    """The question of a turn: all that the player may know, whole every time. Rule: R4.4."""

    game: int
    hand: int
    score: tuple[int, int]
    games: tuple[int, int]
    dealer: bool
    phase: Phase
    may: tuple[Kind, ...]
    cards: Names
    may_discard: Names
    drawn: Name | None
    pile: Names
    stock: int
    took: tuple[Names, Names]
    threw: tuple[Names, Names]
    knocker: KnockerLaid | None


class HandOver(Struct, frozen=True, tag_field="type", tag="hand_over", kw_only=True):
    """A hand is over; both players' cards are open."""

    game: int
    hand: int
    ending: Ending
    won: bool | None
    points: int
    cards: tuple[Names, Names]
    melds: tuple[tuple[Names, ...], tuple[Names, ...]]
    lay_offs: tuple[LaidOff, ...]
    deadwood: tuple[int, int]
    score: tuple[int, int]
    games: tuple[int, int]


class MatchOver(Struct, frozen=True, tag_field="type", tag="match_over"):
    """The match is over."""

    won: bool | None  # None: a batch of hands, which nobody wins, or a match that was drawn (R9.5)
    games: tuple[int, int]


class Bye(Struct, frozen=True, tag_field="type", tag="bye"):
    """Nothing follows; the bot should end."""


class Ready(Struct, frozen=True, tag_field="type", tag="ready", forbid_unknown_fields=True):
    """The answer to ``hello``."""

    protocol: Version
    bot: Annotated[str, Meta(max_length=100)] = ""  # what it calls itself; shown nowhere but in logs


class Answer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer to ``turn``: an action."""

    kind: Kind
    card: Name | None = None  # discard, knock
    melds: tuple[Names, ...] | None = None  # knock, big_gin, lay_off; left out: the best
    lay_offs: tuple[LaidOff, ...] | None = None  # lay_off; left out: the best


Told = Hello | MatchBegins | Turn | HandOver | MatchOver | Bye
