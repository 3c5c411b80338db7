"""Finds the first action in which two records of the same fixture differ, and the seat that acted."""

from collections.abc import Sequence

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.hand import replay
from arena.gin.rules import Rules
from arena.gin.transcript import read, write
from arena.records import HandRecord, MatchRecord

# Faults that may depend on the machine, so a bot may commit them in one run and not in another. They end the comparison.
MACHINE_FAULTS = ("timeout", "crash", "memory")


class Divergence(Struct, frozen=True):
    """The first action in which two records of a fixture differ."""

    game: int
    hand: int
    turn: int  # number of the action in the hand, counted from 1
    seat: Seat  # that acted
    first: str  # the action in the first record
    second: str  # the action in the second

    def __str__(self) -> str:
        """Return one line of text."""
        return f"hand {self.game}.{self.hand}, turn {self.turn}: seat {self.seat}: {self.first}; played again: {self.second}"

    @property
    def place(self) -> tuple[int, int, int]:
        """Return game, hand and turn."""
        return self.game, self.hand, self.turn


def first_divergence(one: MatchRecord, other: MatchRecord, rules: Rules, seed: str) -> Divergence | None:
    """Return the first difference between two records; None, if they agree up to the first fault that may be the machine's."""
    # Records of different length differ in an earlier hand, so strict is not needed.
    for first, second in zip(one.hands, other.hands, strict=False):
        before, after = read(first.actions), read(second.actions)
        shorter = min(len(before), len(after))
        at = next((at for at in range(shorter) if before[at] != after[at]), shorter)
        machine_fault = _has_machine_fault(first, one, other)
        if at < shorter or (len(before) != len(after) and not machine_fault):
            seat = _acting(first, before[:at], rules, Deals(seed, one.fixture.deals))
            return Divergence(first.game, first.hand, at + 1, seat, _action_text(before, at), _action_text(after, at))
        if machine_fault:
            return None
    return None


def _has_machine_fault(hand: HandRecord, *records: MatchRecord) -> bool:
    """Return whether any of the records has a fault in this hand that may be the machine's."""
    place = (hand.game, hand.hand)
    return any((fault.game, fault.hand) == place and fault.kind in MACHINE_FAULTS for record in records for fault in record.faults)


def _acting(hand: HandRecord, before: Sequence[Action], rules: Rules, deals: Deals) -> Seat:
    return replay(Deal(deals.deck(hand.game, hand.hand), hand.dealer), rules, tuple(before)).seat


def _action_text(actions: Sequence[Action], at: int) -> str:
    return write((actions[at],)) if at < len(actions) else "a fault"
