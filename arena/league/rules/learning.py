"""The states that the bots of a league keep from round to round, as digests.

All fixtures of a round begin with the same state of a bot, so nothing depends on the order in which they are played, and the two
legs of a pair cannot tell each other anything. What the bot leaves in the last of its fixtures, in the order of ``fixtures``, is
the state with which it begins the next round. If it faults there or leaves an invalid state, the previous state is kept. Each
version begins with an empty folder.

The event ``StateLost`` says that the file of a state is lost. From then on the state that it names ``instead``, an earlier one or
the empty one, takes its place: in the remaining matches of an open round, and in the next round, even if the lost state was left in
the open round. It names none if no later round would begin with the lost state anyway: then only earlier rounds cannot be replayed.
"""

from collections.abc import Container, Iterable, Iterator, Mapping

from arena.league.rules.events import AnyEvent, RoundClosed, RoundOpened, StateLost
from arena.league.rules.history import fixtures, is_requested, round_of
from arena.players.state import EMPTY_DIGEST
from arena.records import LeftStates

Learned = tuple[tuple[str, str], ...]  # versions with the digests of their new states


class CurrentStates:
    """The state with which each version would begin a match, after the added events; versions not in it have the empty state."""

    def __init__(self, events: Iterable[AnyEvent] = ()) -> None:
        self.by_version: dict[str, str] = {}
        self._replacements: dict[tuple[str, str], str] = {}  # of states that were lost in the open round, by version and state
        for event in events:
            self.add(event)

    def add(self, event: AnyEvent) -> None:
        """Add an event."""
        match event:
            case RoundOpened():
                self._replacements = {}
            case StateLost(version=version, state=state, instead=str() as instead):
                self._replacements[version, state] = instead
                if self.by_version.get(version) == state:
                    self.by_version[version] = instead
            case RoundClosed():
                self.by_version |= {name: self._replacements.get((name, state), state) for name, state in event.learned}


def starts(events: Iterable[AnyEvent]) -> dict[str, str]:
    """Return the state with which each version begins; versions that have never learned are not in it."""
    return CurrentStates(events).by_version


def needed_states(events: Iterable[AnyEvent], rounds: int) -> set[str]:
    """Return the states with which the bots began the last ``rounds`` closed rounds, and with which they begin the next match.

    They include the last state of every version, also of one that is retired and may be reinstated.
    """
    every = list(events)
    skipped = sum(isinstance(event, RoundClosed) for event in every) - rounds  # closed rounds that need not be replayable
    current, found = CurrentStates(), set[str]()
    for event in every:
        current.add(event)
        skipped -= isinstance(event, RoundClosed)
        if skipped <= 0 and isinstance(event, RoundClosed | StateLost):
            found |= set(current.by_version.values())
    return found


def lost_states(events: Iterable[AnyEvent]) -> set[tuple[str, str]]:
    """Return the versions and their states that are recorded as lost."""
    return {(event.version, event.state) for event in events if isinstance(event, StateLost)}


def is_replayable(number: int, closed: int, rounds: int) -> bool:
    """Tell whether the states are kept with which round ``number`` began, of ``closed`` closed rounds."""
    return number > closed - rounds


def lessons(opened: RoundOpened) -> dict[str, str]:
    """Return the id of the fixture from which each version learns in a round: its last that was not requested."""
    return {name: fixture.id for fixture in fixtures(opened) if not is_requested(fixture.pair) for name in fixture.seats}


def learn(before: Mapping[str, str], left: Iterable[LeftStates]) -> Learned:
    """Return the states that a round has changed; the versions began it with ``before`` and left the states ``left``."""
    after = {name: state for states in left for name, state in states.by_name() if state != before.get(name, EMPTY_DIGEST)}
    return tuple(sorted(after.items()))


def differences(events: Iterable[AnyEvent], left: Iterable[LeftStates], *, learns: bool) -> Iterator[str]:
    """Yield each state on record that does not follow from the rounds and the records before it."""
    by_round: dict[int, list[LeftStates]] = {}
    for states in left:
        by_round.setdefault(round_of(states.fixture), []).append(states)
    current, known, open_round = CurrentStates(), set[tuple[str, str]](), 0
    for event in events:
        if isinstance(event, RoundOpened):
            open_round = event.round
            yield from _out_of_place(event, by_round.get(event.round, []), learns=learns)
        elif isinstance(event, RoundClosed):
            expected = learn(current.by_version, by_round.get(event.round, []))
            for name, _ in sorted(set(expected) ^ set(event.learned)):
                yield f"round {event.round}: what {name} has learned does not follow from the records of its fixtures"
            known |= set(event.learned)
        elif isinstance(event, StateLost):
            left_now = {one for states in by_round.get(open_round, []) for one in states.by_name()}
            yield from _impossible_loss(event, known | left_now)
        current.add(event)


def _impossible_loss(event: StateLost, known: Container[tuple[str, str]]) -> Iterator[str]:
    """Yield why a version cannot have lost a state, or begin with another."""
    if (event.version, event.state) not in known:
        yield f"event 'state-lost' of {event.version} at {event.at}: it has never had the state {event.state[:12]}"
    if event.instead not in (None, EMPTY_DIGEST) and (event.version, event.instead) not in known:
        yield f"event 'state-lost' of {event.version} at {event.at}: it has never had the state {str(event.instead)[:12]}"


def _out_of_place(opened: RoundOpened, left: Iterable[LeftStates], *, learns: bool) -> Iterator[str]:
    learns_from = lessons(opened) if learns else {}
    for states in left:
        for name, _ in states.by_name():
            if learns_from.get(name) != states.fixture:
                yield f"{states.fixture}: keeps a state of {name}, which learns nothing from this fixture"
