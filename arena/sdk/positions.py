"""Build a view for the tests of a bot, from cards as text and defaults for everything else."""

from arena.gin.cards import DECK, NAMES, Card, Cards, bits, each, in_order, parse
from arena.gin.facts import HandFacts
from arena.gin.match import Hand, Laid, Phase, Scoreline
from arena.gin.melds import union
from arena.gin.rules import HandTerms, Rules
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.gin.view import View


def position(
    cards: str,
    *,
    phase: str = "discard",
    pile: str = "",
    took: tuple[str, str] = ("", ""),
    threw: tuple[str, str] = ("", ""),
    laid: str = "",
    deadwood: int = 0,
    dealer: bool = False,
    rules: Rules | None = None,
    score: tuple[int, int] = (0, 0),
    games: tuple[int, int] = (0, 0),
    knock_limit: int | None = None,
    multiplier: int = 1,
) -> View:
    """Return the view of a seat that holds ``cards``, such as ``3c4c5c 7d``, in a phase of arena/protocol/README.md.

    Of eleven cards the last was drawn in this turn, or taken if ``took`` has it. ``took`` and ``threw`` are mine and the
    opponent's; a card that the opponent took and threw counts as thrown. Discarded cards that are nowhere else are in the discard
    pile below ``pile``, whose last card is the top. In phase lay_off, ``laid`` has a word for each meld of the opponent, and
    ``deadwood`` its points, 0 for gin. ``knock_limit`` is that of the hand, by default the highest that the rules allow.

    Raises: ValueError, for an invalid card or phase, a card in two places, or no upcard where a phase offers it.
    """
    mine, melds = _cards(cards), tuple(parse(word) for word in laid.split())
    theirs = parse(took[1]) & ~parse(threw[1]) | union(melds)
    lying = _pile(_cards(pile), _cards(threw[0]) + _cards(threw[1]), bits(mine) | theirs)
    _check_apart(mine, lying, tuple(each(theirs & ~union(melds))), *(tuple(each(meld)) for meld in melds))
    if Phase(phase) in (Phase.UPCARD, Phase.DRAW, Phase.LAST_TAKE) and not lying:
        raise ValueError(f"phase {phase}: the discard pile is empty; expected its top in `pile`")
    hidden = tuple(each(DECK & ~bits(mine) & ~bits(lying) & ~theirs))
    unknown = max(0, 10 - theirs.bit_count())  # cards of the opponent
    drawn = mine[-1] if len(mine) == 11 else None
    standing, ruleset = Scoreline(score=score, games=games), rules or Rules()
    hand = Hand(
        rules=ruleset,
        facts=HandFacts(0 if dealer else 1, before=standing),
        terms=HandTerms(ruleset.limits[-1] if knock_limit is None else knock_limit, multiplier),
        deck=(*each(DECK & ~bits(hidden[unknown:])), *hidden[unknown:]),
        phase=Phase(phase),
        seat=0,
        cards=(bits(mine), theirs | bits(hidden[:unknown])),
        pile=lying,
        top=52 - len(hidden) + unknown,
        drawn=drawn,
        taken=drawn is not None and bool(parse(took[0]) >> drawn & 1),
        took=(parse(took[0]), parse(took[1])),
        threw=(parse(threw[0]), parse(threw[1])),
        called=Ending.KNOCK if deadwood else Ending.GIN,  # ``see`` reads this and ``laid`` in phase LAY_OFF only
        laid=(None, Laid(melds, (), deadwood)),
    )
    return see(hand, standing)


def _cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text in its order. Raises: ValueError."""
    packed = "".join(text.split())
    return in_order(packed[at : at + 2] for at in range(0, len(packed), 2))


def _pile(top: tuple[Card, ...], thrown: tuple[Card, ...], held: Cards) -> tuple[Card, ...]:
    return (*(card for card in dict.fromkeys(thrown) if not held >> card & 1 and card not in top), *top)


def _check_apart(*places: tuple[Card, ...]) -> None:
    everywhere = [card for place in places for card in place]
    twice = next((card for card in everywhere if everywhere.count(card) > 1), None)
    if twice is not None:
        raise ValueError(f"{NAMES[twice]} is in two places")
