"""How fast the engine and the kernel of ``arena.train`` are, in processor time, which other programs disturb least.

``python -m arena.runs.speed engine|kernel HANDS`` has the bot ``greedy`` play itself, in one process and without a referee.
"""

import subprocess
import sys
import time
import warnings
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
from arena.sdk.loop import bot_class
from arena.sdk.selfplay import selfplay
from arena.text import json_text
from arena.tournament.audition import partner
from arena.train.hands import Hands

RULES = "tournament"  # of the hands that are judged
ROWS = 1024 if Hands.compiled else 16  # of a batch of the kernel
SECONDS = 1.0  # of processor time for each figure of the kernel


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
    command = interpreter.python("-m", "arena.runs.speed", "engine", "2000")
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


class Spent(Struct, frozen=True):
    """Work that was done."""

    hands: int
    decisions: int
    seconds: float  # of processor time


def print_spent(play: Callable[[int], int], hands: int) -> None:
    """Play a number of hands by ``play``, which returns their decisions, and print what was spent; a few hands before warm up."""
    play(1 + hands // 20)
    start = time.process_time()
    decisions = play(hands)
    sys.stdout.buffer.write(encode(Spent(hands, decisions, time.process_time() - start)) + b"\n")


def play_engine(hands: int) -> int:
    """Play hands and return their decisions."""
    make = bot_class("arena_bots.greedy:Greedy")
    return selfplay((make("0"), make("1")), hands)


def of_training() -> Iterator[Figure]:
    """Yield how fast the kernel plays whole hands, and single steps with masks and observations, beside the engine."""
    how = "compiled" if Hands.compiled else "interpreted"
    engine = next(of_selfplay())
    played = _hands_a_second()
    yield engine
    yield Figure("train_hands", played, "hands/s", f"greedy against itself in the {how} kernel")
    yield Figure("train_hands_to_engine", played / engine.value, "times", "the kernel to the engine, whole hands")
    yield Figure("train_steps", _steps_a_second(), "steps/s", f"mask, observation and step of a batch of {ROWS}")


def play_kernel(hands: int) -> int:
    """Play at least this number of hands of greedy against itself, in whole batches, and return their decisions."""
    batch, decisions = _batch(), 0
    for _ in range(-(-hands // ROWS)):
        batch.finish("greedy", "greedy")
        decisions += batch.decisions
    return decisions


def _hands_a_second() -> float:
    batch, played, start = _batch(), 0, time.process_time()
    while time.process_time() - start < SECONDS:
        batch.finish("greedy", "greedy")
        played += ROWS
    return played / (time.process_time() - start)


def _steps_a_second() -> float:
    """Measure without the choice of the actions, which is the learner's."""
    batch, spent, steps = _batch(), 0.0, 0
    while spent < SECONDS:
        actions = batch.choose("random")
        start = time.process_time()
        batch.look()
        batch.step(actions)
        spent += time.process_time() - start
        steps += ROWS
    return steps / spent


def _batch() -> Hands:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the figures name an interpreted kernel
        batch = Hands(ROWS)
    batch.reset(1)
    return batch


if __name__ == "__main__":
    print_spent({"engine": play_engine, "kernel": play_kernel}[sys.argv[1]], int(sys.argv[2]))
