"""Questions in on one file descriptor, answers out on another, until ``bye`` or the end of the input."""

import os
from collections.abc import Callable, Iterable

from arena.gin.rules import Rules
from arena.protocol import notation
from arena.protocol.codec import decode_told, encode
from arena.protocol.dialogue import Dialogue
from arena.protocol.messages import VERSION, Answer, Bye, HandOver, Hello, Ready, Told, Turn
from arena.sdk.bot import Bot


class Serving:
    """One conversation: a bot, built when ``hello`` tells its seed, and what has been said to it."""

    def __init__(self, make: Callable[[str], Bot]) -> None:
        self._make = make
        self._bot = Bot()
        self._rules = Rules()
        self._dialogue = Dialogue()

    def answer(self, told: Told) -> Ready | Answer | None:
        """Return the bot's answer to a message, or None if it wants none. Raises: OutOfTurn."""
        self._dialogue = self._dialogue.heard(told)
        if not self._dialogue.owed:
            self._listen(told)
            return None
        answer = self._greet(told) if isinstance(told, Hello) else self._act(told)
        self._dialogue = self._dialogue.heard(answer)
        return answer

    def _greet(self, hello: Hello) -> Ready:
        self._bot = self._make(hello.seed)
        self._rules = hello.rules
        return Ready(VERSION, type(self._bot).__name__)

    def _act(self, turn: Told) -> Answer:
        assert isinstance(turn, Turn)
        return notation.answer(self._bot.answer(notation.view(turn, self._rules)))

    def _listen(self, told: Told) -> None:
        if isinstance(told, HandOver):
            self._bot.hand_over(notation.outcome(told))


def serve(make: Callable[[str], Bot], questions: Iterable[bytes], answers: int) -> None:
    """Answer lines on a file descriptor until ``bye`` or the end of the questions. Raises: Malformed, OutOfTurn."""
    serving = Serving(make)
    for line in questions:
        told = decode_told(line)
        answer = serving.answer(told)
        if answer is not None:
            os.write(answers, encode(answer))
        if isinstance(told, Bye):
            return
