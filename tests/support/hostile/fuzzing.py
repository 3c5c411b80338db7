"""The referee under two players who say anything.

``PYTHONPATH=tests python -m support.hostile.fuzzing LINES`` prints a line of JSON.

Lines go through the codec as those of a process do: arbitrary bytes, arbitrary JSON, actions that only look legal, legal ones with
some bytes changed, and legal ones, without which no hand would come far. Every record is judged again.
"""

import json
import logging
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from support.hands.builders import RULESETS
from support.matches.in_process import SEED, by_chance

from arena.gin.cards import NAMES
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.limits import FaultCosts
from arena.players.base import Player, PlayerFaultError, Reply
from arena.protocol import notation
from arena.protocol.codec import decode_answer, decode_message, encode
from arena.protocol.messages import MatchBegins, MatchOver, Turn
from arena.records import Fixture, MatchRecord
from arena.referee.audit import differences
from arena.referee.job import contest
from arena.referee.referee import Referee
from arena.text import QUOTED

COSTS = FaultCosts(at_most=1000)  # a fault ends a hand, and only now and then a batch
HANDS = 100  # of a batch
LEGAL = (0.5, 0.8, 0.95, 0.99)  # shares, by turns: a hand that seldom meets a fault comes to every phase
KINDS = ("pass", "take", "draw", "discard", "knock", "big_gin", "lay_off")

Line = Callable[[bytes], bytes]  # from a question to what is said


class BytesPlayer(Player):
    """Answers the bytes of a question with bytes; between it and the referee stands the codec alone."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def begin(self, seat: Seat, hands: int | None) -> None:
        encode(MatchBegins(seat, hands))

    def ask(self, view: View) -> Reply:
        question = encode(notation.turn(view))
        said = self._line(question)
        try:
            action = notation.action(decode_answer(said))
        except ValueError as error:
            raise PlayerFaultError("malformed", str(error), question=question, answer=said) from None
        return Reply(action, question=question, answer=said)

    def hand_over(self, outcome: Outcome) -> None:
        encode(notation.hand_over(outcome))

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        encode(MatchOver(won, games))


def judged(zero: Line, one: Line, rules: Rules, hands: int, deals: str) -> MatchRecord:
    """Play a batch between two who say anything; everything on record must hold when it is judged again."""
    fixture = Fixture(f"a:b/{deals}/0", ("a", "b"), deals, hands)
    players = (BytesPlayer(zero), BytesPlayer(one))
    record = Referee(fixture, rules, contest(fixture, rules, SEED), players, COSTS).play()
    assert list(differences(record, rules, COSTS, SEED)) == []
    for fault in record.faults:
        assert (fault.clause is not None) is (fault.kind == "illegal")
        assert fault.kind in ("malformed", "illegal")
        assert fault.detail.isprintable(), fault.detail
        assert fault.answer.isascii()
        assert fault.answer.isprintable()
        assert len(fault.answer) <= QUOTED + 3
        assert isinstance(decode_message(fault.turn.encode()), Turn)
    return record


class Babbler:
    """Says anything, by chance; and now and then something legal."""

    def __init__(self, seed: str, rules: Rules, legal: float) -> None:
        self._chance = Random(seed)
        self._share = legal
        self._rules = rules
        self._legal = by_chance(seed)
        self._ways = (self._bytes, self._json, self._looks_legal, self._spoiled)
        self.lines = 0

    def __call__(self, question: bytes) -> bytes:
        self.lines += 1
        return self._legally(question) if self._chance.random() < self._share else self._chance.choice(self._ways)(question)

    def _legally(self, question: bytes) -> bytes:
        turn = decode_message(question)
        assert isinstance(turn, Turn)
        return encode(notation.answer(self._legal(notation.view(turn, self._rules))))[:-1]

    def _bytes(self, _: bytes) -> bytes:
        return self._chance.randbytes(self._chance.choice((0, 1, 10, 100, 70_000)))

    def _json(self, _: bytes) -> bytes:
        return json.dumps(self._value(4)).encode()

    def _value(self, depth: int) -> Any:
        chance = self._chance
        plain: list[Any] = [None, True, 0, -1, 1 << 70, 0.5, "", "7h", "\u202e\x00", "kind", float("nan")]
        if depth == 0 or chance.random() < 0.3:
            return chance.choice(plain)
        if chance.random() < 0.5:
            return [self._value(depth - 1) for _ in range(chance.randrange(4))]
        names = ("kind", "card", "melds", "lay_offs", "type", "\x1b[2J")
        return {chance.choice(names): self._value(depth - 1) for _ in range(chance.randrange(5))}

    def _looks_legal(self, question: bytes) -> bytes:
        """Return an action with the right members, of cards that are held as often as not."""
        chance, held = self._chance, json.loads(question)["cards"]
        answer: dict[str, Any] = {"kind": chance.choice(KINDS)}
        if chance.random() < 0.6:
            answer["card"] = chance.choice(held + list(NAMES[:10]))
        if chance.random() < 0.3:
            answer["melds"] = [chance.sample(held, min(len(held), chance.randrange(1, 6))) for _ in range(chance.randrange(4))]
        if chance.random() < 0.3:
            answer["lay_offs"] = [[chance.choice(held), chance.randrange(4)] for _ in range(chance.randrange(3))]
        return json.dumps(answer).encode()

    def _spoiled(self, question: bytes) -> bytes:
        """Return a legal answer with a byte changed, dropped or doubled."""
        said, place = bytearray(self._legally(question)), self._chance.randrange(8)
        said[place : place + 1] = self._chance.choice((b"", bytes([self._chance.randrange(256)]), said[place : place + 1] * 2))
        return bytes(said)


def babble(lines: int) -> dict[str, Any]:
    """Return the counts after that many lines, under each ruleset in turn."""
    said, batches, faults, start = 0, 0, Counter[str](), time.monotonic()
    slowest, warm = 0.0, 0
    rulesets = list(RULESETS.values())
    while said < lines:
        rules, legal, before = rulesets[batches % len(rulesets)], LEGAL[batches // len(rulesets) % len(LEGAL)], time.monotonic()
        players = Babbler(f"zero {batches}", rules, legal), Babbler(f"one {batches}", rules, legal)
        record = judged(*players, rules, HANDS, f"fuzz {batches}")
        said += sum(player.lines for player in players)
        batches += 1
        faults.update(fault.kind for fault in record.faults)
        slowest = max(slowest, time.monotonic() - before)
        warm = warm or (_peak_kb() if said >= lines / 5 else 0)
    return {
        "lines": said,
        "hands": batches * HANDS,
        "faults": dict(faults),
        "seconds": round(time.monotonic() - start, 1),
        "slowest_batch": round(slowest, 3),
        "peak_kb_at_a_fifth": warm,
        "peak_kb": _peak_kb(),
    }


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    logging.getLogger("arena").addHandler(logging.NullHandler())  # a warning for each fault would be most of the work
    sys.stdout.write(json.dumps(babble(int(sys.argv[1]))) + "\n")
