"""The states that the bots of a league keep from round to round, as digests.

All fixtures of a round begin with the same state of a bot, so nothing depends on the order in which they are played, and the two
legs of a pair cannot tell each other anything. What the bot leaves in the last of its fixtures, in the order of ``fixtures``, is
the state with which it begins the next round. If it faults there or leaves an invalid state, the previous state is kept. Each
version begins with an empty folder.

What a withdrawn version had learned is lost with it: if it plays again, it begins with an empty folder.
"""

from collections.abc import Iterable, Iterator, Mapping

from arena.league.rules.events import AnyEvent, Reinstated, RoundClosed, RoundOpened, Withdrawn
from arena.league.rules.rounds import fixtures, is_requested, round_of
from arena.players.kept_states import EMPTY_DIGEST
from arena.records import LeftStates

Learned = tuple[tuple[str, str], ...]  # versions with the digests of their new states


class CurrentStates:
    """The state with which each version would begin a match, after the added events; versions not in it have the empty state."""

    def __init__(self, events: Iterable[AnyEvent] = ()) -> None:
        self.by_version: dict[str, str] = {}
        self._withdrawn: set[str] = set()
        for event in events:
            self.add(event)

    def add(self, event: AnyEvent) -> None:
        """Add an event."""
        match event:
            case Withdrawn(version=version):
                self._withdrawn.add(version)
                self.by_version.pop(version, None)
            case Reinstated(version=version):
                self._withdrawn.discard(version)
            case RoundClosed():
                self.by_version |= {name: state for name, state in event.learned if name not in self._withdrawn}


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
        if skipped <= 0 and isinstance(event, RoundClosed):
            found |= set(current.by_version.values())
    return found


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
    current = CurrentStates()
    for event in events:
        if isinstance(event, RoundOpened):
            yield from _out_of_place(event, by_round.get(event.round, []), learns=learns)
        elif isinstance(event, RoundClosed):
            expected = learn(current.by_version, by_round.get(event.round, []))
            for name, _ in sorted(set(expected) ^ set(event.learned)):
                yield f"round {event.round}: what {name} has learned does not follow from the records of its fixtures"
        current.add(event)


def _out_of_place(opened: RoundOpened, left: Iterable[LeftStates], *, learns: bool) -> Iterator[str]:
    learns_from = lessons(opened) if learns else {}
    for states in left:
        for name, _ in states.by_name():
            if learns_from.get(name) != states.fixture:
                yield f"{states.fixture}: keeps a state of {name}, which learns nothing from this fixture"
