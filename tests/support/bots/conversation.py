"""A minimal referee's end of a conversation, for tests of bots over a pipe."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see
from arena.gin.shuffling import shuffle
from arena.gin.view import View
from arena.protocol import codec, dialogue, messages, notation, schema

LIMITS = messages.Limits(turn_cpu=2.0, match_cpu=60.0, line_bytes=codec.LINE_BYTES)


class Teller:
    """Sends messages that the dialogue allows, one line each, and reads the answers."""

    def __init__(self, questions: IO[bytes], answers: IO[bytes]) -> None:
        self._questions = questions
        self._answers = answers
        self.dialogue = dialogue.Dialogue()

    def say(self, message: messages.RefereeMessage) -> None:
        """Send a message that needs no answer."""
        self.dialogue = self.dialogue.after(message)
        self._questions.write(codec.encode(message))
        self._questions.flush()

    def greet(self, rules: Rules, seed: str = "seed") -> messages.Ready:
        """Send hello and return the answer. Raises: MalformedError."""
        self.say(messages.Hello(schema.VERSION, notation.rules_message(rules), LIMITS, seed))
        ready = codec.decode_ready(self._answers.readline())
        self.dialogue = self.dialogue.after(ready)
        return ready

    def ask(self, view: View) -> messages.Answer:
        """Return the answer to a turn. Raises: MalformedError."""
        self.say(notation.turn(view))
        answer = codec.decode_answer(self._answers.readline())
        self.dialogue = self.dialogue.after(answer)
        return answer


class Played(Struct, frozen=True):
    """A hand that was played over a pipe."""

    hand: Hand
    actions: tuple[Action, ...]


def play_hands(teller: Teller, rules: Rules, hands: int, opponent: Callable[[Hand], Action], *, seat: Seat = 0) -> Iterator[Played]:
    """Yield the hands of the bot behind ``teller``, in ``seat``, against a function. Raises: IllegalActionError, MalformedError."""
    teller.greet(rules)
    teller.say(messages.MatchBegins(seat, hands))
    for number in range(hands):
        standing = Scoreline(number)
        yield _play(teller, Hand.start(Deal(shuffle(f"table {number}"), number & 1), rules), standing, opponent, seat)
    teller.say(messages.MatchOver(won=None, games=(0, 0)))
    teller.say(messages.Bye())


def _play(teller: Teller, hand: Hand, standing: Scoreline, opponent: Callable[[Hand], Action], seat: Seat) -> Played:
    actions: list[Action] = []
    while hand.result is None:
        action = notation.action(teller.ask(see(hand, standing))) if hand.seat == seat else opponent(hand)
        hand = hand.play(action)
        actions.append(action)
    teller.say(notation.hand_over(disclose(hand, hand.result, standing, standing.games, seat)))
    return Played(hand, tuple(actions))


@contextmanager
def process(
    command: list[str], folder: Path, environment: dict[str, str] | None = None
) -> Iterator[tuple[Teller, subprocess.Popen[bytes]]]:
    """Start a bot and give the end to speak to it; at the end it is killed if it has not ended by itself."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        try:
            yield Teller(bot.stdin, bot.stdout), bot
            bot.wait(10)
        finally:
            bot.kill()
