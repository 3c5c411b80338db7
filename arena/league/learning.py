"""What the bots of a league learn from round to round, as digests.

All fixtures of a round begin with the same state of a bot, so nothing depends on the order in which they are played, and the two
legs of a pair cannot tell each other anything. What the bot leaves in the last of its fixtures, in the order of ``fixtures``, is
the state with which it begins the next round. If it faults there, or leaves what is no state, it keeps the one that it had. Each
version begins with an empty folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from arena.league.events import AnyEvent, RoundClosed, RoundOpened
from arena.league.rounds import fixtures, round_of
from arena.players.learned_state import EMPTY_DIGEST
from arena.records import LeftStates

Learned = tuple[tuple[str, str], ...]  # versions with the digests of their new states


def starts(closed: Iterable[RoundClosed]) -> dict[str, str]:
    """Return the state with which each version that has learned anything begins the round after these."""
    return {version: state for event in closed for version, state in event.learned}


def needed(closed: Sequence[RoundClosed], rounds: int) -> set[str]:
    """Return the states with which the bots began the last ``rounds`` of these rounds, and with which they begin the next.

    They include the last state of every version, also of one that is retired and may be reinstated.
    """
    earlier, last = closed[: max(0, len(closed) - rounds)], closed[-rounds:]
    return {*starts(earlier).values(), *(state for event in last for _, state in event.learned)}


def is_replayable(number: int, closed: int, rounds: int) -> bool:
    """Return whether the states with which a round began are kept; ``closed``: the number of rounds that are."""
    return number > closed - rounds


def lessons(opened: RoundOpened) -> dict[str, str]:
    """Return the fixture from which each version learns in a round, by its id."""
    return {name: fixture.id for fixture in fixtures(opened) for name in fixture.seats}


def learned(before: Mapping[str, str], left: Iterable[LeftStates]) -> Learned:
    """Return what the versions have learned in a round. ``before``: with which they began; ``left``: of the round's records."""
    after = {name: state for states in left for name, state in states.by_name() if state != before.get(name, EMPTY_DIGEST)}
    return tuple(sorted(after.items()))


def differences(events: Iterable[AnyEvent], left: Iterable[LeftStates], *, learns: bool) -> Iterator[str]:
    """Yield each state on record that does not follow from the rounds and the records before it."""
    by_round: dict[int, list[LeftStates]] = {}
    for states in left:
        by_round.setdefault(round_of(states.fixture), []).append(states)
    before: dict[str, str] = {}
    for event in events:
        if isinstance(event, RoundOpened):
            yield from _out_of_place(event, by_round.get(event.round, []), learns=learns)
        elif isinstance(event, RoundClosed):
            expected = learned(before, by_round.get(event.round, []))
            for name, _ in sorted(set(expected) ^ set(event.learned)):
                yield f"round {event.round}: what {name} has learned does not follow from the records of its fixtures"
            before |= event.learned


def _out_of_place(opened: RoundOpened, left: Iterable[LeftStates], *, learns: bool) -> Iterator[str]:
    from_which = lessons(opened) if learns else {}
    for states in left:
        for name, _ in states.by_name():
            if from_which.get(name) != states.fixture:
                yield f"{states.fixture}: keeps a state of {name}, which learns nothing from this fixture"
