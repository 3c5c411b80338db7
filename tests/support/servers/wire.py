"""Bots elsewhere without sockets: a line in fake time that breaks, delays and doubles, and a bot at its other end."""

from collections.abc import Callable
from random import Random

from msgspec import Struct
from msgspec.json import decode

from arena.extras.remote.session import ClockTerms
from arena.extras.remote.socket_player import GameMessage, SeatLink
from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Pass
from arena.gin.cards import each
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.protocol import codec, messages, notation, schema
from arena.sdk.positions import position
from arena.tournament.seeds import commitment

Sign = Callable[[str, str, str], str]  # receives the digest of a question, its line and the answer


def line(message: Struct) -> str:
    """Return the line of a message."""
    return codec.encode(message).decode().rstrip("\n")


HELLO = line(messages.Hello(schema.VERSION, notation.rules_message(Rules()), messages.Limits(60.0, 120.0, 1024), "chance"))
TURN = line(notation.turn(position("3c4c5c 7d8d9d 2h2s2d 9c Ks")))
WELCOME = '0 {"type":"welcome","session":"s","bot":"ann.a"}'


def game_line(game: str = "g1", seats: tuple[str, str] = ("ann.a", "bob.b"), seed: str = "s", hands: int = 6) -> str:
    """Return the line with which a game begins."""
    return line(GameMessage(game, seats, hands, commitment(seed), ClockTerms()))


class FakeClock:
    """The time of a test, in seconds."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def line_of(view: View) -> str:
    """Return the answer of a bot that discards what leaves the least deadwood, and knocks when it can."""
    action: Action = Pass() if "pass" in view.may else Draw() if "draw" in view.may else LayOff()
    if "discard" in view.may:
        card = min(each(view.may_discard), key=lambda one: (deadwood(view.without(one)), one))
        action = Knock(card) if "knock" in view.may and card in each(view.may_knock) else Discard(card)
    return codec.encode(notation.answer(action)).decode().strip()


class FaultyLine:
    """The line and the bot of one link. What the seat is sent is in ``seen``."""

    def __init__(
        self, link: SeatLink, clock: FakeClock, chance: Random, fault: float, sign: Callable[[str, str, str], str]
    ) -> None:
        """``fault``: the chance that a frame is lost with its connection, that an answer comes late or comes again."""
        self.link, self._clock, self._chance, self._fault, self._sign = link, clock, chance, fault, sign
        self.seen: list[str] = []
        self._received, self._rules, self._last = 0, "", ""
        self._on_their_way: list[str] = []
        link.wait = self.pump  # type: ignore[method-assign] # in place of a thread
        link.connect(0)

    def pump(self, seconds: float) -> None:
        """Let a little time pass, in which frames arrive."""
        self._clock.at += min(seconds, 0.05)
        for number, text in list(self.link.session.frames(self._received)):
            if self._chance.random() < self._fault:
                self.link.disconnect()
                self._clock.at += 0.2
                self.link.connect(self._received)
                self._on_their_way.append(self._last or "0")
                return
            self._received = number
            self._take(number, text)
        self._chance.shuffle(self._on_their_way)
        while self._on_their_way and self._chance.random() >= self._fault:
            frame = self._on_their_way.pop()
            self.link.receive(frame)
            if self._chance.random() < self._fault:
                self._on_their_way.append(frame)

    def _take(self, number: int, text: str) -> None:
        head, _, question = text.partition(" ")
        self.seen.append(question)
        kind = decode(question)["type"]
        if kind not in ("hello", "turn"):
            return
        message = codec.decode_message(question.encode())
        if isinstance(message, messages.Hello):
            self._hello, answer = message, '{"type":"ready","protocol":1}'
        else:
            assert isinstance(message, messages.Turn)
            answer = line_of(notation.view(message, self._hello.rules))
        signature = self._sign(head.partition(":")[2], question, answer) if isinstance(message, messages.Turn) else ""
        self._last = f"{number}{':' if signature else ''}{signature} {answer}"
        self._on_their_way += [str(number), self._last]
