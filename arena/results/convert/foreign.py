"""A hand that another program has logged, and what makes a line of ``arena import`` of it.

A log is converted hand by hand. A hand that arena's rules do not give is left out, and named with its line and the reason.
"""

from collections.abc import Callable, Iterable, Iterator
from io import BufferedWriter
from itertools import chain
from pathlib import Path
from typing import TextIO

from msgspec import Struct, ValidationError, json, to_builtins
from msgspec import convert as check

from arena import system
from arena.errors import InputError
from arena.gin.actions import Action, IllegalActionError
from arena.gin.cards import NAMES, Card
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.gin.transcript import word
from arena.results.hands import ExportedEntrant, ExportedHand, ExportedHeader, ExportedMatch
from arena.roster.entrant import EntrantName
from arena.text import explain


class ForeignHand(Struct, frozen=True, kw_only=True):
    """A hand as a log tells it. Player 0 of the log has seat 0."""

    line: int  # of the log, where the hand begins, from 1
    name: str  # unique in the log
    rules: Rules  # those of arena that are the log's
    dealer: Seat
    dealt: tuple[tuple[Card, ...], tuple[Card, ...]]  # to seats 0 and 1
    upcard: Card
    drawn: tuple[Card, ...]  # from the stock, by both seats, in order
    actions: tuple[Action, ...]
    score: tuple[int, int] | None = None  # of the seats before the hand; None: the log has no games
    points: int | None = None  # that seat 0 scores in the log, negative if seat 1 does; None: it does not say


class LeftOut(Struct, frozen=True):
    """A hand that cannot be converted."""

    line: int  # of the log, where the hand begins
    why: str


class Conversion(Struct, frozen=True):
    """The result of a conversion."""

    hands: int  # that were written
    left_out: int


class CannotConvertError(Exception):
    """A hand that cannot be converted; the message says why."""


Reader = Callable[[TextIO], Iterator[ForeignHand | LeftOut]]


def convert(read: Reader, log: Path, to: Path, names: tuple[str, str], report: Callable[[str], None]) -> Conversion:
    """Write the hands of a log as JSON lines for ``arena import``; ``report`` receives a line for each hand that is left out.

    A file of this name is replaced when all is written. Raises: InputError, for a name that no bot may have, and if the log has no
    hand that can be converted; OSError.
    """
    try:
        check(names, tuple[EntrantName, EntrantName])
    except ValidationError as error:
        raise InputError(f"--names {' '.join(names)!r:.80}: {explain(error)}") from None
    if names[0] == names[1]:
        raise InputError(f"--names: both are {names[0]!r}; expected two names")
    counts = {True: 0, False: 0}

    def judge_hands(text: TextIO) -> Iterator[tuple[ForeignHand, HandResult]]:
        rules: Rules | None = None
        for one in read(text):
            try:
                hand = _with_rules(one, rules)
                result = _judge(hand)
            except CannotConvertError as why:
                counts[False] += 1
                report(f"{log}:{one.line}: left out: {why}")
                continue
            rules = hand.rules
            counts[True] += 1
            yield hand, result

    with log.open(encoding="utf-8", errors="replace") as text:
        hands = judge_hands(text)
        first = next(hands, None)
        if first is None:
            found = f"none of its {counts[False]} hands can be converted" if counts[False] else "it has no hand of such a log"
            raise InputError(f"{log}: {found}; nothing was written")
        with system.writing(to) as file:
            _write(file, first[0].rules, chain((first,), hands), names)
    return Conversion(counts[True], counts[False])


def _with_rules(one: ForeignHand | LeftOut, rules: Rules | None) -> ForeignHand:
    """Return a hand, if its rules are those of the hands before it; None: it is the first. Raises: CannotConvertError."""
    if isinstance(one, LeftOut):
        raise CannotConvertError(one.why)
    if rules is not None and one.rules != rules:
        raise CannotConvertError(
            f"its rules are {one.rules.text}, but those of the file are {rules.text}; one file has one ruleset"
        )
    return one


def _write(file: BufferedWriter, rules: Rules, hands: Iterable[tuple[ForeignHand, HandResult]], names: tuple[str, str]) -> None:
    encode = json.Encoder().encode
    header = ExportedHeader(
        schema="arena/hands/1",
        title=f"{names[0]} and {names[1]}",
        rules=to_builtins(rules),
        entrants=(ExportedEntrant(name=names[0]), ExportedEntrant(name=names[1])),
    )
    file.write(encode(header) + b"\n")
    for hand, result in hands:
        scored = hand.score is not None
        match = ExportedMatch(fixture=hand.name, deals=hand.name, seats=names, hands=1, scored=scored)
        file.write(encode(match) + b"\n" + encode(_line(hand, result, names)) + b"\n")


def _line(hand: ForeignHand, result: HandResult, names: tuple[str, str]) -> ExportedHand:
    return ExportedHand(
        fixture=hand.name,
        deals=hand.name,
        seats=names,
        game=0,
        hand=0,
        dealer=hand.dealer,
        score=hand.score or (0, 0),
        deck=tuple(NAMES[card] for card in _deck(hand)),
        actions=tuple(map(word, hand.actions)),
        ending=result.ending,
        winner=result.winner,
        points=result.points,
        deadwood=result.deadwood,
    )


def _judge(hand: ForeignHand) -> HandResult:
    """Return the result of a hand, played by the referee's engine. Raises: CannotConvertError, if it is not that of the log."""
    played = Hand.start(Deal(_deck(hand), hand.dealer), hand.rules)
    for number, action in enumerate(hand.actions, 1):
        try:
            played = played.play(action)
        except IllegalActionError as error:
            raise CannotConvertError(f"its action {number}, {word(action)}, is not legal in {hand.rules.text}: {error}") from None
    result = played.result
    if result is None:
        raise CannotConvertError(
            f"it is not over after {len(hand.actions)} actions: cut off, or ended by a rule that arena does not have"
        )
    points = 0 if result.winner is None else result.points if result.winner == 0 else -result.points
    if hand.points is not None and points != hand.points:
        raise CannotConvertError(f"player 0 scores {hand.points}; expected {points} by the rules {hand.rules.text}")
    return result


def _deck(hand: ForeignHand) -> tuple[Card, ...]:
    """Return the deck in the order of the deal (R2.1); the cards that were not drawn are its last, in the order of ``NAMES``.

    Raises: CannotConvertError, for a card that is dealt twice, or too few.
    """
    first, other = hand.dealt[1 - hand.dealer], hand.dealt[hand.dealer]
    if (len(first), len(other)) != (10, 10):
        raise CannotConvertError(f"{len(first)} and {len(other)} cards are dealt; expected 10 and 10")
    known = [card for pair in zip(first, other, strict=True) for card in pair] + [hand.upcard, *hand.drawn]
    if twice := {card for card in known if known.count(card) > 1}:
        raise CannotConvertError(f"{NAMES[min(twice)]} is dealt twice")
    return (*known, *(card for card in range(52) if card not in known))
