"""Whole hands as text: tests/golden/playthroughs/*.txt. Review their diff when a rule changes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import convert
from support.hands.builders import RULESETS, in_order

from arena.gin import actions
from arena.gin.actions import Action
from arena.gin.cards import NAMES, Cards, each, text
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.melds import arrange, deadwood, union
from arena.gin.rules import Rules
from arena.gin.score import Ending

FOLDER = Path(__file__).parent.parent / "golden" / "playthroughs"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.txt")))
def test_a_playthrough_matches_its_golden_file(name: str, golden: Callable[[str, str], None]) -> None:
    heading = [line for line in (FOLDER / name).read_text(encoding="utf-8").split("\n\n", maxsplit=1)[0].splitlines() if line]
    golden(f"playthroughs/{name}", "\n".join([*heading, "", *lines(dict(line.split(": ", 1) for line in heading)), ""]))


def lines(heading: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a hand from its heading."""
    hand = Hand.start(Deal(in_order(heading["deck"]), int(heading["dealer"])), agreed(heading["rules"]))
    yield from (f"seat {seat}  {shown(hand.cards[seat])}" for seat in (0, 1))
    yield f"upcard {NAMES[hand.pile[-1]]}, {hand.stock} in the stock"
    yield ""
    for number, action in enumerate(actions.read_actions(heading["actions"]), start=1):
        seat, hand = hand.seat, hand.play(action)
        yield f"{number:3}  seat {seat}  {acted(hand, seat, action)}"
    yield ""
    yield from ended(hand)


def agreed(words: str) -> Rules:
    """Return the rules of ``under-ten knock_limit=7``."""
    name, *options = words.split()
    plain = RULESETS[name]
    return convert({"name": name, **dict(option.split("=") for option in options)}, type(plain), strict=False)


def shown(held: Cards) -> str:
    """Return cards arranged: each meld as a word, then the deadwood and its points."""
    melds = arrange(held)
    rest = " ".join(NAMES[one] for one in each(held & ~union(melds)))
    return "  ".join(filter(None, [*map(text, melds), rest, f"({deadwood(held)})"]))


def acted(hand: Hand, seat: int, action: Action) -> str:
    """Return an action and the cards after it."""
    came = f" {NAMES[hand.drawn]}" if hand.drawn is not None else ""
    return f"{actions.word(action) + came:<12} {shown(hand.cards[seat])}"


def ended(hand: Hand) -> Iterator[str]:
    """Yield the laid cards and the result."""
    for seat in (0, 1):
        if laid := hand.laid[seat]:
            off = "".join(f"  {NAMES[card]} on {number}" for card, number in laid.lay_offs)
            yield f"seat {seat} lays {' '.join(map(text, laid.melds)) or 'nothing'}{off}  ({laid.deadwood})"
    result = hand.result
    assert result is not None, "a playthrough is a whole hand"
    scored = "nobody scores" if result.winner is None else f"seat {result.winner} scores {result.points}"
    yield f"{result.ending}: {scored}; deadwood {result.deadwood[0]} and {result.deadwood[1]}; {hand.stock} left in the stock"


def test_the_hands_show_every_ending() -> None:
    endings = {path.read_text(encoding="utf-8").rstrip("\n").rpartition("\n")[2].partition(":")[0] for path in FOLDER.glob("*.txt")}
    assert endings == set(Ending) - {Ending.FAULT}
