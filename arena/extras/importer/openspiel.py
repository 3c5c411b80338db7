"""OpenSpiel: states written by ``pyspiel.serialize_game_and_state``, one after another.

A state is the list of its actions: 0 to 51 a card, dealt by chance, discarded or laid off; 52 draw the upcard; 53 draw from the
stock; 54 pass; 55 knock; from 56 on a meld that is laid. Source: ``open_spiel/games/gin_rummy``, versions 1.6 to 2.0.

A game in Python that wraps another, as Kaggle's environments do, has a name of its own, and its state is one line, `history=`
with PLAYER:ACTION for each action, -1 for chance, beside other `key=value` lines.

Player 0 begins. The ruleset is ``fiftieth-card`` with the game's own bonuses and limit; with ``oklahoma`` the limit is that of
R6.7. A hand that OpenSpiel ends for a reason of its own, the 50th take of an upcard or a card that goes back and forth, is not
over by arena's rules.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct, ValidationError
from msgspec import convert as converted_value

from arena.extras.importer.convert import CannotConvertError, ForeignHand, LeftOut
from arena.gin.actions import Action, Discard, Draw, IllegalActionError, Knock, LayOff, Pass, Take
from arena.gin.cards import NAMES, RANKS, Card, Cards, LayOffs, Melds, bits, card
from arena.gin.moves import check_lay_offs
from arena.gin.rules import Rules
from arena.gin.rulesets import FiftiethCard

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
