"""``python -m arena.extras.importer.convert``: converts the log of another program to a file for ``arena import``.

A log is converted hand by hand. A hand that cannot be played by arena's rules is left out, and named with its line and the reason.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedWriter
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from msgspec import Struct, ValidationError, to_builtins
from msgspec import convert as converted_value

from arena import disk
from arena.encoding import LONGEST_MARK, encoding_of
from arena.errors import ArenaError, InputError, of_system
from arena.gin.actions import Action, Discard, Draw, IllegalActionError, Knock, LayOff, Pass, Take, word
from arena.gin.cards import NAMES, RANKS, Card, Cards, LayOffs, Melds, bits, card
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand
from arena.gin.moves import check_lay_offs
from arena.gin.rules import Rules
from arena.gin.rulesets import FiftiethCard, Standard
from arena.gin.score import HandResult
from arena.results.hands import ExportedEntrant, ExportedHand, ExportedHeader, ExportedMatch, write_jsonl
from arena.roster.entrant import EntrantName
from arena.text import explain


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


# OpenSpiel: states written by ``pyspiel.serialize_game_and_state``, one after another.
#
# A state is the list of its actions: 0 to 51 a card, dealt by chance, discarded or laid off; 52 draw the upcard; 53 draw from the
# stock; 54 pass; 55 knock; from 56 on a meld that is laid. Source: ``open_spiel/games/gin_rummy``, versions 1.6 to 2.0.
#
# A game in Python that wraps another, as Kaggle's environments do, has a name of its own, and its state is one line, `history=`
# with PLAYER:ACTION for each action, -1 for chance, beside other `key=value` lines.
#
# Player 0 begins. The ruleset is ``fiftieth-card`` with the game's own bonuses and limit; with ``oklahoma`` the limit is that of
# R6.7. A hand that OpenSpiel ends for a reason of its own, the 50th take of an upcard or a card that goes back and forth, is not
# over by arena's rules.

SUITS = "scdh"  # in OpenSpiel's order
CARDS: tuple[Card, ...] = tuple(card(rank + suit) for suit in SUITS for rank in RANKS)
UPCARD, STOCK, PASS, KNOCK, FIRST_MELD = 52, 53, 54, 55, 56
GAME = re.compile(r"(?:\w+_)?gin_rummy(?:_\w+)?\((.*)\)")
HISTORY = "history="
SETTING = re.compile(r"\w+=.*")
OPTIONS = {"knock_card": "knock_limit", "gin_bonus": "gin_bonus", "undercut_bonus": "undercut_bonus"}  # ours for each of theirs
FIXED = {"hand_size": "10", "num_ranks": "13", "num_suits": "4"}
OKLAHOMA = {"False": {}, "True": {"knock_limit": "upcard", "ace": "gin"}}  # R6.7; with it OpenSpiel does not use knock_card
MOST_TAKES = 1000  # the highest limit of a ruleset, never reached: OpenSpiel counts otherwise, the Java framework has no limit


class _State(Struct):
    """A state as it stands in a file, not yet parsed."""

    line: int  # of its section [Game]
    game: str  # gin_rummy(…)
    actions: list[str]  # numbers


def read_openspiel(lines: Iterable[str]) -> Iterator[ForeignHand | LeftOut]:
    """Yield each hand of a file of OpenSpiel's states."""
    for number, state in enumerate(_states(lines), 1):
        try:
            yield _hand(state, f"openspiel/{number}")
        except CannotConvertError as why:
            yield LeftOut(state.line, str(why))


def _states(lines: Iterable[str]) -> Iterator[_State]:
    section, state = "", None
    for number, line in enumerate(map(str.strip, lines), 1):
        if line in ("[Meta]", "[Game]", "[State]"):
            section = line
            if line == "[Game]":
                if state:
                    yield state
                state = _State(number, "", [])
        elif not line or line.startswith("#") or state is None:
            continue
        elif section == "[Game]":
            state.game = line
        elif section == "[State]" and line.startswith(HISTORY):
            state.actions = [action.rpartition(":")[2] for action in line.removeprefix(HISTORY).split(",") if action]
        elif section == "[State]" and not SETTING.fullmatch(line):
            state.actions.append(line)
    if state:
        yield state


def _hand(state: _State, name: str) -> ForeignHand:
    """Return the hand of a state. Raises: CannotConvertError."""
    rules = _rules(state.game)
    try:
        numbers = list(map(int, state.actions))
    except ValueError:
        raise CannotConvertError("its state is not a list of numbers") from None
    if wrong := [number for number in numbers if not 0 <= number < FIRST_MELD + len(MELDS)]:
        raise CannotConvertError(f"{wrong[0]} is not an action; expected 0 to {FIRST_MELD + len(MELDS) - 1}")
    dealt, rest = numbers[:21], numbers[21:]
    if len(dealt) < 21:
        raise CannotConvertError(f"it is cut off after {len(dealt)} cards of the deal")
    drawn, actions = _actions(rest)
    first, second, (upcard,) = map(_numbered_cards, (dealt[:10], dealt[10:20], dealt[20:]))
    return ForeignHand(
        line=state.line,
        name=name,
        rules=rules,
        dealer=1,
        dealt=(first, second),
        upcard=upcard,
        drawn=drawn,
        actions=actions,
    )


