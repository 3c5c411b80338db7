"""Finds the first action in which two records of the same fixture differ, and the seat that acted."""

from collections.abc import Sequence

from msgspec import Struct

from arena.gin.actions import Action, read_actions, write_actions
from arena.gin.facts import Seat
from arena.gin.match import replay
from arena.gin.rules import Rules
from arena.records import HandRecord, MatchRecord, dealt_hands

# Faults that may depend on the machine, so a bot may commit them in one run and not in another. They end the comparison.
MACHINE_FAULTS = ("timeout", "crash", "memory", "lost")


class Divergence(Struct, frozen=True):
    """The first action in which two records of a fixture differ."""

    game: int
    hand: int
    turn: int  # number of the action in the hand, counted from 1
    seat: Seat  # that acted
    first: str  # the action in the first record; "a fault": the hand ended there
    second: str  # in the second

    def __str__(self) -> str:
        """Return one line of text."""
        return f"hand {self.game}.{self.hand}, turn {self.turn}: seat {self.seat}: {self.first}; played again: {self.second}"


def first_divergence(one: MatchRecord, other: MatchRecord, rules: Rules, seed: str) -> Divergence | None:
    """Return the first difference between two records; None, if they agree to the end, or to a fault that may be the machine's."""
    # If one record has more hands, the last hand of the other differs or has a fault of the machine: no need to look beyond it.
    for hand, other_hand in zip(one.hands, other.hands, strict=False):
        first, second = read_actions(hand.actions), read_actions(other_hand.actions)
        shorter = min(len(first), len(second))
        at = next((at for at in range(shorter) if first[at] != second[at]), shorter)
        machine_fault = _has_machine_fault(hand, one, other)
        if at < shorter or (len(first) != len(second) and not machine_fault):
            deal = next(deal for dealt, deal in dealt_hands(one, rules, seed) if dealt is hand)
            seat = replay(deal, rules, first[:at]).seat
            return Divergence(hand.game, hand.hand, at + 1, seat, _action_text(first, at), _action_text(second, at))
        if machine_fault:
            return None
    return None


def _has_machine_fault(hand: HandRecord, *records: MatchRecord) -> bool:
    """Tell whether any of the records has a fault in this hand that may be the machine's."""
    faults = (fault for record in records for fault in (*record.excused, *record.faults))
    return any((fault.game, fault.hand) == (hand.game, hand.hand) and fault.kind in MACHINE_FAULTS for fault in faults)


def _action_text(actions: Sequence[Action], at: int) -> str:
    return write_actions((actions[at],)) if at < len(actions) else "a fault"
