"""The positions in which the bots of a league are compared, and the answers of a bot in them.

A set is made once for each league, from a random seed that is not kept, and stored in its folder, where only its owner may read it:
a bot cannot know the positions, and a new version of arena does not change them. Without the file a new set is made, and all bots
are asked again.

The positions are chosen to tell policies apart. Some known policies (``POLICIES``) play hands against each other, in each turn one
of them at random; a knock is rarely played, so that hands last. A position *separates* two policies if they answer differently.
Hands, and then positions in them, are chosen one after the other, each for the policies that were separated least by those before.

A bot is asked for every decision of both seats in the chosen hands, in a process for each seat, with the messages that the seat
would have been sent; after each answer the hand continues as it was recorded (:mod:`arena.referee.asking`). Only the chosen
positions count.
"""

from hashlib import sha256
from pathlib import Path

from msgspec import Struct, json

from arena.gin.actions import IllegalActionError, read_actions, write_actions
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Scoreline, replay
from arena.gin.rules import Rules
from arena.league import leagues
from arena.referee.asking import RecordedHand
from arena.sdk import Card

POSITIONS_FILE = "positions.json"
ID = "positions"  # of the fixture that a bot is told


class PositionSet(Struct, frozen=True):
    """The hands, and the places of their decisions that count."""

    hands: tuple[RecordedHand, ...]
    places: tuple[tuple[int, int, int], ...]  # seat, hand and turn
    digest: str  # of the stored set


class StoredHand(Struct, frozen=True):
    """What determines a hand under the league's rules."""

    deck: tuple[Card, ...]
    dealer: Seat
    score: tuple[int, int]
    actions: str


class StoredSet(Struct, frozen=True):
    """A set of positions, as its file has it."""

    hands: tuple[StoredHand, ...]
    places: tuple[tuple[int, int, int], ...]


def load(league: Path, rules: Rules) -> PositionSet | None:
    """Return the set of a league; None: it has none yet, or its file cannot be read."""
    stored = leagues.read_small(league / POSITIONS_FILE, StoredSet)
    try:
        return read(stored, rules) if stored else None
    except (IllegalActionError, ValueError, IndexError):
        return None


def text(known: PositionSet) -> str:
    """Return the content of the file of a set."""
    return json.encode(_stored(known)).decode()


def read(stored: StoredSet, rules: Rules) -> PositionSet:
    """Return the set that a file holds, its hands replayed. Raises: IllegalActionError, ValueError, IndexError."""
    hands = tuple(_recorded(number, hand, rules) for number, hand in enumerate(stored.hands))
    return PositionSet(hands, stored.places, sha256(json.encode(stored)).hexdigest())


def _recorded(number: int, stored: StoredHand, rules: Rules) -> RecordedHand:
    """Return a stored hand with its result. Raises: IllegalActionError, ValueError."""
    deal, actions = Deal(stored.deck, stored.dealer, Scoreline(number, score=stored.score)), read_actions(stored.actions)
    result = replay(deal, rules, actions).result
    if result is None:
        raise ValueError(f"hand {number} has no end")
    return RecordedHand(number=number, deal=deal, games=(0, 0), actions=actions, result=result)


def _stored(known: PositionSet) -> StoredSet:
    dealt = ((one.deal, write_actions(one.actions)) for one in known.hands)
    hands = (StoredHand(tuple(deal.deck), deal.dealer, deal.before.score, actions) for deal, actions in dealt)
    return StoredSet(tuple(hands), known.places)
