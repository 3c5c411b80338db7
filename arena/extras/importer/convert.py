"""``python -m arena.extras.importer.convert``: converts the log of another program to a file for ``arena import``.

A log is converted hand by hand. A hand that cannot be played by arena's rules is left out, and named with its line and the reason.
"""

from collections.abc import Callable, Iterable, Iterator
from io import BufferedWriter
from itertools import chain
from pathlib import Path
from typing import TextIO

from msgspec import Struct, ValidationError, to_builtins
from msgspec import convert as converted_value

from arena import disk
from arena.encoding import LONGEST_MARK, encoding_of
from arena.errors import InputError
from arena.gin.actions import Action, IllegalActionError, word
from arena.gin.cards import NAMES, Card
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.results.hands import ExportedEntrant, ExportedHand, ExportedHeader, ExportedMatch, write_jsonl
from arena.roster.entrant import EntrantName
from arena.type_errors import explain


class ForeignHand(Struct, frozen=True, kw_only=True):
    """A hand as the log records it. Player 0 of the log has seat 0."""

    line: int  # of the log, where the hand begins, from 1
    name: str  # unique in the log
    rules: Rules  # arena's ruleset that comes closest to that of the log
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
        converted_value(names, tuple[EntrantName, EntrantName])
    except ValidationError as error:
        raise InputError(f"--names {' '.join(names)!r:.80}: {explain(error)}") from None
    if names[0] == names[1]:
        raise InputError(f"--names: both are {names[0]!r}; expected two names")
    converted, left_out = 0, 0

    def judge_hands(text: TextIO) -> Iterator[tuple[ForeignHand, HandResult]]:
        nonlocal converted, left_out
        rules: Rules | None = None
        for found in read(text):
            try:
                hand = _checked_hand(found, rules)
                result = judge(hand)
            except CannotConvertError as why:
                left_out += 1
                report(f"{log}:{found.line}: left out: {why}")
                continue
            rules = hand.rules
            converted += 1
            yield hand, result

    with log.open("rb") as start:
        encoding = encoding_of(start.read(LONGEST_MARK))
    with log.open(encoding=encoding, errors="replace") as text:
        hands = judge_hands(text)
        first = next(hands, None)
        if first is None:
            problem = f"none of its {left_out} hands can be converted" if left_out else "it has no hand of such a log"
            raise InputError(f"{log}: {problem}; nothing was written")
        with disk.writing(to) as file:
            _write(file, first[0].rules, chain((first,), hands), names)
    return Conversion(converted, left_out)


def _checked_hand(found: ForeignHand | LeftOut, rules: Rules | None) -> ForeignHand:
    """Return a hand under ``rules``, those of the file; None: it is the first hand. Raises: CannotConvertError."""
    if isinstance(found, LeftOut):
        raise CannotConvertError(found.why)
    if rules is not None and found.rules != rules:
        raise CannotConvertError(
            f"its rules are {found.rules.text}, but those of the file are {rules.text}; one file has one ruleset"
        )
    return found


def _write(file: BufferedWriter, rules: Rules, hands: Iterable[tuple[ForeignHand, HandResult]], names: tuple[str, str]) -> None:
    header = ExportedHeader(
        schema="arena/hands/1",
        title=f"{names[0]} and {names[1]}",
        rules=to_builtins(rules),
        entrants=(ExportedEntrant(name=names[0]), ExportedEntrant(name=names[1])),
    )
    write_jsonl(file, header, (line for hand, result in hands for line in _lines(hand, result, names)))


def _lines(hand: ForeignHand, result: HandResult, names: tuple[str, str]) -> Iterator[ExportedMatch | ExportedHand]:
    yield ExportedMatch(fixture=hand.name, deals=hand.name, seats=names, hands=1, scored=hand.score is not None)
    yield ExportedHand(
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


def judge(hand: ForeignHand) -> HandResult:
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
    """Return the deck in the order of the deal (R2.1); the cards that were not drawn come last, in the order of ``NAMES``.

    Raises: CannotConvertError, for a card that is dealt twice, or if a seat is not dealt 10.
    """
    first, other = hand.dealt[1 - hand.dealer], hand.dealt[hand.dealer]
    if (len(first), len(other)) != (10, 10):
        raise CannotConvertError(f"{len(first)} and {len(other)} cards are dealt; expected 10 and 10")
    known = [card for pair in zip(first, other, strict=True) for card in pair] + [hand.upcard, *hand.drawn]
    if twice := {card for card in known if known.count(card) > 1}:
        raise CannotConvertError(f"{NAMES[min(twice)]} is dealt twice")
    return (*known, *(card for card in range(52) if card not in known))
