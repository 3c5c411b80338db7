"""Every message between referee and bot, typed, with cards in notation.

The referee sends two questions, ``hello`` and ``turn``, and four messages without an answer: ``match``, ``hand_over``,
``match_over`` and ``bye``. Where a field is a pair, the receiving bot's value comes first.

``hello`` has the rules as plain options, not as a tagged ruleset, because a bot's decoder cannot know the rulesets of plugins. The
decoded value is still a ``Rules``, so a bot can search with the engine.
"""

import json
import re
from enum import StrEnum
from signal import SIGURG
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, DecodeError, Meta, Struct, UnsetType
from msgspec.json import Decoder, Encoder, schema_components

from arena.gin.actions import Kind
from arena.gin.facts import HandFacts
from arena.gin.match import Phase
from arena.gin.rules import Deadwood, HandTerms, Rules, upcard_limit
from arena.gin.score import Ending
from arena.text import LONGEST_NOTE, quote

VERSION = 1  # of the protocol; a change that an older bot cannot ignore raises it
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


# The JSON Schema of every message, generated from the types that decode them.

FROM_REFEREE = (Hello, MatchBegins, Turn, HandOver, MatchOver, Bye)
FROM_BOT = (Ready, Answer)


def schema() -> dict[str, Any]:
    """Return one schema document with the referee's messages and the bot's."""
    references, definitions = schema_components(FROM_REFEREE + FROM_BOT, ref_template="#/$defs/{name}")
    referee, bot = references[: len(FROM_REFEREE)], references[len(FROM_REFEREE) :]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages between the arena's referee and a bot, protocol {VERSION}",
        "anyOf": [{"title": "from the referee", "anyOf": list(referee)}, {"title": "from the bot", "anyOf": list(bot)}],
        "$defs": definitions,
    }


# Encode and decode messages, one line of JSON each; referee and bot both use it.
#
# A line is UTF-8 and at most ``LINE_BYTES`` long, its newline included. A bot's answer must match its type exactly: an unknown
# member or a repeated one makes it malformed, so that its author sees the mistake. The types allow no deep nesting, no NaN and no
# huge number. The bot ignores unknown members in the referee's messages, so later versions can add some.

LINE_BYTES = 64 * 1024

Message = TypeVar("Message")


class _ReadyTag(Struct):
    """Requires the tag ``type``, which msgspec does not when it decodes into a single type."""

    type: Literal["ready"]


# Members are in the order of the fields, without blanks, so that a bot may search for `"phase":"` without a JSON parser.
_encode = Encoder().encode
_referee: Decoder[RefereeMessage] = Decoder(RefereeMessage)
_ready = Decoder(Ready)
_ready_tag = Decoder(_ReadyTag)
_answer = Decoder(Answer)
_PLAIN = re.compile(rb'\{"kind":"[a-z_]{1,8}"(?:,"card":"\w\w")?\}')


class MalformedError(ValueError):
    """A line that is not the expected message."""


def encode(message: Struct) -> bytes:
    """Return the line for a message, its newline included."""
    return _encode(message) + b"\n"


def decode_message(line: bytes) -> RefereeMessage:
    """Return the referee's message in a line. Raises: MalformedError."""
    return _decode(_referee, line)


def decode_ready(line: bytes) -> Ready:
    """Return the answer to ``hello``. Raises: MalformedError."""
    ready = _decode(_ready, line)
    _check_members_unique(line)
    _decode(_ready_tag, line)
    return ready


def decode_answer(line: bytes) -> Answer:
    """Return the answer to ``turn``. Raises: MalformedError."""
    answer = _decode(_answer, line)
    if not _PLAIN.fullmatch(line):  # a plain answer repeats no member, and nearly every answer is plain
        _check_members_unique(line)
    return answer


def _decode(decoder: Decoder[Message], line: bytes) -> Message:
    if len(line) > LINE_BYTES:
        raise MalformedError(f"a line of {len(line)} bytes; expected at most {LINE_BYTES}, the newline included")
    try:
        return decoder.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(_explain(line, error)) from None


def _explain(line: bytes, error: Exception) -> str:
    """Return the message of a decoder's error, escaped, because it may quote the line."""
    if not line.strip():
        return "an empty line"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason}"
    if isinstance(error, RecursionError):
        return "nested too deep"
    return quote(str(error).encode("utf-8", "backslashreplace"))


def _check_members_unique(line: bytes) -> None:
    """Check that no member is repeated: JSON parsers differ in the value that they keep. Raises: MalformedError."""
    try:
        json.loads(line, object_pairs_hook=_refuse_repeated)
    except ValueError as error:
        raise MalformedError(quote(str(error).encode("utf-8", "backslashreplace"))) from None


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a member is named twice: {', '.join(names)}")


# The order of messages, as a state machine, by which a bot checks the referee; ``_NEXT`` is its table.
#
# An opponent's fault may end a hand before the bot has had a turn, and a match that the bot rejoins after a crash may end at once.
# So the messages in PLAYING have no order among themselves. The referee sends nothing while it waits for an answer.


class Stage(StrEnum):
    """The state of the conversation."""

    START = "start"
    GREETED = "greeted"  # the bot must send ready
    BETWEEN = "between"  # before, between or after matches
    PLAYING = "playing"
    ASKED = "asked"  # the bot must answer
    ENDED = "ended"


class OutOfTurnError(ValueError):
    """A message that may not follow the previous one."""


class Dialogue(Struct, frozen=True):
    """A conversation at one moment; ``after`` returns the next, for messages of both sides."""

    stage: Stage = Stage.START

    @property
    def bot_to_send(self) -> bool:
        """Tell whether the next message is the bot's."""
        return self.stage is _GREETED or self.stage is _ASKED

    def after(self, message: RefereeMessage | Ready | Answer) -> "Dialogue":
        """Return the conversation after a message of either side. Raises: OutOfTurnError."""
        following = _NEXT[self.stage]
        dialogue = following.get(type(message))
        if dialogue is None:
            expected = " or ".join(map(_name, following)) or "nothing: the conversation has ended"
            raise OutOfTurnError(f"{_name(type(message))} at stage {self.stage}; expected: {expected}")
        return dialogue


def _name(message: type[Struct]) -> str:
    return str(message.__struct_config__.tag or "answer")


_GREETED, _ASKED = Stage.GREETED, Stage.ASKED  # in Python 3.11, access to a member of an enum takes longer than the comparison
_NEXT: dict[Stage, dict[type[Struct], Dialogue]] = {  # each Dialogue is made once: a bot needs two for each turn
    Stage.START: {Hello: Dialogue(_GREETED)},
    Stage.GREETED: {Ready: Dialogue(Stage.BETWEEN)},
    Stage.BETWEEN: {MatchBegins: Dialogue(Stage.PLAYING), Bye: Dialogue(Stage.ENDED)},
    Stage.PLAYING: {
        Turn: Dialogue(_ASKED),
        HandOver: Dialogue(Stage.PLAYING),
        MatchOver: Dialogue(Stage.BETWEEN),
        Bye: Dialogue(Stage.ENDED),
    },
    Stage.ASKED: {Answer: Dialogue(Stage.PLAYING)},
    Stage.ENDED: {},
}
