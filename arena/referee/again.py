"""A fixture played again: where two records of it part, and by whose action."""

from collections.abc import Sequence

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.hand import replay
from arena.gin.rules import Rules
from arena.gin.transcript import read, write
from arena.records import HandRecord, MatchRecord

OF_THE_MACHINE = ("timeout", "crash", "memory")  # faults that may come or stay away, whatever the bot is asked


class Parting(Struct, frozen=True):
    """The first action in which two records of a fixture differ."""

    game: int
    hand: int
    action: int  # of the hand, counted from 0
    seat: Seat  # whose it is
    first: str  # what was done in one record, and in the other
    second: str

    def __str__(self) -> str:
        """Return it in a line."""
        return (
            f"game {self.game} hand {self.hand} action {self.action}: seat {self.seat}: {self.first}; played again: {self.second}"
        )

    @property
    def place(self) -> tuple[int, int, int]:
        """Return where in the fixture it is."""
        return self.game, self.hand, self.action


def parting(one: MatchRecord, other: MatchRecord, rules: Rules, seed: str) -> Parting | None:
    """Return where two records of a fixture part; None, if they agree up to the first fault that the machine may have caused."""
    for first, second in zip(one.hands, other.hands, strict=False):  # of different length only after they have parted
        said, again = read(first.actions), read(second.actions)
        at = next((at for at, pair in enumerate(zip(said, again, strict=False)) if pair[0] != pair[1]), min(len(said), len(again)))
        if at < min(len(said), len(again)) or (len(said) != len(again) and not _blamed(first, one, other)):
            seat = _acting(first, said[:at], rules, Deals(seed, one.fixture.deals))
            return Parting(first.game, first.hand, at, seat, _told(said, at), _told(again, at))
        if _blamed(first, one, other):
            return None
    return None


def _blamed(hand: HandRecord, *records: MatchRecord) -> bool:
    """Tell whether a hand ended, in one of some records, by a fault that need not come again."""
    place = (hand.game, hand.hand)
    return any((fault.game, fault.hand) == place and fault.kind in OF_THE_MACHINE for record in records for fault in record.faults)


def _acting(hand: HandRecord, before: Sequence[Action], rules: Rules, deals: Deals) -> Seat:
    return replay(Deal(deals.deck(hand.game, hand.hand), hand.dealer), rules, tuple(before)).seat


def _told(actions: Sequence[Action], at: int) -> str:
    return write((actions[at],)) if at < len(actions) else "a fault"
