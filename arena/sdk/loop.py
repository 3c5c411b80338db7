"""Read questions and write a bot's answers, until ``bye`` or the end of the input.

Messages are compared by exact type: isinstance on msgspec's classes goes through ABCMeta and takes ten times as long.
"""

import os
import os.path
from collections.abc import Callable, Iterable

from arena.gin.rules import Rules
from arena.protocol import codec, dialogue, messages, notation, schema
from arena.sdk import mistakes
from arena.sdk.bot import Bot
from arena.sdk.checks import build


class Conversation:
    """The state of one conversation, and the bot, which is built when ``hello`` brings its seed."""

    def __init__(self, make: Callable[[str], Bot]) -> None:
        self._make = make
        self._bot = Bot()
        self._rules = Rules()
        self._dialogue = dialogue.Dialogue()

    def answer(self, message: messages.RefereeMessage) -> messages.Ready | messages.Answer | None:
        """Return the bot's answer to a message, or None if the message needs none. Raises: OutOfTurnError, BotError."""
        self._dialogue = self._dialogue.after(message)
        if not self._dialogue.bot_to_send:
            self._observe(message)
            return None
        answer = self._act(message) if type(message) is messages.Turn else self._greet(message)
        self._dialogue = self._dialogue.after(answer)
        return answer

    def _greet(self, hello: messages.RefereeMessage) -> messages.Ready:
        assert type(hello) is messages.Hello
        self._bot = build(self._make, hello.seed, hello.state or None)
        self._rules = hello.rules
        return messages.Ready(schema.VERSION, type(self._bot).__name__)

    def _act(self, turn: messages.Turn) -> messages.Answer:
        value = self._bot.answer(notation.view(turn, self._rules))
        return notation.answer(mistakes.action(type(self._bot), "answer", value), self._bot.taken_note() or None)

    def _observe(self, message: messages.RefereeMessage) -> None:
        if type(message) is messages.HandOver:
            self._bot.hand_over(notation.outcome(message))
        elif type(message) is messages.MatchOver:
            self._bot.match_over(message.won, message.games)


def serve(make: Callable[[str], Bot], questions: Iterable[bytes], answers: int, prepare: Callable[[], None] = lambda: None) -> None:
    """Write answers to a file descriptor until ``bye`` or the end of the questions; call ``prepare`` before ``ready`` is sent.

    Raises: MalformedError, OutOfTurnError, BotError.
    """
    conversation = Conversation(make)
    for line in questions:
        message = codec.decode_message(line)
        answer = conversation.answer(message)
        if type(answer) is messages.Ready:
            prepare()
        if answer is not None:
            os.write(answers, codec.encode(answer))
        if type(message) is messages.Bye:
            return
