"""How many decisions of a bot its language model has made, from the notes in records, and with how few of them it is not judged.

Where a model made no decision another player did, so the results are those of two players. A share of MOST_FALLBACKS changes the
points of a hand by about that share of the model's error rate, which is no more than what a hundred hands resolve; with more there
is no verdict and no rank. arena/extras/models/MODELS.md has the numbers.

A confined bot could write such notes to escape a verdict, but it cannot ask a model. So they count only where there is no sandbox.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import acting_seats
from arena.records import UNCONFINED, Assurance, HandRecord, MatchRecord
from arena.reports.numbers import names, share
from arena.sdk.model_notes import NotedCost, read_cost
from arena.stats.duels import ComparisonOutcome, Verdict

MOST_FALLBACKS = 0.05  # of the decisions of a bot


class ModelPlay(Struct, frozen=True, kw_only=True):
    """A bot that asked a language model, and how often that decided."""

    bot: str
    decisions: int  # with a noted cost
    fallbacks: int  # of these, the ones that another player made in place of the model

    @property
    def is_models(self) -> bool:
        """Tell whether the play is that of the model, by the share of its decisions."""
        return decides(self.decisions, self.fallbacks)


def decides(decisions: int, fallbacks: int) -> bool:
    """Tell whether a model that did not make some of the decisions has made enough of them to be judged."""
    return fallbacks <= MOST_FALLBACKS * decisions


class NotedDecision(Struct, frozen=True):
    """A decision with its cost."""

    hand: HandRecord
    bot: str
    noted: NotedCost


class ModelPlays:
    """Counts the decisions of models in records."""

    def __init__(self) -> None:
        self._decisions: Counter[str] = Counter()
        self._fallbacks: Counter[str] = Counter()

    def add(self, record: MatchRecord) -> None:
        """Count the decisions of one more record."""
        for one in noted_decisions(record):
            self._decisions[one.bot] += 1
            self._fallbacks[one.bot] += one.noted.is_fallback

    def plays(self, isolation: Assurance) -> tuple[ModelPlay, ...]:
        """Return the bots that asked a model, by name; none where bots are confined."""
        if not can_ask(isolation):
            return ()
        return tuple(
            ModelPlay(bot=bot, decisions=decisions, fallbacks=self._fallbacks[bot])
            for bot, decisions in sorted(self._decisions.items())
        )


def plays_of(records: Iterable[MatchRecord], isolation: Assurance) -> tuple[ModelPlay, ...]:
    """Return the bots of some records that asked a model, by name; none where bots are confined: then no record is read."""
    found = ModelPlays()
    for record in records if can_ask(isolation) else ():
        found.add(record)
    return found.plays(isolation)


def can_ask(isolation: Assurance) -> bool:
    """Tell whether a bot can ask a model: it is not confined, or plays from elsewhere."""
    return isolation.profile in ("none", UNCONFINED)


def noted_decisions(record: MatchRecord) -> Iterator[NotedDecision]:
    """Yield the decisions of a record whose note has a cost."""
    for hand in record.hands:
        costs = {note.turn: cost for note in hand.notes if (cost := read_cost(note.text))}
        for turn, seat in enumerate(acting_seats(hand.actions, hand.dealer)) if costs else ():
            if turn in costs:
                yield NotedDecision(hand, record.fixture.seats[seat], costs[turn])


def sentence(plays: Sequence[ModelPlay]) -> str:
    """Return the share of fallbacks of each bot, without a full stop; empty: no bot asked a model."""
    shares = (
        f"{one.fallbacks:,} of {one.decisions:,} noted decisions of {one.bot} ({share(one.fallbacks / one.decisions, 1)})"
        for one in plays
    )
    found = ", ".join(shares)
    return f"Fallbacks, which the model did not decide: {found}" if found else ""


def why_not_judged(plays: Sequence[ModelPlay]) -> str:
    """Return why nobody is ranked; empty: models made enough of their decisions."""
    others = [one.bot for one in plays if not one.is_models]
    return f"a model made fewer than {share(1 - MOST_FALLBACKS)} of the decisions of {names(others)}" if others else ""


def judged(outcome: ComparisonOutcome, plays: Sequence[ModelPlay]) -> ComparisonOutcome:
    """Return an outcome; without verdict and evidence, if a model made too few of the decisions."""
    reason = why_not_judged(plays)
    return replace(outcome, verdict=Verdict.UNDECIDED, void=reason, better=1.0, worse=1.0) if reason else outcome
