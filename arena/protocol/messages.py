"""Every message between referee and bot, typed, with cards in notation.

The referee sends two questions, ``hello`` and ``turn``, and four messages without an answer: ``match``, ``hand_over``,
``match_over`` and ``bye``. Where a field is a pair, the receiving bot's value comes first.

``hello`` has the rules as plain options, not as a tagged ruleset, because a bot's decoder cannot know the rulesets of plugins. The
decoded value is still a ``Rules``, so a bot can search with the engine.
"""

from signal import SIGURG
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from arena.gin.actions import Kind
from arena.gin.facts import HandFacts
from arena.gin.match import Phase
from arena.gin.rules import Deadwood, HandTerms, Rules, upcard_limit
from arena.gin.score import Ending
from arena.text import LONGEST_NOTE

CANNOT_PLAY = 69  # the exit code by which a bot without a sandbox ends the run: EX_UNAVAILABLE of sysexits.h
STACK_SIGNAL = SIGURG  # asks a bot at its time limit for its stack; ignored by default: signal(7)

_CARD = {"pattern": "^[A23456789TJQK][cdhs]$"}  # for the schema only; arena.protocol.notation checks each card
Name = Annotated[str, Meta(description="a card: rank and suit, as in 7h", extra_json_schema=_CARD)]
Names = tuple[Name, ...]
Version = Annotated[int, Meta(ge=1, le=1000)]
_NOTE_DESCRIPTION = f"shown in the replay at this turn, cut after {LONGEST_NOTE} characters; the opponent never sees it"
Note = Annotated[str, Meta(description=_NOTE_DESCRIPTION)]
LaidOff = tuple[Name, Annotated[int, Meta(ge=0, le=9, description="number of the knocker's meld, from 0")]]


class Limits(Struct, frozen=True):
    """The limits on an answer; exceeding one is a fault."""

    turn_cpu: float  # seconds of the bot's own processor time for one answer to ``turn``
    match_cpu: float  # seconds of processor time for all answers to ``turn`` in the fixture
    line_bytes: int  # longest line, its newline included


Columns = tuple[tuple[int, int], ...]


class Agreed(Rules, frozen=True, kw_only=True, tag=False, tag_field=None, forbid_unknown_fields=False):
    """All options of the rules in force, so a bot need not know the ruleset."""

    knock_limit: Deadwood = 10  # the highest that a hand can have; each turn has that of its hand
    upcard_limit: bool = False  # the limit of each hand is the value of its upcard (R6.7)
    name: str = "tournament"  # of the ruleset; a field here, because this class has no tag from which to read it

    def terms(self, facts: HandFacts) -> HandTerms:
        """Return the terms of a hand, for a bot that deals itself. A plugin's functions are not known here. Rule: R2.5."""
        terms = Rules.terms(self, facts)
        if not self.upcard_limit or facts.upcard is None:
            return terms
        return HandTerms(upcard_limit(facts.upcard, self.ace), terms.multiplier)


class Hello(Struct, frozen=True, tag_field="type", tag="hello"):
    """The first question; the answer is ``ready``."""

    protocol: Version
    rules: Agreed
    limits: Limits
    seed: str  # for the bot's random numbers; unrelated to the deals
    state: str | UnsetType = UNSET  # the folder in which it keeps what it learns; left out: there is none


class MatchBegins(Struct, frozen=True, tag_field="type", tag="match"):
    """A match begins, or resumes with a restarted bot."""

    seat: int  # 0 or 1
    hands: int | None  # None: a match; else the number of single hands in a batch


class KnockerLaid(Struct, frozen=True):
    """The knocker's melds, in the turn that answers a knock."""

    melds: tuple[Names, ...]
    deadwood: int
    lay_offs: bool  # whether deadwood may be laid off on them


class Turn(Struct, frozen=True, tag_field="type", tag="turn", kw_only=True):
    """The question of a turn: everything the player may know, complete each time. Rule: R4.4."""

    game: int
    hand: int
    score: tuple[int, int]
    games: tuple[int, int]
    knock_limit: int
    multiplier: int
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
    columns: Columns | UnsetType = UNSET  # the scores of three games at once (R9.6); left out: there is one game


class HandOver(Struct, frozen=True, tag_field="type", tag="hand_over", kw_only=True):
    """A hand is over; both players' cards are open."""

    game: int
    hand: int
    ending: Ending
    won: bool | None
    points: int
    multiplier: int
    cards: tuple[Names, Names]
    melds: tuple[tuple[Names, ...], tuple[Names, ...]]
    lay_offs: tuple[LaidOff, ...]
    deadwood: tuple[int, int]
    score: tuple[int, int]
    games: tuple[int, int]
    columns: Columns | UnsetType = UNSET  # as in ``Turn``


class MatchOver(Struct, frozen=True, tag_field="type", tag="match_over"):
    """The match is over."""

    won: bool | None  # None: a batch, which has no winner, or a drawn match (R9.5)
    games: tuple[int, int]


class Bye(Struct, frozen=True, tag_field="type", tag="bye"):
    """The last message; the bot should exit."""


class Ready(Struct, frozen=True, tag_field="type", tag="ready", forbid_unknown_fields=True):
    """The answer to ``hello``."""

    protocol: Version
    bot: Annotated[str, Meta(max_length=100)] = ""  # the name it gives itself; shown only in logs


class Answer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer to ``turn``: an action."""

    kind: Kind
    card: Name | None = None  # discard, knock
    melds: tuple[Names, ...] | None = None  # knock, big_gin, lay_off; omitted: the best
    lay_offs: tuple[LaidOff, ...] | None = None  # lay_off; omitted: the best
    note: Note | None = None  # for the replay alone; see arena.text


RefereeMessage = Hello | MatchBegins | Turn | HandOver | MatchOver | Bye
