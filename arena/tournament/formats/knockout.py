"""A knockout: an entrant that loses a tie, or in double elimination two, is out.

All ties of a wave are decided before the next wave begins, and all first replays are played before the second replays.

The draw: who meets whom, as far as the results decide it.

The bracket has as many places as the next power of two. Entrants are placed so that the best seeds meet as late as possible (1
and 2 in the final, if both win), and the places without an entrant face the best seeds, who have a bye. Ties of one wave depend
on earlier waves alone.

In double elimination the losers of the upper bracket drop into the lower one: its survivors meet each other, then the next
losers, in turn. In every second round these come in reversed order, so that few entrants meet again. The winner of the lower
bracket has to beat the winner of the upper one twice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, groupby
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.records import Fixture, Result
from arena.stats.format_details import Bracket, BracketRound, Details, Slot, Tie
from arena.stats.pairs import Meeting, compare
from arena.stats.standings import Places
from arena.tournament.formats.base import Format
from arena.tournament.formats.matchups import Matchup, MatchupIndex, Pairs

THIRD_PLACE = "Third place"  # the bracket of one tie
UPPER, LOWER = "Upper bracket", "Lower bracket"
DECIDER = "Decider"  # the round of the tie that is played only if the winner of the lower bracket has won the grand final
LATE_TITLES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}  # by number of ties
VACANT = ""  # in a place of the bracket that stays empty


class Side(Struct, frozen=True):
    """A side of a tie."""

    entrant: str | None  # None: not known yet
    label: str = ""  # shown until the entrant is known: the round that it lost; empty for a winner, to which a line leads


class Decision(Struct, frozen=True):
    """How a tie ended."""

    winner: str
    by: str = ""  # what decided it if not matches


class DrawnTie(Struct, frozen=True, kw_only=True):
    """A tie of a bracket, with its entrants and result as far as they are known."""

    wave: int  # from 1
    bracket: str
    title: str  # of its round
    sides: tuple[Side, Side]
    meeting: Meeting | None = None  # None: an entrant is not known yet, or is VACANT
    decision: Decision | None = None  # None: not decided

    @property
    def entrants(self) -> tuple[str | None, str | None]:
        """Return the entrants of both sides."""
        return self.sides[0].entrant, self.sides[1].entrant

    @property
    def is_open(self) -> bool:
        """Tell whether two entrants are known and neither has won."""
        return self.meeting is not None and self.decision is None

    @property
    def winner(self) -> Side:
        """Return the winner, for the next round."""
        return Side(self.decision.winner if self.decision else None)

    @property
    def loser(self) -> Side:
        """Return the loser, VACANT after a bye, for a tie of losers."""
        one, other = self.entrants
        lost = None if self.decision is None else other if self.decision.winner == one else one
        return Side(lost, f"loser, {self.title.lower()}")


def places(entrants: int) -> int:
    """Return the number of places in the bracket: the next power of two."""
    return 1 << (entrants - 1).bit_length()


def seeding(size: int) -> list[int]:
    """Return the seeds, from 0, in the order of their places: seeds that meet in a round sum to the same number."""
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


class KnockoutDraw:
    """The ties of a knockout; ``single`` or ``double`` draws them."""

    def __init__(
        self, field: Sequence[str], meet: Callable[[Matchup], Meeting], decide: Callable[[Meeting], Decision | None]
    ) -> None:
        """Prepare a draw. ``meet`` returns a matchup's results so far, ``decide`` its winner; ``field``: the best seed first."""
        self.field = field
        self.ties: list[DrawnTie] = []
        self._meet = meet
        self._decide = decide

    def single(self, *, third_place: bool) -> None:
        """Draw single elimination, with a match for the third place if there are semi-finals."""
        rounds = self._rounds("Knockout", count(1))
        if third_place and len(rounds) > 1:
            self._add(len(rounds), THIRD_PLACE, THIRD_PLACE, [tie.loser for tie in rounds[-2]])

    def double(self) -> None:
        """Draw double elimination."""
        first, *later = rounds = self._rounds(UPPER, chain([1], count(2, 2)))
        lower = [tie.loser for tie in first]
        for at, dropping in enumerate(later, 1):
            survivors = self._add(2 * at, LOWER, f"Round {2 * at - 1}", lower)
            dropped = [tie.loser for tie in (dropping[::-1] if at % 2 else dropping)]
            both = zip([tie.winner for tie in survivors], dropped, strict=True)
            lower = [tie.winner for tie in self._add(2 * at + 1, LOWER, f"Round {2 * at}", list(chain(*both)))]
        last, finalists = 2 * len(rounds), [rounds[-1][0].winner, *lower]
        (final,) = self._add(last, UPPER, "Grand final", finalists)
        needed = final.winner.entrant == finalists[1].entrant
        self._add(last + 1, UPPER, DECIDER, finalists if needed else [Side(VACANT if final.decision else None)] * 2)

    def _rounds(self, bracket: str, waves: Iterable[int]) -> list[list[DrawnTie]]:
        """Draw the rounds from all places to one winner, the first of them in the first wave."""
        sides = [Side(self.field[seed] if seed < len(self.field) else VACANT) for seed in seeding(places(len(self.field)))]
        rounds: list[list[DrawnTie]] = []
        for wave in waves:
            title = LATE_TITLES.get(len(sides) // 2, f"Round {len(rounds) + 1}")
            rounds.append(self._add(wave, bracket, title, sides))
            sides = [tie.winner for tie in rounds[-1]]
            if len(sides) == 1:
                break
        return rounds

    def _add(self, wave: int, bracket: str, title: str, sides: Sequence[Side]) -> list[DrawnTie]:
        """Draw the ties of one round, each between two that follow each other in ``sides``."""
        couples = zip(sides[::2], sides[1::2], strict=True)
        ties = [self._fill(DrawnTie(wave=wave, bracket=bracket, title=title, sides=both)) for both in couples]
        self.ties += ties
        return ties

    def _fill(self, tie: DrawnTie) -> DrawnTie:
        """Return a tie with its result so far."""
        one, other = tie.entrants
        if one is None or other is None:
            return tie
        if VACANT in (one, other):
            return replace(tie, decision=Decision(one or other))
        meeting = self._meet(Matchup(tie.wave, one, other))
        return replace(tie, meeting=meeting, decision=self._decide(meeting))


def _wave(tie: DrawnTie) -> int:
    return tie.wave


def rank(draw: KnockoutDraw, losses: int) -> list[list[str]]:
    """Return the field in places: those still in, by their losses; then those out after ``losses`` losses, the last to leave first.

    The tie for the third place separates the two that played it.
    """
    keys = _keys(draw, losses)
    return [[name for name in draw.field if keys[name] == key] for key in sorted({*keys.values()}, reverse=True)]


def _keys(draw: KnockoutDraw, losses: int) -> dict[str, tuple[int, int, int]]:
    """Return the sort key of each entrant."""
    own: dict[str, list[DrawnTie]] = {name: [] for name in draw.field}
    for tie in draw.ties:
        for name in tie.entrants:
            if name:
                own[name].append(tie)
    return {name: _key(name, ties, losses) for name, ties in own.items()}


def _key(name: str, own: Sequence[DrawnTie], losses: int) -> tuple[int, int, int]:
    """Return a sort key, larger for a better place: in or out, how few losses or how late, and the match for the third place."""
    lost = sum(tie.loser.entrant == name for tie in own if tie.bracket != THIRD_PLACE)
    if lost < losses:
        return 1, -lost, 0
    last = max(own, key=_wave)
    if last.bracket != THIRD_PLACE:
        return 0, last.wave, 2  # the final is in the wave of the match for the third place
    return 0, last.wave, 0 if last.loser.entrant == name else 1


def brackets(draw: KnockoutDraw) -> list[Bracket]:
    """Return the brackets of a draw; a decider is left out unless it is played."""
    shown = [tie for tie in draw.ties if tie.meeting or tie.title != DECIDER]
    titles = list(dict.fromkeys(tie.bracket for tie in shown))
    return [_bracket(title, [tie for tie in shown if tie.bracket == title], draw) for title in titles]


def _bracket(title: str, ties: Sequence[DrawnTie], draw: KnockoutDraw) -> Bracket:
    in_rounds = groupby(ties, lambda tie: tie.title)
    return Bracket(title, [BracketRound(name, [_tie(tie, draw) for tie in several]) for name, several in in_rounds])


def _tie(tie: DrawnTie, draw: KnockoutDraw) -> Tie:
    # a decider is played only if the winner of the lower bracket, side 1, won the grand final: its line leads to the first slot
    first, second = (1, 0) if tie.title == DECIDER else (0, 1)
    decided = tie.decision if tie.meeting else None
    winner: Literal[0, 1] | None = None if decided is None else 0 if decided.winner == tie.entrants[first] else 1
    return Tie(slots=(_slot(tie, first, draw), _slot(tie, second, draw)), winner=winner, note=decided.by if decided else "")


def _slot(tie: DrawnTie, side: int, draw: KnockoutDraw) -> Slot:
    entrant = tie.entrants[side]
    if entrant is None:
        return Slot(label=tie.sides[side].label)
    if entrant == VACANT:
        return Slot(label="bye" if any(tie.entrants) else "")
    score = str(tie.meeting.matches[side]) if tie.meeting and tie.meeting.legs else ""
    return Slot(entrant=entrant, seed=draw.field.index(entrant) + 1, score=score)


class Knockout(Format, frozen=True, kw_only=True, tag="knockout"):
    """Entrants meet in ties of ``pairs`` pairs of matches; one loss, or with ``elimination: double`` two, and an entrant is out.

    The order of the spec is the seeding: the first two entrants are in different halves of the bracket, and the best have the byes.
    A tie is won by more matches. While it is level, up to ``replays`` further pairs are played; then more games decide, then more
    hand points, then the better seed. With ``third_place`` the losers of the semi-finals of single elimination play for it.
    """

    elimination: Literal["single", "double"] = "single"
    third_place: bool = False
    pairs: Pairs = 1
    replays: Annotated[int, Meta(ge=0, le=1000)] = 2

    def __post_init__(self) -> None:
        """Raise ValueError for a match for the third place in double elimination, which has a third place anyway."""
        if self.third_place and self.elimination == "double":
            raise ValueError(
                "third_place: expected elimination: single; in double elimination the last to lose before the final is third"
            )

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current wave, or the next wave."""
        index = MatchupIndex(played)
        for number, ties in groupby(sorted(self._draw(field, index).ties, key=_wave), _wave):
            meetings = [tie.meeting for tie in ties if tie.meeting and tie.is_open]
            if still_open := [Matchup(number, met.one, met.other) for met in meetings]:
                return self._due(still_open, index)
        return []

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the winner, the beaten finalist, then the others, the last out first; those out in one round share a place."""
        return rank(self._draw(field, MatchupIndex(played)), self._losses)

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the brackets."""
        draw = self._draw(field, MatchupIndex(played))
        return Details(decided=_last_tie(draw), stage=_wave_in_play(draw, self._losses), title="Bracket", brackets=brackets(draw))

    def least(self, size: int) -> int:
        """Return the number of fixtures without replays and without a decider."""
        ties = self._losses * (size - 1) + (self.third_place and size > 3)
        return 2 * self.pairs * ties

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        byes = places(size) - size
        free = f", {byes} bye{'s' * (byes > 1)} for the best seeds" if byes else ""
        yield f"{self.elimination} elimination of {size}{free}; each tie is {self.pairs} pair{'s' * (self.pairs > 1)} of matches"
        again = f"replayed at most {self.replays} time{'s' * (self.replays > 1)}, then " if self.replays else ""
        yield f"a level tie is {again}decided by games, then points, then the better seed"
        unlucky = "one unlucky tie" if self._losses == 1 else "two unlucky ties"
        yield f"it shows who wins, not an order: those out in one round share a place, and {unlucky} can put the best out"

    @property
    def _losses(self) -> int:
        return 2 if self.elimination == "double" else 1

    def _draw(self, field: Sequence[str], index: MatchupIndex) -> KnockoutDraw:
        draw = KnockoutDraw(field, index.meeting, lambda met: self._decision(met, field))
        if self.elimination == "double":
            draw.double()
        else:
            draw.single(third_place=self.third_place)
        return draw

    def _due(self, still_open: Sequence[Matchup], index: MatchupIndex) -> list[Fixture]:
        """Return the missing fixtures of the first pairs of a wave; if all have been played, the next replay."""
        if missing := index.missing(still_open, range(self.pairs)):
            return missing
        played = {matchup: index.meeting(matchup).legs // 2 for matchup in still_open}
        replay = min(played.values())
        return index.missing([one for one in still_open if played[one] == replay], range(replay, replay + 1))

    def _decision(self, met: Meeting, seeds: Sequence[str]) -> Decision | None:
        """Return the winner of a tie; None: not decided."""
        pairs, half = divmod(met.legs, 2)
        if half or pairs < self.pairs:
            return None
        if side := compare(met.matches):
            return Decision(_winner(met, side))
        if pairs < self.pairs + self.replays:
            return None
        return _break_tie(met, seeds)


def _last_tie(draw: KnockoutDraw) -> str:
    """Return the result of the tie that decided the first place, in words; empty if it is not decided."""
    if _open_ties(draw):
        return ""
    final = [tie for tie in draw.ties if tie.meeting and tie.bracket != THIRD_PLACE][-1]
    met, decision = final.meeting, final.decision
    assert met is not None
    assert decision is not None
    won, lost = met.matches if decision.winner == met.one else met.matches[::-1]
    by = f", decided {decision.by}" if decision.by else ""
    return f"the {final.title.lower()} against {final.loser.entrant}, {won}–{lost} in matches{by}"


def _open_ties(draw: KnockoutDraw) -> list[DrawnTie]:
    return [tie for tie in draw.ties if tie.is_open and tie.bracket != THIRD_PLACE]


def _wave_in_play(draw: KnockoutDraw, losses: int) -> str:
    """Return the round in play, in words, and how many are still in; empty if no tie but that for the third place is open."""
    still_open = _open_ties(draw)
    if not still_open:
        return ""
    size, left = len(draw.field), sum(still_in for still_in, _, _ in _keys(draw, losses).values())
    inside = f"all {size} are still in" if left == size else f"{left} of {size} are still in"
    return f"{min(still_open, key=_wave).title.lower()}, {inside}"


def _break_tie(met: Meeting, seeds: Sequence[str]) -> Decision:
    """Return the winner of a tie that is level by matches: by games, then points, then the better seed."""
    for name, (one, other) in (("games", met.games), ("points", met.points)):
        if side := compare((one, other)):
            return Decision(_winner(met, side), f"by {name}, {max(one, other)}–{min(one, other)}")
    return Decision(min(met.one, met.other, key=seeds.index), "by seed")


def _winner(met: Meeting, side: int) -> str:
    return met.one if side > 0 else met.other
