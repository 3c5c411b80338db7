"""Whether the events of a league follow from what was before them: those that no person decided, and the bounds of the others.

Each submission is followed at once by its audition, and one that was accepted by the end of the version that it replaces and by
its own start; a round that is closed is followed by the suspensions that its faults demand. All of these are pure functions of the
events and results before them, as are the pairings of a round and the challenges that it takes. What a person decides must at least
be possible: the bot is in a state that allows it, and no author has more active bots or challenges than the spec says.

Not checked is what depends on more than the league: whether an audition was failed, how a bot answered the fixed positions, and
whether its copy was missing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from arena.errors import InputError
from arena.league.rules import pairing
from arena.league.rules.challenges import Challenges, drawn_pairs
from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Auditioned,
    Challenged,
    Event,
    Reinstated,
    Retired,
    RoundClosed,
    RoundOpened,
    Submitted,
    Suspended,
    Withdrawn,
    bot_name,
)
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History, fixtures, round_of, suspensions
from arena.league.rules.pairing import Meetings, Pairing
from arena.league.rules.ratings import pairing_strengths
from arena.league.rules.spec import LeagueSpec
from arena.moments import Moment
from arena.stats.pairs import Pair


def decide_pairings(field: LeagueField, played: Sequence[Pair], number: int, spec: LeagueSpec) -> tuple[Pairing, ...]:
    """Return the pairings of a round; ``played`` are the results of all rounds before it, of which the drawn ones count."""
    counted = drawn_pairs(played)
    strengths = pairing_strengths(counted, field.versions, spec.rating_terms)
    return pairing.pairings(field.active, Meetings(counted), strengths, number, spec.pairing, spec.aim)


def apart(field: LeagueField, chosen: Iterable[Pairing]) -> tuple[str, ...]:
    """Return the versions of some pairings that read while they play, by name."""
    playing = {name for both in chosen for name in both}
    return tuple(sorted(version.id for version in field.versions if version.reads_while_playing and version.id in playing))


def _difference(opened: RoundOpened, expected: tuple[Pairing, ...]) -> Iterator[str]:
    found = set(opened.pairings)
    for one, other in sorted(found ^ set(expected)):
        state = "was played, but does not follow" if (one, other) in found else "is missing, but follows"
        yield f"round {opened.round}: {one} against {other} {state} from the events and results before it"


def differences(history: History, spec: LeagueSpec) -> Iterator[str]:
    """Yield each event or pairing that does not follow from the events and results before it, or is missing.

    Raises: DamagedError.
    """
    walk = _Walk(history, spec)
    for event in history.events:
        yield from walk.differences(event)
    yield from walk.missing()


class _Walk:
    """The field before an event, and the events that must come next."""

    def __init__(self, history: History, spec: LeagueSpec) -> None:
        self._spec = spec
        self._left = sorted(history.played, key=lambda pair: round_of(pair.deals), reverse=True)
        self._before: list[Pair] = []
        self._legs = Counter[int]()  # on record, by round
        for pair in history.played:
            self._legs[round_of(pair.deals)] += pair.legs
        self._faults = history.faults
        self._waiting = {event.version for event in history.events if isinstance(event, Activated) and event.waits}
        self._field = LeagueField()
        self._challenges = Challenges()
        self._opened: RoundOpened | None = None
        self._due: list[Event] = []

    def differences(self, event: AnyEvent) -> Iterator[str]:
        """Yield what is wrong with the next event."""
        expected = self._due.pop(0) if self._due else None
        if expected is not None and not _is(event, expected):
            yield f"{_name(expected)} is missing, but follows from what was before; found {_name(event)}"
            self._due.clear()
        elif expected is None and (problem := self._problem(event)):
            yield f"{_name(event)} {problem}"
        if isinstance(event, RoundOpened):
            self._opened = event
            if event.method == pairing.METHOD:
                yield from _difference(event, decide_pairings(self._field, self._results(event.round), event.round, self._spec))
        self._due += self._consequences(event)
        self._field = self._field.after(event)
        self._challenges.add(event)

    def _results(self, before: int) -> list[Pair]:
        """Return the results of the rounds before one; the numbers that are asked for rise."""
        while self._left and round_of(self._left[-1].deals) < before:
            self._before.append(self._left.pop())
        return self._before

    def missing(self) -> Iterator[str]:
        """Yield what is still due after the last event."""
        for event in self._due[:1]:
            yield f"{_name(event)} is missing, but follows from what was before"

    def _problem(self, event: AnyEvent) -> str:
        """Return why an event cannot be that is not due; empty: it can."""
        problem = ""
        match event:
            case Auditioned() | Activated():
                problem = "does not follow a submission"
            case Suspended() if event.fixture:
                problem = "does not follow from the faults before it"
            case Suspended() | Retired() | Reinstated() | Withdrawn() | Submitted() | Challenged():
                problem = self._impossible(event)
            case RoundOpened():
                problem = (
                    _other_terms(event, self._spec, self._opened) or _other_legs(event, self._field) or self._other_requests(event)
                )
            case RoundClosed():
                problem = self._missing_matches(event.round)
        return problem

    def _impossible(self, event: AnyEvent) -> str:
        """Return why a person cannot have decided this, or asked for it."""
        try:
            if isinstance(event, Challenged):
                self._challenges.check(event, self._field, self._spec.challenges)
            else:
                self._field.apply(event, self._spec.limits)
        except InputError as error:
            return f"cannot be: {error}"
        return ""

    def _other_requests(self, event: RoundOpened) -> str:
        """Return the difference of the challenges that a round has taken from those that were due."""
        expected = self._challenges.next(self._field, len(event.pairings), event.pairs, self._spec.challenges)
        found, due = ([one.place for one in several] for several in (event.requested, expected))
        return f"has taken the challenges of events {found}; expected {due}" if event.requested != expected else ""

    def _missing_matches(self, number: int) -> str:
        """Return the number of missing matches of a closed round, as a message."""
        asked = len(list(fixtures(self._opened))) if self._opened else 0
        return f"has {self._legs[number]} of its {asked} matches on record" if self._legs[number] != asked else ""

    def _consequences(self, event: AnyEvent) -> Sequence[Event]:
        """Return the events that must follow an event."""
        match event:
            case Submitted():
                return [Auditioned(at=event.at, version=event.version, passed=True)]
            case Auditioned(passed=True):
                return acceptance(event.version, self._field, event.at, waits=event.version in self._waiting)
            case RoundClosed():
                faults = [faulty for faulty in self._faults if round_of(faulty.fixture) <= event.round]
                return suspensions(self._field.active, self._results(event.round + 1), faults, self._spec.suspension, event.at)
        return []


def acceptance(version: str, field: LeagueField, at: Moment, *, waits: bool) -> list[Event]:
    """Return the events after a version has passed its audition: the one before it is retired, if it is active, and it joins.

    One that waits for the next season takes the place of one that waits; that of an active one only when the season opens.
    """
    ending = ("waiting",) if waits else ("waiting", "active")
    earlier = [one for one in field.of(bot_name(version)) if one.id != version]
    ends = [Retired(at=at, version=one.id, reason=f"replaced by {version}") for one in earlier[-1:] if one.state in ending]
    return [*ends, Activated(at=at, version=version, waits=waits)]


def _is(event: AnyEvent, expected: Event) -> bool:
    """Tell whether an event is the expected one, whenever it was; whether an audition was passed cannot be expected."""
    if isinstance(event, Auditioned) and isinstance(expected, Auditioned):
        return event.version == expected.version
    if isinstance(event, Suspended) and isinstance(event.reason, str) and isinstance(expected, Suspended):
        expected = replace(expected, reason=str(expected.reason)[:10_000])  # stored before reasons had two parts
    return event == replace(expected, at=event.at)


def _other_terms(event: RoundOpened, spec: LeagueSpec, before: RoundOpened | None) -> str:
    """Return the differences of a round from the spec and from the round before it."""
    for name in ("pairs", "hands"):
        found, expected = getattr(event, name), getattr(spec, name)
        if found != expected:
            return f"has {name} {found}; the spec says {expected}"
    if before and before.coin and not event.coin:
        return "lets no coin decide which legs are played first; the round before it did"
    return ""


def _other_legs(event: RoundOpened, field: LeagueField) -> str:
    """Return the difference of the bots with different deals in both legs from those that read while they play."""
    found, expected = event.apart, apart(field, event.meetings)
    return f"has legs on different deals for {found}; expected {expected}" if found != expected else ""


def _name(event: Event | AnyEvent) -> str:
    """Return an event for a message."""
    about = getattr(event, "version", None) or f"number {getattr(event, 'round', None) or getattr(event, 'season', 0)}"
    return f"event {event.__struct_config__.tag!r} of {about} at {event.at}"
