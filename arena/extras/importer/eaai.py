"""The Java framework of the Gin Rummy EAAI Undergraduate Research Challenge: its output with ``setPlayVerbose(true)``.

Its rules are ``standard`` without big gin and without a limit of takes. A game there lasts until a player has 100 points.
Each of its hands becomes a single hand at the score of the game, because the same player begins again after a cancelled hand,
which no ruleset has. Lines that the players print themselves are ignored.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from arena.errors import ArenaError, of_system
from arena.extras.importer.convert import ForeignHand, LeftOut, convert
from arena.extras.importer.openspiel import MOST_TAKES, read_openspiel
from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card, Melds, bits, card
from arena.gin.rules import Rules
from arena.gin.rulesets import Standard

RULES: Rules = Standard(big_gin_bonus=None, max_takes=MOST_TAKES)
DEALT = re.compile(r"Player ([01]) is dealt \[([^\[\]]*)\]\.")
STARTS = re.compile(r"Player ([01]) starts\.")
FACE_UP = re.compile(r"The initial face up card is (\w\w)\.")
DECLINES = re.compile(r"Player [01] declines \w\w\.")
DRAWS = re.compile(r"Player [01] draws (\w\w)\.")
DISCARDS = re.compile(r"Player [01] discards (\w\w)\.")
MELDED = re.compile(r"Player [01] (?:melds|goes gin with melds) \[(.*?\]|)\](?: with \d+ deadwood from \[.*\])?\.")
LAYS_OFF = re.compile(r"Player [01] lays off (\w\w) on \[([^\[\]]*)\]\.")
SCORE = re.compile(r"([01])\t(\d{1,9})")
ENDS = re.compile(r"Player [01] wins\.|Player [01] .* forfeits\.")


class _HandSoFar(Struct):
    """The part of a hand that was read so far."""

    line: int
    name: str
    score: tuple[int, int]  # before the hand
    dealt: dict[int, tuple[Card, ...]]  # by player
    starter: int | None = None
    upcard: Card | None = None
    pile: list[Card] = []  # the discard pile, its top last
    drawn: list[Card] = []
    actions: list[Action] = []
    defence: Melds | None = None  # of the defender
    laid: list[tuple[Card, int]] = []  # cards that the defender lays off, each with the number of the knocker's meld, from 0
    after: dict[int, int] = {}  # scores of the players after the hand
    problem: str = ""  # why it cannot be converted


def read_eaai(lines: Iterable[str]) -> Iterator[ForeignHand | LeftOut]:
    """Yield each hand of a log of the Java framework."""
    hand: _HandSoFar | None = None
    score, game, number_in_game = (0, 0), 1, 0
    for line_number, line in enumerate(map(str.rstrip, lines), 1):
        dealt = DEALT.fullmatch(line)
        if dealt and (hand is None or dealt[1] in map(str, hand.dealt)):
            if hand:  # without its scores: the log was cut, and another game follows
                yield _foreign_hand(hand)
                score, game, number_in_game = (0, 0), game + 1, 0
            number_in_game += 1
            hand = _HandSoFar(line_number, f"eaai/{game}.{number_in_game}", score, {})
        if hand:
            _add(hand, line)
            if len(hand.after) == 2:
                score = (hand.after[0], hand.after[1])
                yield _foreign_hand(hand)
                hand = None
        if ENDS.fullmatch(line):
            if hand:
                yield LeftOut(hand.line, f"line {line_number} says: {line}")
            hand, score, game, number_in_game = None, (0, 0), game + 1, 0
    if hand:
        yield _foreign_hand(hand)


def _add(hand: _HandSoFar, line: str) -> None:
    """Add a line of the log; one of no known form is ignored."""
    try:
        if found := DEALT.fullmatch(line):
            hand.dealt[int(found[1])] = _named_cards(found[2])
        elif found := STARTS.fullmatch(line):
            hand.starter = int(found[1])
        elif found := FACE_UP.fullmatch(line):
            hand.pile = list(_named_cards(found[1]))
            (hand.upcard,) = hand.pile
        elif found := SCORE.fullmatch(line):
            hand.after[int(found[1])] = int(found[2])
        else:
            _add_action(hand, line)
    except ValueError as error:
        hand.problem = hand.problem or str(error)


def _add_action(hand: _HandSoFar, line: str) -> None:
    """Add the action in a line, if it has one. Raises: ValueError, for a text that is not a card."""
    actions = hand.actions
    if DECLINES.fullmatch(line):
        actions.append(Pass())
    elif found := DRAWS.fullmatch(line):
        (drawn,) = _named_cards(found[1])
        if hand.pile[-1:] == [drawn]:
            actions.append(Take())
            hand.pile.pop()
        else:
            actions.append(Draw())
            hand.drawn.append(drawn)
    elif found := DISCARDS.fullmatch(line):
        thrown = _named_cards(found[1])
        actions.append(Discard(*thrown))
        hand.pile += thrown
    elif found := MELDED.fullmatch(line):
        melds = tuple(bits(_named_cards(meld)) for meld in re.findall(r"\[([^\[\]]*)\]", found[1]))
        if actions and isinstance(last := actions[-1], Discard):
            actions[-1] = Knock(last.card, melds)
        else:
            hand.defence = melds
    elif found := LAYS_OFF.fullmatch(line):
        (laid,), on = _named_cards(found[1]), bits(_named_cards(found[2]))  # ``on``: the meld with the cards already laid off on it
        knock = actions[-1] if actions else None
        melds = (knock.melds or ()) if isinstance(knock, Knock) else ()
        hand.laid += [(laid, number) for number, meld in enumerate(melds) if meld & ~on == 0]


def _foreign_hand(hand: _HandSoFar) -> ForeignHand | LeftOut:
    """Return the hand that was read, or why it cannot be converted."""
    if hand.problem:
        return LeftOut(hand.line, hand.problem)
    if len(hand.after) < 2 or len(hand.dealt) < 2 or hand.starter is None or hand.upcard is None:
        return LeftOut(hand.line, "it is cut off: expected the cards of both players, who starts, and the scores after it")
    answer = () if hand.defence is None else (LayOff(hand.defence, tuple(hand.laid)),)
    return ForeignHand(
        line=hand.line,
        name=hand.name,
        rules=RULES,
        dealer=1 - hand.starter,
        dealt=(hand.dealt[0], hand.dealt[1]),
        upcard=hand.upcard,
        drawn=tuple(hand.drawn),
        actions=(*hand.actions, *answer),
        score=hand.score,
        points=(hand.after[0] - hand.score[0]) - (hand.after[1] - hand.score[1]),
    )


def _named_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text such as ``AH, 6S``. Raises: ValueError."""
    return tuple(card(name[:-1] + name[-1:].lower()) for name in text.split(", ") if name)


DESCRIPTION = "the log of another program as a file for ``arena import``."
READERS = {"openspiel": read_openspiel, "eaai": read_eaai}


def main(arguments: list[str]) -> str:
    """Convert a log, and return the summary to print. Exits with code 2, if the user has to correct something."""
    parser = argparse.ArgumentParser("python -m arena.extras.importer.convert", description=DESCRIPTION)
    parser.add_argument("kind", choices=READERS, help="the program that wrote the log")
    parser.add_argument("log", type=Path, help="the log")
    parser.add_argument("hands", type=Path, help="the file to write, hands.jsonl")
    parser.add_argument("--names", nargs=2, default=("player-0", "player-1"), metavar="NAME", help="of players 0 and 1")
    given = parser.parse_args(arguments)
    try:
        found = convert(READERS[given.kind], given.log, given.hands, tuple(given.names), partial(print, file=sys.stderr))
    except (ArenaError, OSError) as error:
        parser.exit(2, f"{of_system(error) or error}\n")
    return f"Written to {given.hands}: {found.hands} hands; {found.left_out} are left out."


if __name__ == "__main__":
    print(main(sys.argv[1:]))  # noqa: T201 - the result of a program
