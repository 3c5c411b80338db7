"""A comparison of two bots as a report shows it: the outcome, and how the evidence grew."""

from msgspec import Struct

from arena.stats.duels import ComparisonOutcome
from arena.stats.game_chances import InGames


class EvidencePoint(Struct, frozen=True, array_like=True):
    """The state of a test after a number of hands."""

    hands: int  # so far
    better: float  # evidence for "better"
    worse: float  # evidence for "not as good"
    value: float | None  # the difference, in the unit of the outcome; None: not known yet
    low: float | None  # ends of its interval; None: infinite
    high: float | None


class ComparisonReport(Struct, frozen=True, kw_only=True):
    """What is known about a duel, or about a candidate and a baseline that meet the same opponents."""

    first: str  # the bot that the question is about
    second: str
    opponents: tuple[str, ...] = ()  # that both meet; empty: a duel
    most_hands: int  # the limit, after which the verdict is "undecided"
    outcome: ComparisonOutcome
    in_games: InGames | None = None  # chances of the first bot, or (gauntlet) of a bot with such a lead; None: not computed
    no_games: str = ""  # why they cannot be computed
    history: list[EvidencePoint] = []  # the last point is the outcome
