"""Read questions and write a bot's answers, until ``bye`` or the end of the input.

Messages are compared by exact type: isinstance on msgspec's classes goes through ABCMeta and takes ten times as long.
"""

import os
from collections.abc import Callable, Iterable

from arena.gin.rules import Rules
from arena.protocol import notation
from arena.protocol.codec import decode_message, encode
from arena.protocol.dialogue import Dialogue
from arena.protocol.messages import VERSION, Answer, Bye, HandOver, Hello, MatchOver, Ready, RefereeMessage, Turn
from arena.sdk import mistakes
from arena.sdk.bot import Bot
from arena.sdk.checks import built


class Serving:
    """One conversation: its state and the bot, which is built when ``hello`` brings its seed."""

    def __init__(self, make: Callable[[str], Bot]) -> None:
        self._make = make
        self._bot = Bot()
        self._rules = Rules()
        self._dialogue = Dialogue()

    def answer(self, message: RefereeMessage) -> Ready | Answer | None:
        """Return the bot's answer to a message, or None if the message needs none. Raises: OutOfTurnError, BotError."""
        self._dialogue = self._dialogue.after(message)
        if not self._dialogue.owed:
            self._observe(message)
            return None
        answer = self._act(message) if type(message) is Turn else self._greet(message)
        self._dialogue = self._dialogue.after(answer)
        return answer

    def _greet(self, hello: RefereeMessage) -> Ready:
        assert type(hello) is Hello
        self._bot = built(self._make, hello.seed, hello.state or None)
        self._rules = hello.rules
        return Ready(VERSION, type(self._bot).__name__)

    def _act(self, turn: Turn) -> Answer:
        value = self._bot.answer(notation.view(turn, self._rules))
        return notation.answer(mistakes.action(type(self._bot), "answer", value), self._bot.taken_note() or None)

    def _observe(self, message: RefereeMessage) -> None:
        if type(message) is HandOver:
            self._bot.hand_over(notation.outcome(message))
        elif type(message) is MatchOver:
            self._bot.match_over(message.won, message.games)


def serve(make: Callable[[str], Bot], questions: Iterable[bytes], answers: int, prepare: Callable[[], None] = lambda: None) -> None:
    """Answer lines on a file descriptor until ``bye`` or the end of the questions; ``prepare`` before ``ready`` is sent.

    Raises: MalformedError, OutOfTurnError, BotError.
    """
    serving = Serving(make)
    for line in questions:
        message = decode_message(line)
        answer = serving.answer(message)
        if type(answer) is Ready:
            prepare()
        if answer is not None:
            os.write(answers, encode(answer))
        if type(message) is Bye:
            return
