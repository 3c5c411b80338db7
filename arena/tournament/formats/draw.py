"""A draw: the planned ties of a knockout, filled with entrants as far as the results decide them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from arena.stats.meetings import Meeting
from arena.tournament.formats.elimination import PlannedTie, Source
from arena.tournament.formats.matchups import Matchup

NOBODY = ""  # in a place of the bracket that stays empty

Entrants = tuple[str | None, str | None]  # None: not known yet


class Decision(Struct, frozen=True):
    """How a tie ended."""

    winner: str
    by: str = ""  # what decided it if not matches


class PlayedTie(Struct, frozen=True, kw_only=True):
    """A tie with what is known of it."""

    plan: PlannedTie
    entrants: Entrants
    meeting: Meeting | None = None  # None: two entrants are not known, or never will be
    decision: Decision | None = None  # None: not decided

    @property
    def is_open(self) -> bool:
        """Tell whether two entrants are known and neither has won."""
        return self.meeting is not None and self.decision is None

    @property
    def loser(self) -> str | None:
        """Return who lost, maybe nobody; None if that is not decided."""
        if self.decision is None:
            return None
        one, other = self.entrants
        return other if self.decision.winner == one else one


class KnockoutDraw:
    """Fills the ties in the order of their numbers."""

    def __init__(
        self,
        plan: Sequence[PlannedTie],
        field: Sequence[str],
        meet: Callable[[Matchup], Meeting],
        decide: Callable[[Meeting], Decision | None],
    ) -> None:
        """Fill the ties; ``meet`` returns the result of two so far, ``decide`` who won; the first of ``field`` is the best seed."""
        self.field = field
        self.ties: list[PlayedTie] = []
        self._meet = meet
        self._decide = decide
        for tie in plan:
            self.ties.append(self._filled(tie))

    def waves(self) -> Iterator[list[PlayedTie]]:
        """Yield the ties that are played at the same time, in order."""
        for _, ties in groupby(sorted(self.ties, key=_wave), _wave):
            yield list(ties)

    def matchup(self, tie: PlayedTie) -> Matchup:
        """Return the matchup of a tie with two entrants."""
        one, other = tie.entrants
        return Matchup(tie.plan.wave, one or NOBODY, other or NOBODY)

    def _filled(self, plan: PlannedTie) -> PlayedTie:
        one, other = (self._entrant(source) for source in plan.sources)
        if plan.decider and one == self._last_winner():
            return PlayedTie(plan=plan, entrants=(NOBODY, NOBODY), decision=Decision(NOBODY))
        if one is None or other is None or (plan.decider and self._last_winner() is None):
            return PlayedTie(plan=plan, entrants=(one, other))
        if NOBODY in (one, other):
            return PlayedTie(plan=plan, entrants=(one, other), decision=Decision(one or other))
        meeting = self._meet(Matchup(plan.wave, one, other))
        return PlayedTie(plan=plan, entrants=(one, other), meeting=meeting, decision=self._decide(meeting))

    def _entrant(self, source: Source) -> str | None:
        if source.kind == "seed":
            return self.field[source.number] if source.number < len(self.field) else NOBODY
        tie = self.ties[source.number]
        if source.kind == "loser":
            return tie.loser
        return tie.decision.winner if tie.decision else None

    def _last_winner(self) -> str | None:
        """Return who won the tie before the next one."""
        before = self.ties[-1].decision
        return before.winner if before else None


def _wave(tie: PlayedTie) -> int:
    return tie.plan.wave


def ranked(draw: KnockoutDraw, losses: int, third_place: str) -> list[list[str]]:
    """Return the field in places: who is still in, then who is out after ``losses`` losses, the last to leave first.

    The tie of the bracket ``third_place`` separates two who are out.
    """
    keys = {name: _key(name, draw, losses, third_place) for name in draw.field}
    return [[name for name in draw.field if keys[name] == key] for key in sorted({*keys.values()}, reverse=True)]


def _key(name: str, draw: KnockoutDraw, losses: int, third_place: str) -> tuple[int, int, int]:
    """Return a sort key, larger for a better place: in or out, how few losses or how late, and the match for the third place."""
    own = [tie for tie in draw.ties if name in tie.entrants]
    lost = sum(tie.loser == name for tie in own if tie.plan.bracket != third_place)
    if lost < losses:
        return 1, -lost, 0
    last = max(own, key=_wave)
    small = last.plan.bracket == third_place
    return 0, last.plan.wave, 2 if not small else 0 if last.loser == name else 1
