"""Questions in on one file descriptor, answers out on another, until ``bye`` or the end of the input."""

import os
from collections.abc import Callable, Iterable, Iterator

from arena.gin.rules import Rules
from arena.protocol import notation
from arena.protocol.codec import decode_told, encode
from arena.protocol.messages import VERSION, Bye, HandOver, Hello, Ready, Told, Turn
from arena.sdk.bot import Bot


def serve(make: Callable[[str], Bot], questions: Iterable[bytes], answers: int) -> None:
    """Build the bot when ``hello`` tells its seed, and let it answer until ``bye``."""
    told = _told(questions)
    hello = next(told, Bye())
    if not isinstance(hello, Hello):
        return
    bot = make(hello.seed)
    os.write(answers, encode(Ready(VERSION, type(bot).__name__)))
    for message in told:
        _hear(bot, hello.rules, message, answers)


def _hear(bot: Bot, rules: Rules, message: Told, answers: int) -> None:
    if isinstance(message, Turn):
        action = bot.answer(notation.view(message, rules))
        os.write(answers, encode(notation.answer(action)))
    elif isinstance(message, HandOver):
        bot.hand_over(notation.outcome(message))


def _told(questions: Iterable[bytes]) -> Iterator[Told]:
    for line in questions:
        message = decode_told(line)
        if isinstance(message, Bye):
            return
        yield message
