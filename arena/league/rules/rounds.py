"""The seasons and rounds of a league, as a fold over its events, and the fixtures of the rounds as a format."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.league.rules.events import AnyEvent, RoundClosed, RoundOpened, SeasonClosed, SeasonOpened, SeasonStopped, VersionName
from arena.records import APART, Fixture, Result
from arena.stats.pairs import Pair
from arena.tournament.formats.base import Format, leg_by_leg
from arena.tournament.seeds import commitment


class Calendar(Struct, frozen=True, kw_only=True):
    """The season that is played, and every round so far."""

    season: SeasonOpened | None = None  # None: none is open
    seasons: int = 0  # that were opened
    rounds_before: int = 0  # that were opened before the season
    opened: tuple[RoundOpened, ...] = ()
    closed: tuple[RoundClosed, ...] = ()
    next_commitment: str = ""  # of the open round, else the one that the next round must have; empty: no season is open
    stopped: bool = False  # whether a person decided that the season has no further round

    @property
    def current(self) -> RoundOpened | None:
        """Return the round that is open; None: all are closed."""
        return self.opened[-1] if len(self.opened) > len(self.closed) else None

    @property
    def number(self) -> int:
        """Return the number of the next round."""
        return len(self.opened) + 1

    @property
    def in_season(self) -> int:
        """Return the number of the season's rounds so far, with the open one."""
        return len(self.opened) - self.rounds_before

    @property
    def season_is_over(self) -> bool:
        """Tell whether the season has had its last round."""
        return self.season is not None and self.current is None and (self.stopped or self.in_season >= self.season.rounds)

    def after(self, event: AnyEvent) -> "Calendar":
        """Return the calendar after an event. Raises: DamagedError, for an event that cannot follow."""
        match event:
            case SeasonOpened():
                _check(self.season is None, f"season {event.season} was opened before the last was closed")
                _check(event.season == self.seasons + 1, f"season {event.season} was opened; expected {self.seasons + 1}")
                return replace(
                    self, season=event, seasons=event.season, rounds_before=len(self.opened), next_commitment=event.commitment
                )
            case SeasonStopped():
                _check(self._is_open(event.season) and not self.stopped, f"season {event.season} was stopped, but was not open")
                return replace(self, stopped=True)
            case SeasonClosed():
                _check(self._is_open(event.season), f"season {event.season} was closed, but was not open")
                _check(self.current is None, f"season {event.season} was closed while a round was open")
                return replace(self, season=None, next_commitment="", stopped=False)
            case RoundOpened():
                return self._open_round(event)
            case RoundClosed():
                return self._close_round(event)
            case _:
                return self

    def _is_open(self, season: int) -> bool:
        return self.season is not None and season == self.season.season

    def _open_round(self, event: RoundOpened) -> "Calendar":
        _check(not self.stopped, f"round {event.round} was opened in a season that was stopped")
        _check(event.round == self.number and self.current is None, f"round {event.round} was opened; expected {self.number}")
        _check(event.commitment == self.next_commitment, f"round {event.round}: its commitment does not continue the season's")
        return replace(self, opened=(*self.opened, event))

    def _close_round(self, event: RoundClosed) -> "Calendar":
        current, committed = self.current, commitment(event.seed) == self.next_commitment
        _check(current is not None and current.round == event.round, f"round {event.round} was closed, but was not open")
        _check(committed, f"round {event.round}: its seed is not the one that was committed to")
        return replace(self, closed=(*self.closed, event), next_commitment=event.seed)


class LeagueRounds(Format, frozen=True, kw_only=True, tag="league-rounds"):
    """The fixtures of opened rounds, in their order."""

    rounds: tuple[RoundOpened, ...]

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the fixtures that were not played."""
        del field
        done = {result.fixture.id for result in played}
        return (fixture for opened in self.rounds for fixture in fixtures(opened) if fixture.id not in done)


def calendar(events: Iterable[AnyEvent]) -> Calendar:
    """Return the calendar after the events. Raises: DamagedError, for events that cannot follow each other."""
    found = Calendar()
    for event in events:
        found = found.after(event)
    return found


def fixtures(opened: RoundOpened) -> Iterator[Fixture]:
    """Yield the fixtures of a round; fixtures next to each other have different deals if possible, so that all workers are busy."""
    for number in range(opened.pairs):
        yield from leg_by_leg(_legs(opened, one, other, str(number)) for one, other in opened.pairings)
    yield from leg_by_leg(_legs(opened, one.one, one.other, f"{ON_REQUEST}{one.place}") for one in opened.requested)


def _legs(opened: RoundOpened, one: VersionName, other: VersionName, number: str) -> list[Fixture]:
    """Return both fixtures of a pair of legs; ``number`` is the pair's in its pairing, or ON_REQUEST and the challenge's."""
    own = f"r{opened.round}/{one}:{other}/{number}"
    # A bot that is not sealed could read in the second leg what it wrote in the first.
    deals = [f"{own}{APART}0", f"{own}{APART}1"] if {one, other} & {*opened.separate_deals} else [own, own]
    seats = [(one, other), (other, one)]
    return [Fixture(f"{own}/{leg}", seats[leg], deals[leg], opened.hands) for leg in range(2)]


ON_REQUEST = "q"  # before the number of a challenge, its place among all events, in the key of its deals


def is_requested(deals: str) -> bool:
    """Tell whether a pair was played on request, by the key of its deals."""
    return deals.rpartition("/")[2].startswith(ON_REQUEST)


def request_of(deals: str) -> int:
    """Return the place of the challenge for which a pair was played, by the key of its deals."""
    return int(deals.rpartition("/")[2].removeprefix(ON_REQUEST))


def round_of(key: str) -> int:
    """Return the number of the round of a fixture or of its deals. Raises: DamagedError."""
    number = key.partition("/")[0].removeprefix("r")
    if not number.isascii() or not number.isdigit():
        raise DamagedError(f"{key}: not a fixture of a league; expected one that begins with its round, as r12/")
    return int(number)


def first_rounds(played: Iterable[Pair]) -> dict[str, int]:
    """Return the first round with a result of each version."""
    found: dict[str, int] = {}
    for pair in played:
        number = round_of(pair.deals)
        for name in (pair.entrant, pair.opponent):
            found[name] = min(found.get(name, number), number)
    return found


def _check(holds: bool, problem: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise DamagedError(f"event: {problem}")
