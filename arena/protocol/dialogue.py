"""The order of messages, as a state machine, by which a bot checks the referee; ``_NEXT`` is its table.

An opponent's fault may end a hand before the bot has had a turn, and a match that the bot rejoins after a crash may end at once.
So the messages in PLAYING have no order among themselves. The referee sends nothing while it waits for an answer.
"""

from enum import StrEnum

from msgspec import Struct

from arena.protocol.messages import Answer, Bye, HandOver, Hello, MatchBegins, MatchOver, Ready, RefereeMessage, Turn


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
