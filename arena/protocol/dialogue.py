"""Which message may follow which; the same at either end.

    START      hello                            -> GREETED
    GREETED    ready                            -> BETWEEN
    BETWEEN    match                            -> PLAYING
    PLAYING    turn                             -> ASKED
    ASKED      answer                           -> PLAYING
    PLAYING    hand_over                        -> PLAYING
    PLAYING    match_over                       -> BETWEEN
    BETWEEN or PLAYING    bye                   -> ENDED

A hand may end without a turn of the bot's own, by the other's fault, and a match that the bot has joined again after a crash may
end at once; so nothing in PLAYING has to come before another. While a question is open the referee says nothing.
"""

from enum import StrEnum

from msgspec import Struct

from arena.protocol.messages import Answer, Bye, HandOver, Hello, MatchBegins, MatchOver, Ready, Told, Turn


class Stage(StrEnum):
    """What the conversation has come to."""

    START = "start"
    GREETED = "greeted"  # the bot owes ready
    BETWEEN = "between"  # no match is going on
    PLAYING = "playing"
    ASKED = "asked"  # the bot owes an answer
    ENDED = "ended"


class OutOfTurn(ValueError):  # noqa: N818 - it is what the message is
    """A message that may not follow the one before."""


class Dialogue(Struct, frozen=True):
    """A conversation at one moment; ``heard`` gives the next. It listens to both sides."""

    stage: Stage = Stage.START

    @property
    def owed(self) -> bool:
        """Tell whether the bot has to speak next."""
        return self.stage in (Stage.GREETED, Stage.ASKED)

    def heard(self, message: Told | Ready | Answer) -> "Dialogue":
        """Return the conversation after a message of either side. Raises: OutOfTurn."""
        following = _NEXT[self.stage]
        stage = following.get(type(message))
        if stage is None:
            expected = " or ".join(map(_name, following)) or "nothing: the conversation has ended"
            raise OutOfTurn(f"{_name(type(message))} at stage {self.stage}; expected: {expected}")
        return Dialogue(stage)


def _name(message: type[Struct]) -> str:
    return str(message.__struct_config__.tag or "answer")


_NEXT: dict[Stage, dict[type[Struct], Stage]] = {
    Stage.START: {Hello: Stage.GREETED},
    Stage.GREETED: {Ready: Stage.BETWEEN},
    Stage.BETWEEN: {MatchBegins: Stage.PLAYING, Bye: Stage.ENDED},
    Stage.PLAYING: {Turn: Stage.ASKED, HandOver: Stage.PLAYING, MatchOver: Stage.BETWEEN, Bye: Stage.ENDED},
    Stage.ASKED: {Answer: Stage.PLAYING},
    Stage.ENDED: {},
}
