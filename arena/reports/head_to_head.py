"""The result of single hands between two bots, as lines of text and as a document."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from arena.gin.score import Ending
from arena.records import Fault, MatchRecord, Usage
from arena.reports.fallbacks import ModelPlay, sentence, why_not_judged
from arena.reports.faults import fault_lines
from arena.reports.numbers import count, signed
from arena.reports.verdict import moods
from arena.stats.margin import LEAST_BLOCKS, Margin, margin
from arena.stats.statements import MATCH

SMALL_DIFFERENCE = 0.5  # points a hand, for the advice on how many hands to play


class MatchAnswer(Struct, frozen=True, kw_only=True):
    """The result of a match of single hands; the lists have a value for each bot, times are in seconds."""

    bots: tuple[str, ...]
    seed: str
    hands: int
    points_a_hand: Margin | None  # of the first bot; None: fewer than two pairs of legs were played, or few with one result
    won: tuple[int, ...]  # hands
    endings: tuple[dict[Ending, int], ...]  # of the hands that each has won
    cpu_a_decision: tuple[float, ...]
    slowest: tuple[float, ...]  # decision
    faults: dict[str, list[Fault]]
    faulty: tuple[str, ...]  # the bots that were so often at fault that nothing is said of their strength
    models: tuple[ModelPlay, ...] = ()  # the bots without a sandbox that asked a language model


TOO_FEW = f"too few hands to call a bot stronger; that needs {2 * LEAST_BLOCKS} or more"
SAME_RESULT = "the same result on every deal"
FAULTY = 0.1  # share of the hands with a fault from which on a bot is not compared


class HeadToHead(Struct, frozen=True):
    """The result of batches of hands between ``names[0]`` and ``names[1]``."""

    names: tuple[str, ...]
    seed: str
    records: tuple[MatchRecord, ...]
    models: tuple[ModelPlay, ...] = ()  # of bots without a sandbox

    @property
    def margin(self) -> Margin | None:
        """Return the mean lead of the first bot; None if fewer than two pairs of legs were played."""
        return margin(self.records, self.names[0])

    @property
    def faulty(self) -> tuple[str, ...]:
        """Return the bots that were at fault in a share of FAULTY of all hands or more."""
        hands, faults = sum(len(record.hands) for record in self.records), self._faults()
        return tuple(name for name in self.names if len(faults.get(name, ())) >= max(FAULTY * hands, 1))

    def lines(self) -> Iterator[str]:
        """Yield the result as lines of text, the verdict first."""
        yield self._verdict()
        if self.models:
            yield sentence(self.models)
        seats = Counter((record.fixture.pair, hand.game) for record in self.records for hand in record.hands)
        both = sum(played == 2 for played in seats.values())
        yield f"{count(seats.total(), 'hand')}, {count(both, 'deal')} from both seats; repeat them with --seed {self.seed}"
        for name in self.names:
            used = self._usage(name)
            cost = f"{1e3 * _mean(used):.2f} ms a decision, {1e3 * used.slowest:.1f} at most"
            yield f"{name:>24}  {self._wins(name)}; {cost}"
        without_points = [hand.ending for record in self.records for hand in record.hands if hand.winner is None]
        if dead := without_points.count(Ending.DEAD):
            yield f"{'nobody':>24}  {count(dead, 'dead hand')}"
        if equal := len(without_points) - dead:
            yield f"{'nobody':>24}  {count(equal, 'hand')} of equal deadwood"
        if faults := self._named_faults():
            yield f"{count(len(faults), 'fault')}; `arena bots check` looks for the cause, `arena debug` shows the turns"
            yield from fault_lines(faults)
        measured = self.margin
        if measured and not self._why_not_compared and (measured.decides or (measured.is_same and measured.has_interval)):
            yield f"{moods(measured.blocks)}."

    def document(self) -> "MatchAnswer":
        """Return the result as ``--json`` shows it."""
        measured = self.margin
        return MatchAnswer(
            bots=self.names,
            seed=self.seed,
            hands=sum(len(record.hands) for record in self.records),
            points_a_hand=measured if measured and measured.has_interval else None,
            won=tuple(self._endings(name).total() for name in self.names),
            endings=tuple(dict(self._endings(name)) for name in self.names),
            cpu_a_decision=tuple(_mean(self._usage(name)) for name in self.names),
            slowest=tuple(self._usage(name).slowest for name in self.names),
            faults=self._faults(),
            faulty=self.faulty,
            models=self.models,
        )

    def _verdict(self) -> str:
        measured, (one, other) = self.margin, self.names
        if reason := self._why_not_compared:
            return f"{one} against {other}: no comparison, because {reason}"
        if measured is None:
            return f"{one} against {other}: too few hands to say anything"
        within = MATCH(low=signed(measured.low), high=signed(measured.high)) if measured.has_interval else SAME_RESULT
        lead = f"{one} {signed(measured.mean)} points a hand against {other}, {within}"
        if measured.blocks < LEAST_BLOCKS:
            return f"{lead}: {TOO_FEW}"
        if measured.decides:
            return f"{lead}: {one if measured.mean > 0 else other} is stronger"
        if measured.is_same:
            return f"{lead}: {SAME_RESULT}"
        return f"{lead}: too close to call; about {measured.hands_for(SMALL_DIFFERENCE):,} hands are needed to detect half a point"

    @property
    def _why_not_compared(self) -> str:
        """Return why nothing is said of the bots' strength; empty: it is, if they have played enough."""
        late = {fault.detail for name, _, fault in self._named_faults() if name in self.faulty and fault.kind == "timeout"}
        limit = "stall" if any("idle" in detail for detail in late) else "per_turn"
        more = f"; --time '{{{limit}: 60}}' allows 60 s for an answer" if late else ""
        faults = f"{' and '.join(self.faulty)} had too many faults{more}" if self.faulty else ""
        return faults or why_not_judged(self.models)

    def _wins(self, name: str) -> str:
        endings = self._endings(name)
        how = ", ".join(f"{number} by {ending.value.replace('_', ' ')}" for ending, number in endings.most_common())
        return f"won {count(endings.total(), 'hand')}, {how}" if endings else "won no hand"

    def _endings(self, name: str) -> Counter[Ending]:
        """Return the number of hands that an entrant won by each ending."""
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
        for name, _, fault in self._named_faults():
            found.setdefault(name, []).append(fault)
        return found

    def _named_faults(self) -> list[tuple[str, str, Fault]]:
        """Return each fault with its bot and its fixture: (bot, fixture, fault)."""
        return [(record.fixture.seats[fault.seat], record.fixture.id, fault) for record in self.records for fault in record.faults]


def _mean(usage: Usage) -> float:
    return usage.cpu / usage.decisions if usage.decisions else 0.0
