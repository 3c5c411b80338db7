"""The result of single hands between two bots, as lines of text and as a document."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, to_builtins

from arena.gin.score import Ending
from arena.records import Fault, MatchRecord, Usage
from arena.reports.faults import grouped
from arena.reports.faults import lines as fault_lines
from arena.stats.margin import Margin, margin

SMALL_DIFFERENCE = 0.5  # points a hand, for the advice on how many hands to play


class HeadToHead(Struct, frozen=True):
    """The result of batches of hands between ``names[0]`` and ``names[1]``."""

    names: tuple[str, ...]
    seed: str
    records: tuple[MatchRecord, ...]

    @property
    def margin(self) -> Margin | None:
        """Return the mean lead of the first bot; None if fewer than two deals were played from both seats."""
        try:
            return margin(self.records, self.names[0])
        except ValueError:
            return None

    @property
    def forfeits(self) -> tuple[str, ...]:
        """Return the bots that have forfeited a batch."""
        forfeited = {record.fixture.seats[record.forfeit] for record in self.records if record.forfeit is not None}
        return tuple(name for name in self.names if name in forfeited)

    def lines(self) -> Iterator[str]:
        """Yield the result as lines of text, the verdict first."""
        yield self._verdict()
        hands = sum(len(record.hands) for record in self.records)
        yield f"{hands} hands, {hands // 2} deals from both seats; repeat them with --seed {self.seed}"
        for name in self.names:
            yield f"{name:>24}  {self._wins(name)}; {_cost_of_usage(self._usage(name))}"
        if dead := sum(hand.winner is None for record in self.records for hand in record.hands):
            yield f"{'nobody':>24}  {dead} dead hands"
        if faults := self._faulted():
            count = f"{len(faults)} fault{'s' * (len(faults) > 1)}"
            yield f"{count}; `arena bots check` looks for the cause, `arena debug` shows the turns"
            yield from fault_lines(grouped(faults), len(faults))
        for name in self.forfeits:
            yield f"{name} forfeited: after the third fault in a fixture its remaining hands are not played"

    def document(self) -> dict[str, Any]:
        """Return the result as values for JSON; times in seconds."""
        faults = self._faults()
        return {
            "bots": self.names,
            "seed": self.seed,
            "hands": sum(len(record.hands) for record in self.records),
            "points_a_hand": to_builtins(self.margin),
            "won": [self._endings(name).total() for name in self.names],
            "endings": [{ending.value: count for ending, count in self._endings(name).items()} for name in self.names],
            "cpu_a_decision": [_mean(self._usage(name)) for name in self.names],
            "slowest": [self._usage(name).slowest for name in self.names],
            "faults": {name: [to_builtins(fault) for fault in found] for name, found in faults.items()},
            "forfeits": self.forfeits,
        }

    def _verdict(self) -> str:
        measured, (one, other) = self.margin, self.names
        if self.forfeits:
            return f"{one} against {other}: no comparison, because {' and '.join(self.forfeits)} forfeited"
        if measured is None:
            return f"{one} against {other}: too few hands to say anything"
        interval = f"95 % interval {measured.low:+z.2f} to {measured.high:+z.2f}"
        lead = f"{one} {measured.mean:+z.2f} points a hand against {other}, {interval}"
        if measured.decides:
            return f"{lead}: {one if measured.mean > 0 else other} is stronger"
        if measured.low == measured.high:
            return f"{lead}: the same result on every deal"
        return f"{lead}: too close to call; about {measured.hands_for(SMALL_DIFFERENCE):,} hands are needed to detect half a point"

    def _wins(self, name: str) -> str:
        endings = self._endings(name)
        how = ", ".join(f"{count} by {ending.value.replace('_', ' ')}" for ending, count in endings.most_common())
        return f"won {endings.total()} hands, {how}" if endings else "won no hand"

    def _endings(self, name: str) -> Counter[Ending]:
        """Return how many hands an entrant won by each ending."""
        return Counter(
            hand.ending
            for record in self.records
            for hand in record.hands
            if hand.winner is not None and record.fixture.seats[hand.winner] == name
        )

    def _usage(self, name: str) -> Usage:
        used = [record.usage[record.fixture.seats.index(name)] for record in self.records]
        return Usage(
            sum(one.decisions for one in used),
            sum(one.cpu for one in used),
            sum(one.wall for one in used),
            max((one.slowest for one in used), default=0.0),
        )

    def _faults(self) -> dict[str, list[Fault]]:
        found: dict[str, list[Fault]] = {}
        for name, _, fault in self._faulted():
            found.setdefault(name, []).append(fault)
        return found

    def _faulted(self) -> list[tuple[str, str, Fault]]:
        """Return each fault with its bot and its fixture: (bot, fixture, fault)."""
        return [(record.fixture.seats[fault.seat], record.fixture.id, fault) for record in self.records for fault in record.faults]


def _mean(usage: Usage) -> float:
    return usage.cpu / usage.decisions if usage.decisions else 0.0


def _cost_of_usage(usage: Usage) -> str:
    return f"{1e3 * _mean(usage):.2f} ms a decision, {1e3 * usage.slowest:.1f} at most"
