"""How fast the engine is, for ``arena bench``: in processor time, which other programs disturb least."""

import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import asdict

from arena import interpreter
from arena.gin.cards import NAMES, bits
from arena.gin.deal import Deal
from arena.gin.hand import Hand
from arena.gin.match import Scoreline
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.protocol.notation import answer
from arena.runs.judge import JudgeCase, Rulesets, judge_case, read
from arena.runs.selfplay import Spent
from arena.text import json_text
from arena.tournament.audition import partner

RULES = "tournament"  # of the hands that are judged


class Figure(Struct, frozen=True):
    """A measurement."""

    name: str
    value: float
    unit: str
    what: str


def of_deadwood() -> Iterator[Figure]:
    """Yield the time of the deadwood of ten and of eleven cards, over random cards."""
    for count in (10, 11):
        held = [bits(shuffle(f"bench {number}")[:count]) for number in range(5000)]
        seconds = _least(partial(_deadwoods, held))
        yield Figure(f"deadwood_{count}", 1e6 * seconds / len(held), "µs", f"deadwood of {count} cards")


def of_selfplay() -> Iterator[Figure]:
    """Yield how fast greedy plays itself, in a process of its own: the harness imports no bot."""
    command = interpreter.python("-m", "arena.runs.selfplay", "2000")
    spent = decode(subprocess.run(command, capture_output=True, check=True).stdout, type=Spent)  # noqa: S603 - our own module
    yield Figure("selfplay", spent.hands / spent.seconds, "hands/s", "greedy against itself in one process")


def of_judging() -> Iterator[Figure]:
    """Yield how fast hands from elsewhere are judged, from a line to the line that answers it."""
    lines, rulesets = [_line(number) for number in range(200)], Rulesets()
    seconds = _least(lambda: [json_text(judge_case(case := read(line, JudgeCase), rulesets.of(case.rules))) for line in lines])
    yield Figure("judging", len(lines) / seconds, "lines/s", "arena judge: whole hands, with notation and JSON")


def _deadwoods(several: list[int]) -> list[int]:
    return list(map(deadwood, several))


def _line(number: int) -> bytes:
    """Return a line for ``arena judge``: a hand that two partners of auditions play."""
    start = Deal(shuffle(f"bench {number}"), number & 1)
    hand = Hand.start(start, Rules())
    players = (partner(f"{number}/0"), partner(f"{number}/1"))
    actions = []
    while hand.result is None:
        action = players[hand.seat](see(hand, Scoreline(0, 0, (0, 0), (0, 0))))
        actions.append({"seat": hand.seat, **asdict(answer(action))})
        hand = hand.play(action)
    deck = [NAMES[card] for card in start.deck]
    return encode({"id": number, "rules": RULES, "deck": deck, "dealer": start.dealer, "actions": actions})


def _least(work: Callable[[], object]) -> float:
    """Return the seconds of processor time of the fastest of a few rounds."""
    spent = []
    for _ in range(5):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)