def _rules(game: str) -> Rules:
    """Return the rules of a game as OpenSpiel writes it, ``gin_rummy(knock_card=5)``. Raises: CannotConvertError."""
    found = GAME.fullmatch(game)
    if not found:
        raise CannotConvertError(f"found the game {game!r:.80}; expected gin_rummy(…), or a wrapper of it, as gin_rummy_proxy(…)")
    options = dict(option.partition("=")[::2] for option in found[1].split(",") if option)
    values: dict[str, Any] = {"name": "fiftieth-card", "max_takes": MOST_TAKES}
    for option, value in options.items():
        if option in OPTIONS:
            values[OPTIONS[option]] = value
        elif FIXED.get(option) != value and not (option == "oklahoma" and value in OKLAHOMA):
            raise CannotConvertError(f"no ruleset of arena has {option}={value}, as {game:.200} has")
    values |= OKLAHOMA[options.get("oklahoma", "False")]
    try:
        return converted_value(values, FiftiethCard, strict=False)
    except ValidationError as error:
        raise CannotConvertError(f"{game:.200}: {error}") from None


def _actions(numbers: list[int]) -> tuple[tuple[Card, ...], tuple[Action, ...]]:
    """Return the cards that are drawn after the deal, and the actions. Raises: CannotConvertError."""
    drawn, actions, left = list[Card](), list[Action](), iter(numbers)
    for number in left:
        if number == STOCK:
            actions.append(Draw())
            drawn += _numbered_cards(list(islice(left, 1)))  # none: the log is cut off here
        elif number == UPCARD:
            actions.append(Take())
        elif number == PASS:
            actions.append(Pass())
        elif number == KNOCK:
            if actions and isinstance(actions[-1], Discard):  # the stock is out, and the last discard is taken to knock
                actions.append(Take())
            actions += _knock(list(left))
        else:
            actions.append(Discard(*_numbered_cards([number])))
    return tuple(drawn), tuple(actions)


def _knock(numbers: list[int]) -> tuple[Action, Action]:
    """Return a knock and the defender's answer, from the numbers after 55.

    The first is the discard. Each of the parts that follow ends with a pass: melds; lay-offs, unless it is gin; the other's melds.

    Raises: CannotConvertError.
    """
    parts = [list[int]()]
    for number in numbers[1:]:
        if number == PASS:
            parts.append([])
        else:
            parts[-1].append(number)
    melds = _melds(parts[0])
    is_gin = sum(map(Cards.bit_count, melds)) == 10
    if len(parts) != (3 if is_gin else 4) or parts[-1]:
        raise CannotConvertError("it is cut off after the knock, or has actions after its end")
    laid = () if is_gin else _lay_offs(_numbered_cards(parts[1]), melds)
    (thrown,) = _numbered_cards(numbers[:1])
    return Knock(thrown, melds), LayOff(_melds(parts[-2]), laid)


def _lay_offs(laid: tuple[Card, ...], melds: Melds) -> LayOffs:
    """Return cards that are laid off, each with the number of a meld that it fits: OpenSpiel does not name the meld.

    Raises: CannotConvertError.
    """
    found: list[LayOffs] = [()]
    for one in laid:  # OpenSpiel lays off one card at a time, so each must fit at once
        longer = [(*lay_offs, (one, number)) for lay_offs in found for number in range(len(melds))]
        found = [lay_offs for lay_offs in longer if _are_legal(lay_offs, melds)]
    if not found:
        raise CannotConvertError(f"{' '.join(NAMES[card] for card in laid)} cannot be laid off on the melds of the knock")
    return found[0]


def _are_legal(lay_offs: LayOffs, melds: Melds) -> bool:
    try:
        check_lay_offs(lay_offs, melds, bits(card for card, _ in lay_offs))
    except IllegalActionError:
        return False
    return True


def _numbered_cards(numbers: list[int]) -> tuple[Card, ...]:
    if wrong := [number for number in numbers if number >= len(CARDS)]:
        raise CannotConvertError(f"found the action {wrong[0]} where a card is expected, 0 to 51")
    return tuple(CARDS[number] for number in numbers)


def _melds(numbers: list[int]) -> Melds:
    if wrong := [number for number in numbers if number < FIRST_MELD]:
        raise CannotConvertError(f"found the action {wrong[0]} where a meld is expected, from {FIRST_MELD} on")
    if len(numbers) > 3:
        raise CannotConvertError(f"{len(numbers)} melds are laid; expected at most 3")
    return tuple(MELDS[number - FIRST_MELD] for number in numbers)


def _all_melds() -> Iterator[Cards]:
    """Yield the melds in the order of OpenSpiel's numbers: sets by rank, each without one suit, then whole; runs by length."""
    for rank in RANKS:
        whole = tuple(rank + suit for suit in SUITS)
        for without in (*whole, ""):
            yield bits(card(name) for name in whole if name != without)
    for length in (3, 4, 5):
        for suit in SUITS:
            for low in range(len(RANKS) - length + 1):
                yield bits(card(rank + suit) for rank in RANKS[low : low + length])


MELDS: Melds = tuple(_all_melds())


# The Java framework of the Gin Rummy EAAI Undergraduate Research Challenge: its output with ``setPlayVerbose(true)``.
#
# Its rules are ``standard`` without big gin and without a limit of takes. A game there lasts until a player has 100 points.
# Each of its hands becomes a single hand at the score of the game, because the same player begins again after a cancelled hand,
# which no ruleset has. Lines that the players print themselves are ignored.

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
